"""The names that `import histbench` gives, and the promise that each is explained.

That every `__all__` is sorted is ruff's to check (RUF022).
"""

import importlib
import importlib.metadata
import inspect
import pkgutil

import pytest

import histbench
import synthetic

MODULES = sorted(
    module.name
    for package in (histbench, synthetic)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", histbench.__all__)
def test_each_exported_name_is_there_and_documented(name: str) -> None:
    """What the list names can be imported, and says what it is for."""
    value = getattr(histbench, name)

    assert not callable(value) or inspect.getdoc(value)


def test_version_is_the_distribution_s() -> None:
    """One version, told in pyproject.toml."""
    assert histbench.__version__ == importlib.metadata.version("histbench")


def test_names_and_modules_come_at_their_first_use() -> None:
    """All names are listed, a module is reached by its name, and nothing else is made up."""
    assert set(histbench.__all__) <= set(dir(histbench))
    assert histbench.store.read_log is histbench.read_log
    for name in ("nothing", "_codec"):
        with pytest.raises(AttributeError):
            getattr(histbench, name)


@pytest.mark.parametrize("name", MODULES)
def test_each_module_opens_with_a_docstring_and_holds_what_it_exports(name: str) -> None:
    """A module states its rule before the first import, and its `__all__` is true."""
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", [])

    assert module.__doc__
    assert [name for name in exported if not hasattr(module, name)] == []
