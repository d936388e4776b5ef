"""What somebody would reach for instead of the forms of `history`: arms of the benchmark only.

| rival | what it is |
|---|---|
| columns | JSON; a row's texts as one string, and their lengths in a column of their own |
| msgpack | the packed page in MessagePack, events as values |
| parquet | one table, a line for each record, columns encoded by Parquet and not compressed |

Each is lossless, and proves it as any other form does.  No host offers them and no client asks for
them.

heads     what a page says besides its records; records as JSON text, for what a rival cannot hold
columns   message_pack   tables   the three
"""

from collections.abc import Mapping
from importlib.util import find_spec

from histbench.errors import UsageError
from histbench.history import FORMS, Form
from histbench.measure.rivals.columns import encode_columns, parse_columns, validate_columns
from histbench.measure.rivals.message_pack import (
    encode_message_pack,
    parse_message_pack,
    validate_message_pack,
)
from histbench.measure.rivals.tables import encode_table, parse_table, validate_table

__all__ = ["ALL_FORMS", "RIVALS", "find_form", "missing_library"]

RIVALS: Mapping[str, Form] = {
    form.name: form
    for form in (
        Form(
            name="columns",
            lossless=True,
            description="a row's texts as one string, their lengths as another",
            encode=encode_columns,
            parse=parse_columns,
            validate=validate_columns,
        ),
        Form(
            name="msgpack",
            lossless=True,
            description="the packed page in MessagePack",
            encode=encode_message_pack,
            parse=parse_message_pack,
            validate=validate_message_pack,
            is_json=False,
        ),
        Form(
            name="parquet",
            lossless=True,
            description="a Parquet table with a line for each record of the packed page",
            encode=encode_table,
            parse=parse_table,
            validate=validate_table,
            is_json=False,
        ),
    )
}

ALL_FORMS: Mapping[str, Form] = {**FORMS, **RIVALS}

# The library that a rival needs, and the extra that installs it.
_LIBRARIES = {"parquet": ("pyarrow", "corpus")}


def find_form(name: str) -> Form:
    """The form or rival called `name`; UsageError (`unknown_form`) that lists the names otherwise."""
    try:
        return ALL_FORMS[name]
    except KeyError:
        known = ", ".join(ALL_FORMS)
        raise UsageError(
            "no such form", code="unknown_form", found=name, expected=f"one of {known}"
        ) from None


def missing_library(name: str) -> str | None:
    """Why the form called `name` cannot be made here; None when it can."""
    library, extra = _LIBRARIES.get(name, ("", ""))
    if not library or find_spec(library) is not None:
        return None
    return f"{library}, of the extra `{extra}`, is not installed"
