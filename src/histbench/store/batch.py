"""One batch of a log: events that continue it, as the bytes that are appended for them.

Delta runs are packed within the batch.  Compressed, a batch is one zstd frame of its own, with a
checksum, so that a reader can tell a batch that was written from one that was not.  (Facts:
session history, section 3.)
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import zstandard

from histbench.codec import pack_runs
from histbench.errors import InvalidEvent, Place
from histbench.events import KIND_BY_TAG, Event, safe_integer
from histbench.jsontext import encode_strictly, js_number
from histbench.rows import ListRow, Row

__all__ = ["ZSTD_LEVEL", "batch_lines", "check_batch", "compress_frame"]

# What Node's zstd writes by default, and so what the original's logs hold.
ZSTD_LEVEL = 3


def compress_frame(content: bytes, *, level: int = ZSTD_LEVEL) -> bytes:
    """`content` as one zstd frame with a checksum and its content size."""
    compressor = zstandard.ZstdCompressor(level=level, write_checksum=True)
    return compressor.compress(content)


def batch_lines(events: Iterable[Event], *, pack_chunks: bool = True) -> bytes:
    """The stored lines of one batch, each with its newline.

    Raises:
        InvalidJson: an event holds something that JSON cannot.
    """
    if not pack_chunks:
        return b"".join(encode_strictly(event) + b"\n" for event in events)
    return b"".join(
        (Row.of(record).json() if type(record) is ListRow else encode_strictly(record)) + b"\n"
        for record in pack_runs(events)
    )


def check_batch(batch: list[Any], *, next_seq: int, path: Path) -> None:
    """Raise InvalidEvent unless these are events that continue a log at `next_seq`.

    `append_seq` names the first that does not continue it, `append_event` a value that could not
    be read back as the event it is.
    """
    for index, event in enumerate(batch):
        expected = next_seq + index
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            raise InvalidEvent(
                f"value {index} of the batch is no event",
                code="append_event",
                found=event,
                expected="an object with a type",
            )
        if safe_integer(event.get("seq")) != expected:
            raise InvalidEvent(
                f"event {index} of the batch does not continue the log",
                code="append_seq",
                where=Place(file=str(path), seq=expected),
                found=event.get("seq"),
                expected=f"seq {expected}",
            )
        if js_number(event.get("time")) is None:
            raise InvalidEvent(
                f"event {index} of the batch has no time",
                code="append_event",
                where=Place(seq=expected),
                found=event.get("time"),
                expected="a number",
            )
        if event["type"] in KIND_BY_TAG:
            # It would be read back as a row, or refused as a bad one.
            raise InvalidEvent(
                f"event {index} of the batch has the type of a packed row",
                code="append_event",
                where=Place(seq=expected),
                found=event["type"],
            )
