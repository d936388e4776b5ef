"""Session files: reading, appending, repairing, indexing, and keeping fixtures canonical."""

from histbench.store.limits import Limits
from histbench.store.reading import read_log

__all__ = ["Limits", "read_log"]
