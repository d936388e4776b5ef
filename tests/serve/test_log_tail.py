"""What is appended to a log comes out once and in order, however its bytes arrive."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.errors import HistbenchError
from histbench.history import decode_page
from histbench.serve.log_tail import LogTail, SourceChanged
from histbench.serve.sessions import Session
from histbench.serve.settings import Settings
from histbench.store import LogWriter
from histbench.store.page_index import index_path
from store_logs import HEADER_LINE, conversation, event_logs, frame, framed_log, line, plain_log


def session_of(path: Path) -> Session:
    """The session whose log lies there."""
    status = path.stat()
    return Session(
        session_id="s",
        kind="log",
        workspace="p",
        path=path,
        identity=(status.st_dev, status.st_ino),
        file_bytes=status.st_size,
        modified_ns=status.st_mtime_ns,
    )


def tail_of(path: Path, **bounds: int) -> LogTail:
    """A tail, which has nothing to read yet."""
    return LogTail(session_of(path), Settings(root=path.parent, **bounds))


def read_all(tail: LogTail) -> list[object]:
    """The events of all frames that are there, each frame joined to the one before."""
    events: list[object] = []
    position = None
    while frames := tail.read():
        for each in frames:
            page = decode_page(each.text.split(b"data: ", 1)[1].strip())
            assert (page.from_seq, page.to_seq) == (each.start, each.end)
            assert position in {None, each.start}
            assert each.text.startswith(b"id: %d\nevent: records\n" % each.end)
            position = each.end
            events += page.events()
    return events


@settings(max_examples=40)
@given(
    events=event_logs(),
    compressed=st.booleans(),
    sizes=st.lists(st.integers(1, 200), min_size=1, max_size=5),
)
def test_bytes_may_arrive_in_any_pieces(
    tmp_path_factory: pytest.TempPathFactory, events, *, compressed: bool, sizes: list[int]
) -> None:
    """A writer's batch is seen whole or not at all, and nothing is seen twice."""
    path = tmp_path_factory.mktemp("log") / "session.jsonl"
    batches = [events[at : at + 5] for at in range(0, len(events), 5)]
    data = framed_log(batches) if compressed else plain_log(events)
    start = len(frame(HEADER_LINE)) if compressed else len(HEADER_LINE)
    path.write_bytes(data[:start])
    tail = tail_of(path)
    seen: list[object] = []
    at, step = start, 0
    with path.open("ab", buffering=0) as file:
        while at < len(data):
            size = sizes[step % len(sizes)]
            file.write(data[at : at + size])
            at, step = at + size, step + 1
            seen += read_all(tail)
            assert len(seen) == tail.position
    tail.close()

    assert seen == events


@settings(max_examples=40)
@given(events=st.integers(1, 120), frame_events=st.integers(1, 50), frame_bytes=st.integers(1, 900))
def test_frames_keep_their_bounds(
    tmp_path_factory: pytest.TempPathFactory, events: int, frame_events: int, frame_bytes: int
) -> None:
    """No frame has more events or bytes than allowed, unless one event alone has."""
    path = tmp_path_factory.mktemp("log") / "session.jsonl"
    path.write_bytes(HEADER_LINE)
    made = conversation(20)[:events]
    tail = tail_of(path, frame_events=frame_events, frame_bytes=frame_bytes)
    path.write_bytes(plain_log(made))
    frames = tail.read()
    tail.close()

    assert [each.start for each in frames[1:]] == [each.end for each in frames[:-1]]
    assert (frames[0].start, frames[-1].end) == (0, events)
    for each in frames:
        page = each.text.split(b"data: ", 1)[1].strip()
        assert each.end - each.start <= frame_events
        assert len(page) <= frame_bytes or each.end - each.start == 1


def test_an_index_is_believed_only_as_far_as_it_holds(tmp_path: Path) -> None:
    """A tail begins behind the last proved segment; a damaged index costs time and no event."""
    events = conversation(900)
    with LogWriter.create(tmp_path, session_id="s", created_at=5, sync=False) as writer:
        for at in range(0, len(events), 100):
            writer.append(events[at : at + 100])
    path = Path(writer.path)
    by_index = tail_of(path)
    started = by_index.position
    index = index_path(path)
    damaged = bytearray(index.read_bytes())
    damaged[-30] ^= 255
    index.write_bytes(damaged)
    again = tail_of(path)

    assert 0 < started < len(events)
    assert read_all(by_index) == events[started:]
    assert again.position + len(read_all(again)) == len(events)
    by_index.close()
    again.close()


def test_a_line_longer_than_a_look_arrives(tmp_path: Path) -> None:
    """One event of a megabyte, in one line, in a text log."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(HEADER_LINE)
    tail = tail_of(path)
    big = {"type": "note", "seq": 0, "time": 1, "data": {"text": "x" * 2**20}}
    small = {"type": "note", "seq": 1, "time": 1, "data": {}}
    with path.open("ab") as file:
        file.write(line(big) + line(small))

    assert read_all(tail) == [big, small]
    tail.close()


def append(path: Path, data: bytes) -> None:
    """More bytes at a file's end."""
    with path.open("ab") as file:
        file.write(data)


def replace(path: Path) -> None:
    """Another file under the same name."""
    path.rename(path.with_name("old"))
    path.write_bytes(plain_log(conversation(3)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param(lambda path: path.unlink(), "source_removed", id="removed"),
        pytest.param(lambda path: path.rename(path.with_name("x")), "source_removed", id="moved"),
        pytest.param(replace, "source_replaced", id="replaced"),
        pytest.param(lambda path: path.write_bytes(HEADER_LINE), "source_truncated", id="cut"),
        pytest.param(lambda path: append(path, b'{"a":1}\n'), "source_unreadable", id="no event"),
        pytest.param(
            lambda path: append(path, line(conversation(9)[50])), "source_unreadable", id="gap"
        ),
        pytest.param(lambda path: append(path, HEADER_LINE), "source_unreadable", id="header"),
    ],
)
def test_a_file_that_is_another_ends_the_tail(tmp_path: Path, change, reason: str) -> None:
    """What happened to it is told."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(plain_log(conversation(2)))
    tail = tail_of(path)
    read_all(tail)
    change(path)
    with pytest.raises(SourceChanged) as caught:
        tail.read()
    tail.close()

    assert caught.value.reason == reason


def test_a_log_that_cannot_be_followed_is_refused_at_once(tmp_path: Path) -> None:
    """Before anybody is told that events would come."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(plain_log(conversation(2)[3:]))
    with pytest.raises(HistbenchError):
        read_all(tail_of(path))
