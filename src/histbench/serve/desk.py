"""What the operations work with: the sessions, the open readers, the dictionaries, the settings.

One desk for a daemon.  Operations run in threads, so all of it may be used from several at once.
"""

from pathlib import Path

from histbench.serve.keeping import cursor_keys
from histbench.serve.page_cache import PageCache
from histbench.serve.readers import Readers
from histbench.serve.sessions import Sessions
from histbench.serve.settings import Settings
from histbench.serve.shelf import Shelf
from histbench.store import LogFile, open_log
from histbench.transcript_file.reader import TranscriptReader

__all__ = ["Desk"]


class Desk:
    """Close it when the daemon ends.

    Raises:
        StorageError: the file of cursor keys cannot be used.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sessions = Sessions(settings.root)
        self._keys = cursor_keys(settings.root, settings.key_file)
        self.logs: Readers[LogFile] = Readers(open_log, most=settings.open_readers)
        self.shelf = Shelf(settings.dictionaries)
        self.pages = PageCache(most_bytes=settings.page_cache)
        self.transcripts: Readers[TranscriptReader] = Readers(
            self.open_transcript, most=settings.open_readers
        )

    def open_transcript(self, path: Path) -> TranscriptReader:
        """A reader whose cursors every reader of this daemon takes."""
        return TranscriptReader(
            path,
            key=self._keys,
            soft_bytes=self.settings.page_soft,
            hard_bytes=self.settings.page_hard,
        )

    def close(self) -> None:
        """Close the readers."""
        self.logs.close()
        self.transcripts.close()
