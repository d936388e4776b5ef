"""Names of a package whose modules are imported when one of them is first used.

A command, or a worker, then does not wait for what it does not need.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["names_at_first_use"]


def names_at_first_use(package: str, names_of: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package.

    Args:
        package: its name.
        names_of: by module of the package, the names that the package has from it.
    """
    module_of = {name: module for module, names in names_of.items() for name in names}

    def __getattr__(name: str) -> Any:  # noqa: N807 - what a package calls it
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__
