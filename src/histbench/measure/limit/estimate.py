"""What the parts of a log need at best, and how far each form is from the sum.

Each stream is compressed by itself by the strongest settings of three libraries, and the least
counts.  Where a text ends is told in two ways, by a mark in the text or by a column of lengths,
and the cheaper one counts: `boundaries` is what `marked` needs more than `text`, or what `lengths`
needs.  The sum is an estimate from above, since a better compressor may be found any day; it is
what these libraries would need if no form had any overhead.

Before anything is compressed, the log is put together again from its streams and compared.
"""

import lzma
from collections.abc import Callable, Iterator

import brotli
import numpy as np
import zstandard
from msgspec import Struct

from histbench.encodings import ENCODINGS
from histbench.errors import InvalidLog, Place
from histbench.history import whole_page
from histbench.log import EventLog
from histbench.measure.limit.bounds import Entropy, entropy_of
from histbench.measure.limit.streams import Streams, join_streams, split_log
from histbench.measure.plan import SLOW_PAGE_BYTES, Progress
from histbench.measure.rivals import RIVALS, find_form, missing_library
from histbench.records import Plain

__all__ = [
    "COMPRESSORS",
    "FormSize",
    "LimitEstimate",
    "PartEstimate",
    "StreamSize",
    "estimate_limit",
]

_ZSTD_WINDOW = 27
_BROTLI_WINDOW = 24

# As `histbench inspect`: beyond, a raw page is larger than a machine may have room for.
_SIZED_EVENTS = 1_000_000
_FORMS = ("raw", "packed", "joined", "lean", *RIVALS)
_ENCODINGS = ("identity", "br-5", "zstd-3", "br-11")


def _brotli_11(data: bytes) -> bytes:
    compressed: bytes = brotli.compress(data, quality=11, lgwin=_BROTLI_WINDOW)
    return compressed


def _zstd_19(data: bytes) -> bytes:
    parameters = zstandard.ZstdCompressionParameters.from_level(
        19, window_log=_ZSTD_WINDOW, write_checksum=False, write_content_size=False
    )
    return zstandard.ZstdCompressor(compression_params=parameters).compress(data)


def _xz_9(data: bytes) -> bytes:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    return lzma.compress(data, format=lzma.FORMAT_RAW, filters=filters)


# Containers and checksums are left out: what tells nothing of the log counts for nothing.
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "br-11": _brotli_11,
    "zstd-19": _zstd_19,
    "xz-9e": _xz_9,
}

METHOD = (
    "each stream by itself under br-11 (24-bit window), zstd-19 (27-bit window) and xz-9e, and "
    "the least of them; boundaries by a mark in the text or by a column of lengths, the cheaper"
)


class StreamSize(Struct, frozen=True, kw_only=True):
    """One stream: its bytes, and what each compressor makes of them (None: left out as too slow).

    `best` names the compressor that needs least; `entropy` is that of its symbols, where it has
    such.
    """

    name: str
    plain: int
    compressed: dict[str, int | None]
    best: str
    entropy: Entropy | None = None

    @property
    def least(self) -> int:
        """The bytes under the best compressor."""
        return self.compressed[self.best] or 0


class PartEstimate(Struct, frozen=True, kw_only=True):
    """One part of the limit, the bytes it needs at best, and what that was taken from."""

    name: str
    bytes: int
    by: str


class FormSize(Struct, frozen=True, kw_only=True):
    """A form's or rival's bytes by encoding; None where the encoding was left out as too slow."""

    form: str
    bytes: dict[str, int | None]


class LimitEstimate(Struct, frozen=True, kw_only=True):
    """The limit of one log: parts that add up to `limit_bytes`, and the distances of forms.

    `boundary_bytes` tells both ways of telling boundaries.  `forms` is empty for a log of more
    than a million events, unless everything was asked for; a rival is left out whose library is
    not installed.
    """

    method: str
    libraries: dict[str, str]
    events: int
    deltas: int
    ordinary: int
    runs: int
    limit_bytes: int
    parts: list[PartEstimate]
    boundary_bytes: dict[str, int]
    streams: list[StreamSize]
    forms: list[FormSize]


