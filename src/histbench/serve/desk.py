"""What the operations work with: the sessions, the open readers, the settings.

One desk for a daemon.  Operations run in threads, so all of it may be used from several at once.
"""

from histbench.serve.readers import Readers
from histbench.serve.sessions import Sessions
from histbench.serve.settings import Settings
from histbench.store import LogFile, open_log

__all__ = ["Desk"]


class Desk:
    """Close it when the daemon ends."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sessions = Sessions(settings.root)
        self.logs: Readers[LogFile] = Readers(open_log, most=settings.open_readers)

    def close(self) -> None:
        """Close the readers."""
        self.logs.close()
