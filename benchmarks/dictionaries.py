# ruff: noqa: INP001  (a script, not a package)
"""What a dictionary saves on pages of a session that it was not trained on.

    python benchmarks/dictionaries.py [--runs 3] [-o results/reference/dictionaries.json]

Dictionaries are trained on `session` under other seeds, and for comparison on `published` and
`quick`.  Each is held against none on pages of `session`, seed 1: all pages of 50 messages, and every
eighth page of so many events.  Every page is decoded again and compared.  Stages:

    pages.<cut>               how many pages
    wire.<cut>                their bytes together; dcz with its 40 bytes of header
    host.encode.events_512    seconds to encode these, one after the other
    client.decode.events_512  seconds to decode them
    dictionary                the bytes of a dictionary; and under br-5, as it is fetched

An encoding `dcz-6` uses the dictionary of 64 KiB that `train_dictionary` makes of three sessions.
What stands behind the name is what was changed about it:

    dcz-6 16k        its size
    dcz-6 one        one session instead of three
    dcz-6 packed     packed pages instead of both forms; `lean` likewise
    dcz-6 published  another profile
    dcz-6 pages      the last pages as they are, nothing chosen from them
    dcz-6 tables     zstd's own format, with entropy tables
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import zstandard
from sampling import Samples, describe_log, save, timed

from histbench.dictionaries import (
    DCZ_HEADER_BYTES,
    DEFAULT_DICTIONARY_BYTES,
    Dictionary,
    dcz_encoding,
    sample_pages,
    share_samples,
    train_dictionary,
)
from histbench.dictionaries.samples import SAMPLE_FORMS
from histbench.encodings import Encoding, decode_zstd, encode_zstd, find_encoding, zstd_encoding
from histbench.history import HistoryPage, encode_page, select_page
from histbench.log import EventLog
from histbench.results import Input
from synthetic import generate, session_header

PROFILE, SEED, OTHER_SEEDS = "session", 1, (2, 3, 4)
OTHER_PROFILES = ("published", "quick")
FORMS = ("raw", "packed", "joined", "lean")
LEVELS = (3, 6, 12)
EVENTS = (128, 512, 2048, 8192)
# Neighbours are alike; an eighth of them tells as much.
EVERY = 8
SIZES_KIB = (16, 32, 128, 256)
# Pages of 512 events, where a dictionary does most.
COMPARED = "events_512"


def log_of(profile: str, seed: int) -> EventLog:
    """The log of a profile."""
    return EventLog.from_events(
        generate(profile, seed=seed), header=session_header(profile, seed=seed)
    )


def samples_of(logs: Sequence[EventLog]) -> list[bytes]:
    """What `histbench dictionary train` takes of these logs."""
    taken, most = share_samples(len(logs))
    return [page for number in taken for page in sample_pages(logs[number], most=most)]


def pages_of(log: EventLog, *, messages: int, events: int | None) -> list[HistoryPage]:
    """All pages, the newest first."""
    pages: list[HistoryPage] = []
    before: int | None = None
    while not pages or pages[-1].has_more:
        pages.append(select_page(log, before_seq=before, max_messages=messages, max_events=events))
        before = pages[-1].from_seq
    return pages


def renamed(encoding: Encoding, what: str) -> Encoding:
    """The same, with what was changed about its dictionary in its name."""
    return Encoding(
        name=f"{encoding.name} {what}",
        library=encoding.library,
        parameters=encoding.parameters,
        encode=encoding.encode,
        decode=encoding.decode,
    )


def with_tables(samples: Iterable[bytes]) -> Encoding:
    """A dictionary in zstd's own format, as long as the others and with a header as long."""
    pages: list[bytes | bytearray | memoryview] = list(samples)
    trained = zstandard.train_dictionary(DEFAULT_DICTIONARY_BYTES, pages)
    header = bytes(DCZ_HEADER_BYTES)

    def decode(data: bytes, *, max_bytes: int) -> bytes:
        return decode_zstd(data[len(header) :], max_bytes=max_bytes, dictionary=trained)

    return Encoding(
        name="dcz-6 tables",
        library="zstd",
        parameters={},
        encode=lambda data: header + encode_zstd(data, level=6, dictionary=trained),
        decode=decode,
    )


