"""The forms in which one interval can be shipped, as one table.

| form | lossless | what it is |
|---|---|---|
| raw | yes | one envelope for every logical event |
| projection | no | completed steps keep their first token and their message (`fold.projection`) |
| packed | yes | rows for runs of three or more, watermarks (note 000) |
| joined | yes | packed, with a row's texts and gaps as one string each |
| lean | yes | joined, without copies and lists that the page's rows tell anyway |

A form encodes a page, and reads one in two steps that a measurement keeps apart: `parse` lets a
native parser check the shape, `validate` proves the content.  What users would pick instead is
measured beside these, and never shipped (`measure.rivals`).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import Struct

from histbench.errors import LimitExceeded, UsageError
from histbench.fold.elided import FoldRecord
from histbench.fold.projection import project_records
from histbench.history.lean_encode import encode_lean
from histbench.history.page import HistoryPage
from histbench.history.raw import encode_raw, parse_raw, validate_raw
from histbench.history.wire import (
    encode_joined,
    encode_packed,
    parse_page,
    prove_page,
    validate_page,
)

__all__ = ["FORMS", "MAX_PAGE_BYTES", "Form", "decode_page", "encode_page"]

# Twice the raw page of the largest published sample.  A page that must be read value by value
# takes some thirty times its length in memory before it is refused.
MAX_PAGE_BYTES = 128 * 1024 * 1024


class Form(Struct, frozen=True):
    """One form: how a page becomes bytes, and how bytes become a page again.

    What is not JSON has no JSON values to be counted, and no JSON parser to be held against.
    """

    name: str
    lossless: bool
    description: str
    encode: Callable[[HistoryPage], bytes]
    parse: Callable[[bytes], Any]
    validate: Callable[[Any], HistoryPage]
    is_json: bool = True
    fold_records: Callable[[Any], tuple[FoldRecord, ...]] | None = None

    def prove(self, parsed: Any) -> tuple[FoldRecord, ...]:
        """The records of a parsed page for a fold; what `validate` refuses is refused alike.

        Of a lean page, they leave out what its rows tell anyway (`fold.elided`).
        """
        if self.fold_records is None:
            return self.validate(parsed).records
        return self.fold_records(parsed)


def _encode_projection(page: HistoryPage) -> bytes:
    kept = HistoryPage(
        records=tuple(project_records(page.records)),
        has_more=page.has_more,
        from_seq=page.from_seq,
        to_seq=page.to_seq,
        covered=False,
    )
    return encode_raw(kept)


FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form(
            name="raw",
            lossless=True,
            description="one envelope per logical event",
            encode=encode_raw,
            parse=parse_raw,
            validate=validate_raw,
        ),
        Form(
            name="projection",
            lossless=False,
            description="completed steps keep their first token and their message",
            encode=_encode_projection,
            parse=parse_raw,
            validate=partial(validate_raw, lossy=True),
        ),
        Form(
            name="packed",
            lossless=True,
            description="one row per run of three or more deltas",
            encode=encode_packed,
            parse=parse_page,
            validate=validate_page,
        ),
        Form(
            name="joined",
            lossless=True,
            description="packed, with a row's texts and gaps as one string each",
            encode=encode_joined,
            parse=parse_page,
            validate=validate_page,
        ),
        Form(
            name="lean",
            lossless=True,
            description="joined, without copies and seq lists that the page's rows tell anyway",
            encode=encode_lean,
            parse=parse_page,
            validate=validate_page,
            fold_records=prove_page,
        ),
    )
}


def _form(name: str) -> Form:
    try:
        return FORMS[name]
    except KeyError:
        raise UsageError(
            "unknown form", code="unknown_form", found=name, expected=", ".join(FORMS)
        ) from None


def encode_page(page: HistoryPage, form: str = "packed") -> bytes:
    """The wire bytes of a page.

    Raises:
        UsageError: no such form (`unknown_form`).
    """
    return _form(form).encode(page)


def decode_page(
    data: bytes, form: str = "packed", *, max_bytes: int | None = MAX_PAGE_BYTES
) -> HistoryPage:
    """The page that wire bytes hold, everything validated.

    Args:
        data: the page, decompressed.
        form: one of `FORMS`.
        max_bytes: how long `data` may be; None for any length.

    Raises:
        UsageError: no such form (`unknown_form`).
        LimitExceeded: `data` is longer (`page_too_large`); it was not looked at.
        InvalidPage, InvalidRow, InvalidEvent, InvalidJson: the bytes do not hold a page.
    """
    chosen = _form(form)
    if max_bytes is not None and len(data) > max_bytes:
        raise LimitExceeded(
            "the page is too large",
            code="page_too_large",
            found=len(data),
            expected=f"at most {max_bytes} bytes",
        )
    return chosen.validate(chosen.parse(data))
