"""The results file: JSON, one sample a line.

One sample a line, keys always in the same order, maps sorted: a diff of two files shows the
numbers that changed.  A file of another kind, of a newer schema, cut short, or holding what the
schema does not allow is refused as InvalidResults with the place; nothing is guessed.

A save is atomic: the new content is complete and on disk under another name before it takes the
place of the old, so an interrupted run leaves the old file or none, never half a one.
"""

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from histbench.errors import InvalidResults, Place, StorageError
from histbench.results.model import SCHEMA, SCHEMA_VERSION, Results

__all__ = ["load_results", "render_results", "save_results"]

_decoder = msgspec.json.Decoder(Results)
_encoder = msgspec.json.Encoder()
_BYTE = re.compile(r" \(byte (\d+)\)$")


def load_results(path: str | os.PathLike[str]) -> Results:
    """The results in the file at `path`.

    Raises:
        StorageError: the file cannot be read.
        InvalidResults: `not_results` for another kind of file, `unsupported_version` for a newer
            schema, `invalid_results` for damage; `where` names the file and the byte or field.
    """
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise _refused(error, path) from error
    try:
        _check_kind(text)
        return _decoder.decode(text)
    except InvalidResults as error:
        error.at(file=os.fspath(path))
        raise
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _damaged(error).at(file=os.fspath(path)) from error


def _check_kind(text: bytes) -> None:
    """Tell a foreign or newer file from a damaged one before the schema is applied."""
    found: Any = msgspec.json.decode(text)
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        kind = found.get("schema") if isinstance(found, dict) else type(found).__name__
        raise InvalidResults(
            "not a results file", code="not_results", found=kind, expected=f"schema {SCHEMA!r}"
        )
    version = found.get("version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise InvalidResults(
            "written by a newer histbench",
            code="unsupported_version",
            found=version,
            expected=f"schema version {SCHEMA_VERSION}",
        )


def _damaged(error: Exception) -> InvalidResults:
    text = str(error)
    byte = _BYTE.search(text)
    place = Place(byte=int(byte[1])) if byte else None
    return InvalidResults(f"damaged: {_BYTE.sub('', text)}", where=place)


def render_results(results: Results) -> bytes:
    """`results` as the text of a results file, the same bytes for the same results."""
    parts = []
    for name in results.__struct_fields__:
        value = getattr(results, name)
        if isinstance(value, dict):
            value = dict(sorted(value.items()))
        if isinstance(value, tuple):
            lines = b",\n".join(b"    " + _encoder.encode(each) for each in value)
            body = b"[\n" + lines + b"\n  ]" if value else b"[]"
        else:
            body = msgspec.json.format(_encoder.encode(value), indent=2).replace(b"\n", b"\n  ")
        parts.append(b'  "' + name.encode() + b'": ' + body)
    return b"{\n" + b",\n".join(parts) + b"\n}\n"


def save_results(results: Results, path: str | os.PathLike[str]) -> None:
    """Write `results` to `path`, replacing what is there only once all of it is on disk.

    Raises:
        StorageError: the file cannot be written; what was there before is untouched.
    """
    target = Path(path)
    try:
        # Beside the target: a rename is atomic only within one file system.
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(render_results(results))
                file.flush()
                os.fsync(file.fileno())
            # mkstemp gives 0600; a results file is for colleagues.
            Path(temporary).chmod(_created_mode())
            Path(temporary).replace(target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        raise _refused(error, path) from error


def _refused(error: OSError, path: str | os.PathLike[str]) -> StorageError:
    reason = error.strerror or type(error).__name__
    return StorageError(reason[:1].lower() + reason[1:], where=Place(file=os.fspath(path)))


def _created_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