def variants(samples: list[bytes], others: dict[str, list[bytes]]) -> Iterator[Encoding]:
    """The dictionaries that are held against the one that is used."""
    for size in SIZES_KIB:
        yield renamed(dcz_encoding(train_dictionary(samples, size=size * 1024)), f"{size}k")
    for what, pages in {"packed": samples[::2], "lean": samples[1::2], **others}.items():
        yield renamed(dcz_encoding(train_dictionary(pages)), what)
    last = b"".join(samples)[-DEFAULT_DICTIONARY_BYTES:]
    yield renamed(dcz_encoding(Dictionary.of(last)), "pages")
    yield with_tables(samples)


class Bench:
    """The measured pages of one cut, in every form that is asked for."""

    def __init__(self, taken: Samples, cut: str, pages: Sequence[HistoryPage]) -> None:
        self._taken = taken
        self._cut = cut
        self._pages = pages
        taken.add(PROFILE, f"pages.{cut}", "count", [len(pages)])

    def sizes(self, form: str, encodings: Iterable[Encoding], *, runs: int = 0) -> None:
        """The bytes under every encoding, proved; with runs the seconds as well."""
        bodies = [encode_page(page, form) for page in self._pages]
        for each in encodings:
            encoded = [each.encode(body) for body in bodies]
            for body, data in zip(bodies, encoded, strict=True):
                if each.decode(data, max_bytes=len(body)) != body:
                    message = f"{each.name} does not give a {form} page back"
                    raise SystemExit(message)
            self._add("wire", "bytes", form, each, [sum(map(len, encoded))])
            if runs:
                works = {
                    "host.encode": lambda each=each: [each.encode(body) for body in bodies],
                    "client.decode": lambda each=each, encoded=encoded: [
                        each.decode(data, max_bytes=len(body))
                        for body, data in zip(bodies, encoded, strict=True)
                    ],
                }
                for stage, work in works.items():
                    self._add(stage, "seconds", form, each, [timed(work) for _ in range(runs)])

    def _add(
        self, stage: str, metric: str, form: str, encoding: Encoding, values: list[float]
    ) -> None:
        self._taken.add(
            PROFILE, f"{stage}.{self._cut}", metric, values, form=form, encoding=encoding.name
        )


def measure(runs: int) -> tuple[Samples, Input]:
    """All samples, and the log that they are of."""
    taken = Samples()
    sessions = [log_of(PROFILE, seed) for seed in OTHER_SEEDS]
    samples = samples_of(sessions)
    others = {"one": samples_of(sessions[:1])}
    del sessions
    others |= {name: samples_of([log_of(name, SEED)]) for name in OTHER_PROFILES}
    others["quick"] *= 4
    log = log_of(PROFILE, SEED)
    used = train_dictionary(samples)
    for name in ("identity", "br-5"):
        size = len(find_encoding(name).encode(used.content))
        taken.add(PROFILE, "dictionary", "bytes", [size], encoding=name)
    none = [find_encoding(name) for name in ("identity", "br-5", "zstd-3")]
    with_it = [dcz_encoding(used, level=level) for level in LEVELS]
    every = [*none, zstd_encoding(6), zstd_encoding(12), *with_it]
    bench = Bench(taken, "messages_50", pages_of(log, messages=50, events=None))
    for form in FORMS:
        bench.sizes(form, every)
    for events in EVENTS:
        cut = f"events_{events}"
        # As many messages as events: only the number of events cuts.
        bench = Bench(taken, cut, pages_of(log, messages=events, events=events)[::EVERY])
        if cut != COMPARED:
            for form in FORMS[1:]:
                bench.sizes(form, every)
            continue
        changed = list(variants(samples, others))
        for form in FORMS:
            bench.sizes(form, every, runs=runs)
        for form in SAMPLE_FORMS:
            bench.sizes(form, changed)
    return taken, describe_log(PROFILE, log, profile=PROFILE, seed=SEED)


def main() -> None:
    """Measure and save."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="of what is timed")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("results/reference/dictionaries.json")
    )
    options = parser.parse_args()
    taken, measured = measure(options.runs)
    save(
        options.output,
        settings={
            "runs": options.runs,
            "trained_on": [f"{PROFILE} {seed}" for seed in OTHER_SEEDS],
            "dictionary_bytes": DEFAULT_DICTIONARY_BYTES,
            "every": EVERY,
        },
        command=f"python benchmarks/dictionaries.py --runs {options.runs}",
        inputs=[measured],
        samples=taken,
    )


if __name__ == "__main__":
    main()
