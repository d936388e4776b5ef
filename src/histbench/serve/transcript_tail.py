"""What is appended to one transcript, replayed once and framed for everyone who follows it.

Positions are the reader's places: bytes of the file behind a record.  The updates of appended
records carry their record's id, like those of a page.  A record that does not follow the last one of
the conversation turns it back to an earlier place, and one that begins a side task hides what came
before it (`rewound`): what clients show is then not what is there any more, and they have to load
anew.  What a side task does not show is passed over.
"""

from collections.abc import Sequence
from typing import Any

from histbench.errors import HistbenchError
from histbench.serve.epoch import epoch_of
from histbench.serve.frames import Frame, frame_text
from histbench.serve.log_tail import SourceChanged
from histbench.serve.message import json_bytes
from histbench.serve.sessions import Session
from histbench.serve.settings import Settings
from histbench.transcript.head import read_head
from histbench.transcript.record import TranscriptRecord
from histbench.transcript.replay import ReplayState, replay_updates
from histbench.transcript_file.pages import Appended
from histbench.transcript_file.reader import TranscriptReader

__all__ = ["TranscriptTail", "appended_frame"]

_RECORDS_AT_ONCE = 500
_ATTEMPTS = 5


class TranscriptTail:
    """The tail of a transcript, from where it ends now; for one thread at a time.

    `epoch` names the file, `position` is the place behind all that `read` has returned.
    """

    def __init__(self, session: Session, settings: Settings, reader: TranscriptReader) -> None:
        """The tail owns the reader.

        Raises:
            HistbenchError: the transcript cannot be followed.
        """
        self._reader = reader
        self._settings = settings
        self._path = session.path
        self._seen: tuple[int, int] | None = None
        self._state: ReplayState | None = None
        try:
            self._identity = reader.identity
            self.epoch = epoch_of(session, self._identity)
            self.position, self._leaf, self._side_task = self._end()
        except BaseException:
            reader.close()
            raise

    def _end(self) -> tuple[int, str | None, bool]:
        """Where the file ends, the record its conversation ends with, and whether it is a side task."""
        for _ in range(_ATTEMPTS):
            end = self._reader.end
            leaf, side_task = self._reader.leaf_id, self._reader.side_task
            if self._reader.end == end:
                return end, leaf, side_task
        raise SourceChanged("source_unreadable")

    def read(self) -> list[Frame]:
        """Frames of what was appended since the last call; empty when nothing was.

        Raises:
            SourceChanged: the file was replaced, cut, removed or damaged, or was rewound.
        """
        try:
            status = self._path.stat()
        except OSError as error:
            raise SourceChanged("source_removed") from error
        if (status.st_dev, status.st_ino) != self._identity:
            raise SourceChanged("source_replaced")
        if status.st_size < self.position:
            raise SourceChanged("source_truncated")
        seen, self._seen = self._seen, (status.st_size, status.st_mtime_ns)
        if seen == self._seen:
            return []
        try:
            appended = self._reader.appended(
                self.position, limit=_RECORDS_AT_ONCE, max_bytes=self._settings.frame_bytes
            )
        except HistbenchError as error:
            raise SourceChanged("source_unreadable") from error
        if appended.has_more:
            self._seen = None
        for each in appended.records:
            self._check_follows(each.record)
        if appended.place == self.position:
            return []
        frame, self._state = appended_frame(self.position, appended, self._state)
        self.position = appended.place
        return [frame]

    def _check_follows(self, record: TranscriptRecord) -> None:
        head = read_head(record.raw[0])
        if record.record_id == self._leaf or not head.leaf_rank:
            # A further fragment of the last record, or one that is beside the conversation.
            return
        begins = head.side_task and not self._side_task
        if self._leaf is not None and (begins or record.parent_id != self._leaf):
            raise SourceChanged("rewound")
        self._leaf = record.record_id
        self._side_task = self._side_task or begins

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()


def appended_frame(
    start: int, appended: Appended, state: ReplayState | None
) -> tuple[Frame, ReplayState]:
    """The frame of what stands behind a place, and what its replay leaves open."""
    records: Sequence[TranscriptRecord] = [
        each.record for each in appended.records if not each.hidden
    ]
    replayed = replay_updates(records, state=state, finalize=False)
    events = [{"v": 1, "type": "session_update", "data": each} for each in replayed.updates]
    data: dict[str, Any] = {
        "v": 1,
        "fromPlace": start,
        "toPlace": appended.place,
        "records": [each.record_id for each in records],
        "events": events,
    }
    if replayed.error is not None:
        # Too much for one frame: the records are named, and can be asked for.
        data |= {"partial": True, "replayError": replayed.error}
    text = frame_text("session_update", json_bytes(data), last_event_id=appended.place)
    return Frame(start, appended.place, text), replayed.state
