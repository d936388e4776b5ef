"""Query parameters: one table for each operation says what may be given, and this reads it.

What the table does not name is refused, and so is what is given twice: of two values none is the
right one, and a parameter that is silently ignored is a filter that silently does not filter.  The
faults are looked for in this order: the text of the query, unknown names, repeated names, then the
values in the order of the table.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import parse_qsl

from msgspec import Struct

from histbench.errors import UsageError
from histbench.events import MAX_SAFE_INTEGER

__all__ = ["Parameter", "read_query"]

_DIGITS = re.compile(r"[0-9]{1,16}\Z")
_MOST_FIELDS = 32


class Parameter(Struct, frozen=True, kw_only=True):
    """One parameter of a query; `code` is what a value that it cannot have is refused with.

    Integers are decimal digits within `minimum` and `maximum`; texts have 1 to `max_length`
    characters; a choice is one of `choices`.
    """

    name: str
    description: str
    kind: Literal["integer", "text", "choice"] = "integer"
    code: str = "bad_parameter"
    minimum: int = 0
    maximum: int = MAX_SAFE_INTEGER
    max_length: int = 200
    choices: tuple[str, ...] = ()
    default: int | str | None = None
    required: bool = False

    def read(self, text: str) -> int | str:
        """The value that `text` stands for.

        Raises:
            UsageError: under the parameter's own code.
        """
        if self.kind == "integer":
            if _DIGITS.match(text) and self.minimum <= int(text) <= self.maximum:
                return int(text)
            expected = f"an integer from {self.minimum} to {self.maximum}"
        elif self.kind == "choice":
            if text in self.choices:
                return text
            expected = f"one of {', '.join(self.choices)}"
        else:
            if 1 <= len(text) <= self.max_length and text.isprintable():
                return text
            expected = f"1 to {self.max_length} printable characters"
        raise UsageError(f"bad {self.name}", code=self.code, found=text, expected=expected)


def read_query(query: bytes, parameters: Sequence[Parameter]) -> Mapping[str, Any]:
    """The value of every parameter of the table, from the query of a request.

    Raises:
        UsageError: `bad_request`, `unknown_parameter`, `repeated_parameter`, `missing_parameter`,
            or a parameter's own code.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError as error:
        raise UsageError("the query cannot be read", code="bad_request") from error
    known = {parameter.name for parameter in parameters}
    given: dict[str, str] = {}
    for name, _ in pairs:
        if name not in known:
            raise UsageError(
                "unknown parameter",
                code="unknown_parameter",
                found=name,
                expected=", ".join(sorted(known)) or "no parameters",
            )
    for name, text in pairs:
        if name in given:
            raise UsageError("given twice", code="repeated_parameter", found=name)
        given[name] = text
    values: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.name in given:
            values[parameter.name] = parameter.read(given[parameter.name])
        elif parameter.required:
            raise UsageError("missing", code="missing_parameter", expected=parameter.name)
        else:
            values[parameter.name] = parameter.default
    return values
