"""Which form a daemon is asked for when nobody names one: the shortest that it has.

    lean, then joined    where the daemon's features have `session_history_<form>`
    packed               everywhere; it is asked for by naming no form

A daemon may be another one than its features were read from, an older one that was started again
in its place.  A form that it refuses is not asked for again, and one that does not know the
parameter is asked for packed pages from then on.  A page that cannot be read is no refusal:
whoever sent it is not asked for another spelling of it.
"""

from collections.abc import Iterable

__all__ = ["FormChoice"]

_PREFERRED = ("lean", "joined")
_EVERYWHERE = "packed"


class FormChoice:
    """The choice for one daemon."""

    def __init__(self, features: Iterable[str]) -> None:
        """`features` are the names that its capabilities give."""
        named = set(features)
        self._left = [form for form in _PREFERRED if f"session_history_{form}" in named]

    @property
    def form(self) -> str:
        """The form to ask for."""
        return self._left[0] if self._left else _EVERYWHERE

    def give_up(self, form: str, code: str) -> bool:
        """Learn with which code a request for `form` was refused; whether to ask for another.

        >>> choice = FormChoice(["session_history_lean"])
        >>> choice.form, choice.give_up("lean", "unknown_form"), choice.form
        ('lean', True, 'packed')
        """
        if form == _EVERYWHERE or code not in {"unknown_form", "unknown_parameter"}:
            return False
        self._left = [each for each in self._left if each != form and code == "unknown_form"]
        return True
