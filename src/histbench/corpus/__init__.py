"""The same measurement over many logs, on Dask (the extra `corpus`): one row a log, in Parquet.

`finding` says which logs there are, `measuring` makes a row of one (the work of a worker),
`running` hands them out, `journal` keeps what is finished, `results` is the table.
"""

from typing import TYPE_CHECKING

from histbench.first_use import names_at_first_use

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

# Event tables are read without what measures.
__getattr__ = names_at_first_use(
    __name__,
    {
        "measurement": ["DEFAULT_ENCODINGS", "DEFAULT_FORMS", "Standing", "measure_corpus"],
        "results": ["CorpusResults", "Spread", "Summary"],
        "rows": ["LogRow"],
    },
)