def estimate_limit(
    log: EventLog, *, full: bool = False, progress: Progress | None = None
) -> LimitEstimate:
    """The limit of a log, which is renumbered if its seqs have holes.

    Memory is that of the packed log, its streams, and one page in one form.

    Args:
        log: any log.
        full: also what takes minutes: slow compressors past `SLOW_PAGE_BYTES`, and the forms of a
            log of more than a million events.
        progress: told of each step.

    Raises:
        InvalidLog: the streams do not give the log back (`not_lossless`).
    """
    log = log.renumbered()
    streams = split_log(log)
    if join_streams(streams) != log:
        raise InvalidLog(
            "the streams do not give the log back",
            code="not_lossless",
            where=Place(seq=log.from_seq),
        )
    told = _Steps(progress, sized=full or len(log) <= _SIZED_EVENTS)
    sizes = {
        name: _stream_size(name, data, symbols, told, full=full)
        for name, data, symbols in _named(streams)
    }
    parts, boundaries = _parts(sizes)
    forms = list(_form_sizes(log, told, full=full))
    told.finish()
    ordinary = sum(isinstance(record, Plain) for record in log.records())
    return LimitEstimate(
        method=METHOD,
        libraries={
            "brotli": brotli.__version__,
            "zstd": ".".join(map(str, zstandard.ZSTD_VERSION)),
        },
        events=len(log),
        deltas=streams.deltas,
        ordinary=ordinary,
        runs=len(log.records()) - ordinary,
        limit_bytes=sum(part.bytes for part in parts),
        parts=parts,
        boundary_bytes=boundaries,
        streams=list(sizes.values()),
        forms=forms,
    )


class _Steps:
    """Tells what is done next: a step for each stream under each compressor, and for each form."""

    def __init__(self, progress: Progress | None, *, sized: bool) -> None:
        self.forms = [each for each in _FORMS if missing_library(each) is None] if sized else []
        self._progress = progress
        self._done = 0
        self._all = 5 * len(COMPRESSORS) + len(self.forms) * len(_ENCODINGS)

    def next(self, label: str) -> None:
        if self._progress is not None:
            self._progress(self._done, self._all, label)
        self._done += 1

    def finish(self) -> None:
        if self._progress is not None:
            self._progress(self._all, self._all, "done")


def _named(streams: Streams) -> Iterator[tuple[str, bytes, np.ndarray | None]]:
    text = streams.text
    yield "text", text, np.frombuffer(text, np.uint8)
    yield "marked", streams.marked, None
    yield "lengths", streams.lengths, np.array(streams.length_values, np.int64)
    yield "gaps", streams.gaps, np.array(streams.gap_values, np.int64)
    yield "rest", streams.rest, None


def _stream_size(
    name: str, data: bytes, symbols: np.ndarray | None, told: _Steps, *, full: bool
) -> StreamSize:
    compressed: dict[str, int | None] = {}
    for compressor, compress in COMPRESSORS.items():
        told.next(f"{name} {compressor}")
        # The others take a few seconds for what brotli takes a minute for.
        slow = compressor == "br-11" and len(data) > SLOW_PAGE_BYTES and not full
        compressed[compressor] = None if slow else len(compress(data)) if data else 0
    taken = {each: size for each, size in compressed.items() if size is not None}
    return StreamSize(
        name=name,
        plain=len(data),
        compressed=compressed,
        best=min(taken, key=taken.__getitem__),
        entropy=None if symbols is None else entropy_of(symbols),
    )


def _parts(sizes: dict[str, StreamSize]) -> tuple[list[PartEstimate], dict[str, int]]:
    text, marked, lengths = sizes["text"], sizes["marked"], sizes["lengths"]
    # A compressor may gain from the marks; the text then costs what is left.
    boundaries = {"marks": marked.least - text.least, "lengths": lengths.least}
    way = min(boundaries, key=boundaries.__getitem__)
    by = f"marked less text, {marked.best}" if way == "marks" else f"lengths, {lengths.best}"
    return [
        PartEstimate(name="text", bytes=text.least, by=f"text, {text.best}"),
        PartEstimate(name="boundaries", bytes=boundaries[way], by=by),
        *(
            PartEstimate(name=name, bytes=sizes[name].least, by=f"{name}, {sizes[name].best}")
            for name in ("gaps", "rest")
        ),
    ], boundaries


def _form_sizes(log: EventLog, told: _Steps, *, full: bool) -> Iterator[FormSize]:
    page = whole_page(log)
    for form in told.forms:
        data = find_form(form).encode(page)
        sizes: dict[str, int | None] = {}
        for name in _ENCODINGS:
            told.next(f"{form} {name}")
            encoding = ENCODINGS[name]
            slow = encoding.slow and len(data) > SLOW_PAGE_BYTES and not full
            sizes[name] = None if slow else len(encoding.encode(data))
        yield FormSize(form=form, bytes=sizes)
