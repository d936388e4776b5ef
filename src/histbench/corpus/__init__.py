"""The same measurement over many logs, on Dask (the extra `corpus`): one row a log, in Parquet.

`finding` says which logs there are, `measuring` makes a row of one (the work of a worker),
`running` hands them out, `journal` keeps what is finished, `results` is the table.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from histbench.corpus.measurement import (
        DEFAULT_ENCODINGS,
        DEFAULT_FORMS,
        Standing,
        measure_corpus,
    )
    from histbench.corpus.results import CorpusResults, Spread, Summary
    from histbench.corpus.rows import LogRow

__all__ = [
    "DEFAULT_ENCODINGS",
    "DEFAULT_FORMS",
    "CorpusResults",
    "LogRow",
    "Spread",
    "Standing",
    "Summary",
    "measure_corpus",
]

_MODULE_OF = {
    "CorpusResults": "results",
    "LogRow": "rows",
    "Spread": "results",
    "Summary": "results",
}


def __getattr__(name: str) -> Any:
    """A name of the list at its first use: event tables are read without what measures."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULE_OF.get(name, 'measurement')}")
    value = globals()[name] = getattr(module, name)
    return value
