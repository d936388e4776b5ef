"""What a measurement is told to do, and how far it has come.

br-11 and zstd-19 take minutes on a raw page (170 and 70 s on 65 MB).  They are timed once instead
of `runs` times, and on pages beyond SLOW_PAGE_BYTES only when the plan is `full`.
"""

from collections.abc import Callable, Iterable
from typing import Self

import msgspec

from histbench.encodings import ENCODINGS, Encoding, find_encoding
from histbench.errors import UsageError
from histbench.history import FORMS, Form
from histbench.measure.rivals import ALL_FORMS, find_form, missing_library

__all__ = ["EVERY_FORM", "SLOW_PAGE_BYTES", "Plan", "Progress", "Steps"]

# At 1 to 3 s for each MB a slow encoder stays under a minute here.
SLOW_PAGE_BYTES = 16_000_000

# What stands for all forms and rivals in a list of names.
EVERY_FORM = "all"

# Called with the steps done, the steps in all, and what the next one is.
Progress = Callable[[int, int, str], None]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure, and how often; `memory_samples` 0 leaves memory out.

    `clients` are those measured beside Python's own, which always is.  `missing` are forms that
    were asked for and cannot be made here, with the reason.
    """

    forms: tuple[Form, ...]
    encodings: tuple[Encoding, ...]
    runs: int = 3
    warm_up: int = 0
    memory_samples: int = 3
    full: bool = False
    gc_enabled: bool = True
    allow_torn: bool = False
    clients: tuple[str, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_names(
        cls,
        *,
        forms: Iterable[str] | None = None,
        encodings: Iterable[str] | None = None,
        runs: int = 3,
        warm_up: int = 0,
        memory_samples: int = 3,
        full: bool = False,
        gc_enabled: bool = True,
        allow_torn: bool = False,
        clients: Iterable[str] = (),
    ) -> Self:
        """The plan for these names, in the order of their tables.

        For None, all encodings, and the forms that hosts ship or shipped: rivals only on request,
        by name or as `all`.  `identity` is always among the encodings: every size is told beside
        the plain one.

        Raises:
            UsageError: `unknown_form`, `unknown_encoding` or `bad_runs`; `missing_extra`, no form
                is left that can be made here.
        """
        if runs < 1 or warm_up < 0 or memory_samples < 0:
            raise UsageError(
                "not a number of runs", code="bad_runs", found=runs, expected="at least 1"
            )
        asked = list(FORMS if forms is None else forms)
        wanted = [find_form(name) for name in (ALL_FORMS if EVERY_FORM in asked else asked)]
        reasons = [(form.name, missing_library(form.name)) for form in wanted]
        missing = {name: reason for name, reason in reasons if reason is not None}
        chosen = [form for form in ALL_FORMS.values() if form in wanted]
        if missing and len(missing) == len(chosen):
            raise UsageError(
                *missing.values(), code="missing_extra", expected="pip install 'histbench[corpus]'"
            )
        encoded = [find_encoding(name) for name in (ENCODINGS if encodings is None else encodings)]
        encoded.append(find_encoding("identity"))
        return cls(
            forms=tuple(form for form in chosen if form.name not in missing),
            encodings=tuple(each for each in ENCODINGS.values() if each in encoded),
            runs=runs,
            warm_up=warm_up,
            memory_samples=memory_samples,
            full=full,
            gc_enabled=gc_enabled,
            allow_torn=allow_torn,
            clients=tuple(dict.fromkeys(each for each in clients if each != "python")),
            missing=tuple(missing.items()),
        )

    def skips(self, encoding: Encoding, page_bytes: int) -> bool:
        """Whether `encoding` would take too long on a page of this size."""
        return encoding.slow and page_bytes > SLOW_PAGE_BYTES and not self.full

    def settings(self) -> dict[str, str | int | float | bool | list[str] | None]:
        """The plan as a results file tells it, with the parameters that names do not hold."""
        parameters = {
            f"parameters.{each.name}": " ".join(
                [each.library, *(f"{name}={value}" for name, value in each.parameters.items())]
            )
            for each in self.encodings
        }
        return {
            "forms": [form.name for form in self.forms],
            "encodings": [each.name for each in self.encodings],
            "runs": self.runs,
            "warm_up": self.warm_up,
            "memory_samples": self.memory_samples,
            "full": self.full,
            **({"clients": list(self.clients)} if self.clients else {}),
            **{
                f"dictionary.{each.name}": each.dictionary
                for each in self.encodings
                if each.dictionary
            },
            **parameters,
        }


class Steps:
    """Counts steps and tells whoever watches; a step is one turn of an arm, or the like."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total = total
        self._done = 0
        self._progress = progress

    def next(self, label: str) -> None:
        """Announce the next step."""
        if self._progress is not None:
            self._progress(self._done, self._total, label)
        self._done += 1
