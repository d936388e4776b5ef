"""What one input is: the file, its log as a dense page, and the proof that every form holds it.

A benchmark measures a file, and says which: its SHA-256 is taken when the file is read and must
still be the same when the last sample is in.  Files are named by their last component only.

Nothing is timed before every lossless form has proved its round trip: what `parse` and `validate`
make of the encoded page has, event by event, the JSON text of the log's own events, and
folds, by rows and by compact inputs, to the state of the log's records.  A form that fails is an error and no number.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Literal, Self

import msgspec

from histbench import jsontext
from histbench.errors import InvalidData, InvalidLog, InvalidPage, Place, StorageError
from histbench.events import Event
from histbench.fold import compact_inputs, fold_pair
from histbench.history import Form, HistoryPage, whole_page
from histbench.log import Diagnostic, EventLog
from histbench.measure.stored import StoredInput, clock_of
from histbench.records import Plain, record_events
from histbench.results import Input
from histbench.store import read_log
from histbench.store.frames import is_zstd

__all__ = ["Proof", "Source", "Subject"]

_encoder = msgspec.json.Encoder()

# Events that one digest stands for; bounds the text that a proof holds at a time.
_PROVED_AT_ONCE = 4096


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where an input lies and what it is called.

    `name` stands for the file in the results; `profile` and `seed` tell what generated it.
    `format` forces an importer; for None the content decides.  `log` is where the log of a table
    lies, which whoever made the source made.
    """

    path: str
    name: str
    origin: Literal["file", "profile"] = "file"
    profile: str | None = None
    seed: int | None = None
    format: str | None = None
    log: str | None = None

    @property
    def stored(self) -> str:
        """Where what is read lies: the file, or the log of a table."""
        return self.path if self.log is None else self.log

    @classmethod
    def of_file(cls, path: str | os.PathLike[str], *, format: str | None = None) -> Self:  # noqa: A002
        """A file of somebody's, named by its last component."""
        # A Windows path on another system is one component; its folders are nobody's business.
        name = os.fspath(path).replace("\\", "/").rstrip("/").rpartition("/")[2]
        return cls(path=os.fspath(path), name=_printable(name) or "input", format=format)


def _printable(name: str) -> str:
    """`name` without what a terminal would act on or UTF-8 cannot carry."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """One input, read: its description, its log made dense, and all of that as one page.

    `stored_path` is where the stages of the host find the log.
    """

    source: Source
    described: Input
    log: EventLog
    page: HistoryPage
    stored_path: str

    @classmethod
    def read(
        cls, source: Source, *, stored: StoredInput | None = None, allow_torn: bool = False
    ) -> Self:
        """The subject in `source`'s file, a session log or, with `stored`, what that says.

        A text log may end inside its last line, as one does while it is written.  A compressed one
        that ends inside a frame was cut off, and what is left of it is measured only on request.

        Raises:
            InvalidData: the file cannot be read as a log, or was cut off (`torn_tail`); `where`
                names the file.
        """
        sha256, size = _digest_file(source.path)
        stored_path = source.path if stored is None else stored.path
        log = read_log(stored_path).renumbered()
        noted = (*log.diagnostics, *(() if stored is None else stored.diagnostics))
        if not allow_torn and _is_compressed(source.path):
            _refuse_torn(noted, len(log))
        ordinary = sum(isinstance(record, Plain) for record in log.records())
        described = Input(
            name=source.name,
            origin=source.origin,
            profile=source.profile,
            seed=source.seed,
            sha256=sha256,
            bytes=size,
            events=len(log),
            ordinary=ordinary,
            rows=len(log.records()) - ordinary,
            diagnostics=dict(sorted(Counter(each.code for each in noted).items())),
            format=None if stored is None else stored.format,
            clock=None if stored is None else clock_of(log),
        )
        return cls(
            source=source,
            described=described,
            log=log,
            page=whole_page(log),
            stored_path=stored_path,
        )

    def check_unchanged(self) -> None:
        """Raise InvalidData (`input_changed`) if the file is no longer the one that was read."""
        sha256, size = _digest_file(self.source.path)
        if sha256 != self.described.sha256:
            raise InvalidData(
                "the file changed while it was measured",
                code="input_changed",
                where=Place(file=self.source.path),
                found=f"{size:,} bytes",
                expected=f"the {self.described.bytes:,} bytes that were read",
            )


def _refuse_torn(noted: Iterable[Diagnostic], events: int) -> None:
    for diagnostic in noted:
        if diagnostic.code == "torn_tail":
            raise InvalidLog(
                f"{diagnostic.message}; --torn measures the {events:,} events before it",
                code="torn_tail",
                where=Place(line=diagnostic.line, byte=diagnostic.byte),
            )


def _is_compressed(path: str) -> bool:
    with Path(path).open("rb") as file:
        return is_zstd(file.read(4))


def _digest_file(path: str) -> tuple[str, int]:
    """SHA-256 and length of a file's bytes; StorageError if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
            return digest.hexdigest(), file.tell()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StorageError(reason[:1].lower() + reason[1:], where=Place(file=path)) from error


class Proof:
    """Proves forms against one log, whose own events are looked at once."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._digests = list(_digests(log))
        self._folded = fold_pair(log.records())

    def check(self, form: Form, data: bytes) -> None:
        """Raise InvalidPage (`not_lossless`) unless `data` in `form` holds exactly the log."""
        page = form.validate(form.parse(data))
        events = chain.from_iterable(map(record_events, page.records))
        pairs = zip_longest(_digests(events), self._digests)
        for number, (found, expected) in enumerate(pairs):
            if found != expected:
                raise self._lost(form, number * _PROVED_AT_ONCE, "events differ near here")
        compact = fold_pair(compact_inputs(page.records))
        if (
            fold_pair(page.records) != self._folded
            or compact.without_counts() != self._folded.without_counts()
        ):
            raise self._lost(form, 0, "the folded state differs")

    def _lost(self, form: Form, position: int, problem: str) -> InvalidPage:
        return InvalidPage(
            f"form {form.name} does not give the log back: {problem}",
            code="not_lossless",
            where=Place(seq=self._log.from_seq + position),
        )


def _digests(events: Iterable[Event]) -> Iterator[bytes]:
    """One digest for every `_PROVED_AT_ONCE` events, of their JSON text."""
    source = iter(events)
    while block := list(islice(source, _PROVED_AT_ONCE)):
        try:
            text = _encoder.encode(block)
        except UnicodeEncodeError:
            # A lone surrogate, which only the slow writer can write.
            text = jsontext.encode(block)
        yield hashlib.sha256(text).digest()
