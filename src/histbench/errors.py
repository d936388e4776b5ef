"""Every error that histbench raises on purpose, and the codes outsiders match on.

    HistbenchError
    ├─ UsageError            the call is wrong                          (CLI exit code 2)
    └─ InvalidData           the bytes or values are wrong              (CLI exit code 1)
       ├─ InvalidJson        not JSON, or JSON that no reader may hold
       ├─ InvalidEvent       a value that is no session event
       ├─ InvalidRow         one of the refusals of a packed row
       ├─ InvalidLog         a session file that cannot be read as one
       ├─ InvalidPage        a history response that does not hold what it says
       ├─ InvalidTranscript  a record file that cannot be paged as one
       ├─ InvalidCursor      a cursor, anchor or token that this reader did not give out
       ├─ SnapshotUnavailable what a cursor froze is no longer there
       ├─ InvalidStream      a recorded stream that no importer can read
       ├─ InvalidResults     a results file that cannot be read as one
       ├─ LimitExceeded      input that would expand past a stated bound
       ├─ StorageError       the file system refused: missing, denied, full, locked
       └─ RequestFailed      a daemon refused a request, or could not be reached

Rules.  `code` is a stable wire string in snake_case; messages may be reworded, codes may not.
`where` is a Place; a layer that knows more about the place than the one below adds it with `at`
and re-raises the same error.  `found` and `expected` stand in the message, kept short so that a
payload never floods a terminal.  This module imports nothing of ours, so everything may import it.
"""

from typing import Any, ClassVar, Self

__all__ = [
    "HistbenchError",
    "InvalidCursor",
    "InvalidData",
    "InvalidEvent",
    "InvalidJson",
    "InvalidLog",
    "InvalidPage",
    "InvalidResults",
    "InvalidRow",
    "InvalidStream",
    "InvalidTranscript",
    "LimitExceeded",
    "Place",
    "RequestFailed",
    "SnapshotUnavailable",
    "StorageError",
    "UsageError",
    "short",
]

# Distinguishes "nothing to show" from a found None, which JSON calls null.
_NOTHING = object()

# Long enough to recognise a value by, short enough for one terminal line.
_SHOWN_CHARACTERS = 60


def short(value: object) -> str:
    """`value` as one short printable line, for use in messages.

    >>> short("x" * 100) == "'" + "x" * 59 + "…"
    True
    """
    if isinstance(value, str | bytes | bytearray) and len(value) > _SHOWN_CHARACTERS:
        value = value[: _SHOWN_CHARACTERS + 1]
    # ascii() so that neither a lone surrogate nor a bidi mark reaches a terminal.
    text = ascii(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"


class Place:
    """Where something was found: any of file, line (from 1), byte (from 0), seq and record id."""

    __slots__ = ("byte", "file", "line", "record", "seq")

    def __init__(
        self,
        *,
        file: str | None = None,
        line: int | None = None,
        byte: int | None = None,
        seq: int | None = None,
        record: str | None = None,
    ) -> None:
        self.file = file
        self.line = line
        self.byte = byte
        self.seq = seq
        self.record = record

    def merged(self, **known: Any) -> "Place":
        """This place with the gaps, and only the gaps, filled from `known`."""
        values = {name: getattr(self, name) for name in self.__slots__}
        for name, value in known.items():
            if values[name] is None:
                values[name] = value
        return Place(**values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Place):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__slots__))

    def __repr__(self) -> str:
        known = (
            f"{name}={getattr(self, name)!r}" for name in ("file", "line", "byte", "seq", "record")
        )
        return f"Place({', '.join(part for part in known if not part.endswith('=None'))})"

    def __str__(self) -> str:
        parts = [] if self.file is None else [self.file]
        for name in ("line", "byte", "seq", "record"):
            value = getattr(self, name)
            if value is not None:
                parts.append(f"{name} {value}")
        return ", ".join(parts)


class HistbenchError(Exception):
    """The root: a code, a place, what was found and what was expected."""

    default_code: ClassVar[str] = "histbench_error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        where: Place | None = None,
        found: object = _NOTHING,
        expected: str | None = None,
    ) -> None:
        self.code = code or self.default_code
        self.message = message
        self.where = where or Place()
        self.found = found
        self.expected = expected
        super().__init__(message)

    def at(self, **known: Any) -> Self:
        """The same error with what the caller knows of the place added; nothing is overwritten."""
        self.where = self.where.merged(**known)
        return self

    def __str__(self) -> str:
        place = str(self.where)
        text = f"{place}: {self.message}" if place else self.message
        details = []
        if self.found is not _NOTHING:
            details.append(f"found {short(self.found)}")
        if self.expected is not None:
            details.append(f"expected {self.expected}")
        return f"{text} ({', '.join(details)})" if details else text


class UsageError(HistbenchError):
    """The caller asked for something that cannot be asked for."""

    default_code = "bad_usage"


class InvalidData(HistbenchError):  # noqa: N818 - the leaves say what is invalid
    """The input is wrong; the call was right."""

    default_code = "invalid_data"


class InvalidJson(InvalidData):
    """Text that is not JSON, nests too deeply, or a value that JSON cannot hold."""

    default_code = "invalid_json"


class InvalidEvent(InvalidData):
    """A value that lacks what every session event has."""

    default_code = "invalid_event"


class InvalidRow(InvalidData):
    """A packed row that breaks one of the twelve rules of the row grammar (see `rows`)."""

    default_code = "invalid_row"


class InvalidLog(InvalidData):
    """A file that is no session log, or one damaged where no reader may guess."""

    default_code = "invalid_log"


class InvalidPage(InvalidData):
    """A history response whose records do not cover exactly the interval it names."""

    default_code = "invalid_page"


class InvalidTranscript(InvalidData):
    """A file of conversation records in which no reader could follow a conversation."""

    default_code = "invalid_transcript"


class InvalidCursor(InvalidData):
    """A cursor, an anchor or a snapshot token that was forged, cut, given to another or misused."""

    default_code = "invalid_transcript_cursor"


class SnapshotUnavailable(InvalidData):
    """The file that a cursor froze was replaced, cut, archived, deleted, or lost its active leaf."""

    default_code = "transcript_snapshot_unavailable"


class InvalidStream(InvalidData):
    """A recorded stream of a kind that nobody knows, or one that contradicts itself."""

    default_code = "invalid_stream"


class InvalidResults(InvalidData):
    """A results file of another kind, another schema version, or with damaged content."""

    default_code = "invalid_results"


class LimitExceeded(InvalidData):
    """Input that would grow past a bound; nothing of it was kept in memory beyond the bound."""

    default_code = "limit_exceeded"


class StorageError(InvalidData):
    """The file system did not give or take the bytes."""

    default_code = "storage_error"


class RequestFailed(InvalidData):
    """A daemon's refusal, under the code that the daemon gave, or a connection that failed.

    `status` is the HTTP status, None where there was no answer.
    """

    default_code = "request_failed"
    status: int | None = None
