"""From a method and a path to an operation and the values in its path.

The path is split before it is decoded, so that an id may hold any character, an escaped slash too,
and yet never reaches into another segment.  HEAD is answered wherever GET is, but for a stream.
"""

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from histbench.errors import UsageError
from histbench.serve.desk import Desk
from histbench.serve.message import Answer, Call
from histbench.serve.parameters import Parameter

__all__ = ["Operation", "find_operation"]

# An id of 255 characters, every one of them escaped.
_SEGMENT_BYTES = 1024


class Operation(Struct, frozen=True, kw_only=True):
    """One operation: how it is asked for, what answers it, and what the documentation says.

    `answer` is None for a stream, which `stream` makes.  `returns` names the schema of a 200;
    `body` that of the request.  `codes` are the error codes beside those that any request may meet.
    `with_dictionary` is for answers that are like those which dictionaries are trained on.
    """

    name: str
    template: str
    summary: str
    returns: str
    method: str = "GET"
    parameters: tuple[Parameter, ...] = ()
    body: str | None = None
    codes: tuple[str, ...] = ()
    answer: Callable[[Desk, Call], Answer] | None = None
    with_dictionary: bool = False

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that it answers."""
        whole = self.method == "GET" and self.answer is not None
        return ("GET", "HEAD") if whole else (self.method,)

    def match(self, segments: Sequence[str]) -> Mapping[str, str] | None:
        """The values in a path's segments; None when the path is another operation's."""
        pattern = self.template.split("/")[1:]
        if len(pattern) != len(segments):
            return None
        values: dict[str, str] = {}
        for part, segment in zip(pattern, segments, strict=True):
            if part.startswith("{"):
                values[part[1:-1]] = segment
            elif part != segment:
                return None
        return values


def find_operation(
    operations: Sequence[Operation], method: str, path: bytes
) -> tuple[Operation, Mapping[str, str]]:
    """The operation for a request, and its path's values.

    Raises:
        UsageError: `unknown_path`, `method_not_allowed` (`expected` lists the methods).
    """
    segments = _segments(path)
    found: list[tuple[Operation, Mapping[str, str]]] = []
    for operation in operations:
        values = operation.match(segments)
        if values is not None:
            found.append((operation, values))
    if not found:
        raise UsageError("no such path", code="unknown_path")
    for operation, values in found:
        if method in operation.methods:
            return operation, values
    methods = [each for operation, _ in found for each in operation.methods]
    raise UsageError(
        "the method is not for this path",
        code="method_not_allowed",
        expected=", ".join(methods),
    )


def _segments(path: bytes) -> list[str]:
    parts = path.split(b"/")[1:]
    try:
        segments = [unquote_to_bytes(part).decode() for part in parts]
    except UnicodeDecodeError:
        raise UsageError("no such path", code="unknown_path") from None
    if any(len(part) > _SEGMENT_BYTES for part in parts) or not all(segments):
        raise UsageError("no such path", code="unknown_path")
    return segments
