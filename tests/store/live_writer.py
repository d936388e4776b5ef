"""A process of its own that appends, for the tests that kill it or run two of them.

    live_writer.py MODE PATH...

After each completed append it writes the seq that comes next; the tests hold the log to that.
"""

import os
import resource
import sys
from pathlib import Path

from histbench.errors import HistbenchError
from histbench.store import LogWriter
from store_logs import conversation


def say(*words: object) -> None:
    """One line for the test that started this process."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def forever(root: str, compression: str) -> None:
    """Create a log and append small batches until killed."""
    events = conversation(2000, deltas=7)
    writer = LogWriter.create(root, session_id="s", created_at=5, compression=compression)
    at = 0
    for size in [1, 2, 3, 5, 8, 13, 21, 34] * 1000:
        writer.append(events[at : at + size])
        at += size
        say(at)


def once(path: str) -> None:
    """Open a log and append to it until it refuses, or a hundred times."""
    events = conversation(100)
    try:
        with LogWriter.open(path) as writer:
            say("open")
            for seq in range(writer.next_seq, writer.next_seq + 100):
                writer.append([events[seq]])
    except HistbenchError as error:
        say(error.code)
    else:
        say("done")


def limited(root: str, compression: str) -> None:
    """Append until the file may not grow any more; then once more, smaller."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    until_full(root, compression)


def until_full(root: str, compression: str) -> None:
    """Append until the disk is full; say how far it went, why not further, and how large it is."""
    events = conversation(500)
    at = 0
    with LogWriter.create(root, session_id="s", created_at=5, compression=compression) as writer:
        try:
            while True:
                writer.append(events[at : at + 50])
                at += 50
        except HistbenchError as error:
            say(at, error.code, Path(writer.path).stat().st_size)


def unprivileged(root: str, path: str) -> None:
    """As a user who may not write there: make a log, then append to one."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    events = conversation(2)
    try:
        with LogWriter.create(root, session_id="s", created_at=5) as writer:
            writer.append(events)
    except HistbenchError as error:
        say(error.code)
    once(path)


if __name__ == "__main__":
    modes = (forever, once, limited, until_full, unprivileged)
    {mode.__name__: mode for mode in modes}[sys.argv[1]](*sys.argv[2:])
