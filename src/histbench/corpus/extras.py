"""What only the corpus needs: the extra `corpus`, imported when it is asked for."""

from importlib import import_module
from typing import Any

from histbench.errors import UsageError

__all__ = ["load"]


def load(name: str) -> Any:
    """The module of this name; UsageError (`missing_extra`) when the extra is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name or name} is not installed; it comes with the extra `corpus`",
            code="missing_extra",
            expected="pip install 'histbench[corpus]'",
        ) from error
