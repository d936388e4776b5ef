"""A transcript of chat records: what a coding agent writes down of a session, line by line.

    user                    a question; sometimes another one in the middle of its turn
    assistant               a thought, a text, calls that may run at the same time; tokens
    tool_result             one for each call; a change of a file, a to-do list, an output
    system                  telemetry beside the chain, artifacts off it, rewinds, compactions

Each record names the one before it.  A rewind goes back to before its turn, which leaves that turn
on a dead branch.  Records are made one by one: memory holds the texts that come back and no record
but the last, whatever the size of the file.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Generic, TypeVar

from histbench.jsontext import decode, encode
from histbench.store.durable import replace_file
from synthetic.author import Author
from synthetic.chat import MODEL, T0
from synthetic.dice import Dice
from synthetic.profiles import Chat, load_transcript
from synthetic.toolcalls import ToolCall

__all__ = ["transcript_lines", "transcript_records", "write_transcript"]

T = TypeVar("T")
Record = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Waits in ms, as evenly spaced quantiles.
_ANSWER_MS = [900, 2_000, 4_000, 9_000, 40_000]
_TOOL_MS = [1, 4, 8, 12, 30, 110, 700, 9_000]
_USER_MS = [900, 6_000, 18_000, 40_000, 90_000, 260_000, 3_600_000]
_QUESTION_SENTENCES = [1, 2, 4, 9]
# Of 100 steps, and of 100 calls.
_MID_TURN_PERCENT, _TODO_PERCENT, _ERROR_PERCENT = 2, 6, 4
_GIANT_TURN, _HUGE_TURN = 2, 3
_BATCH_BYTES = 1 << 20


class _Pool(Generic[T]):
    """New values until there are `size` of them, then those again."""

    def __init__(self, size: int, dice: Dice, make: Callable[[], T]) -> None:
        self._size = size
        self._dice = dice
        self._make = make
        self._values: list[T] = []

    def draw(self) -> T:
        if len(self._values) >= self._size:
            return self._dice.one_of(self._values)
        self._values.append(self._make())
        return self._values[-1]


class _Texts:
    """The texts of one transcript, by kind."""

    def __init__(self, profile: Chat, seed: int) -> None:
        dice = Dice(seed, "transcript texts")
        author = Author(
            seed, languages=profile.languages, reuse=profile.reuse, memory=profile.memory
        )

        def prose(kind: str, quantiles: list[int]) -> Callable[[], str]:
            return lambda: "".join(getattr(author.some_prose(), kind)(dice.quantile(quantiles)))

        def question() -> str:
            return author.some_prose().text(dice.quantile(_QUESTION_SENTENCES))

        def call() -> ToolCall:
            return author.toolbox().draw(dice.quantile(profile.content_fragments))

        self.questions = _Pool(profile.texts, dice, question)
        self.thoughts = _Pool(profile.texts, dice, prose("reasoning", profile.thought_fragments))
        self.answers = _Pool(profile.texts, dice, prose("answer", profile.text_fragments))
        self.calls = _Pool(profile.texts, dice, call)


class _Transcript:
    """Writes the next record; knows the leaf, the clock and what was written so far."""

    def __init__(self, profile: Chat, seed: int) -> None:
        self.profile = profile
        self.dice = Dice(seed, "transcript")
        self.texts = _Texts(profile, seed)
        self.leaf: str | None = None
        self.records = 0
        self.bytes = 0
        self.turn = 0
        self._now = T0
        self._session = self.dice.uuid()
        self._calls = 0
        self._prompt_tokens = 2_000

    def full(self) -> bool:
        """Whether the file is as large as it should be, and has in it what it should have."""
        profile = self.profile
        special = _HUGE_TURN if profile.huge_record_bytes else _GIANT_TURN
        if self.turn < special and (profile.huge_record_bytes or profile.giant_turn_records):
            return False
        return self.records >= self.profile.records and self.bytes >= self.profile.bytes

    def line(self, kind: str, *, wait: int = 1, side: bool = False, **fields: Any) -> bytes:
        """The line of a record that follows the leaf, and is the new one unless on the `side`."""
        self._now += wait
        moment = _EPOCH + timedelta(milliseconds=self._now)
        record_id = self.dice.uuid()
        record = {
            "uuid": record_id,
            "parentUuid": self.leaf,
            "sessionId": self._session,
            "timestamp": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "type": kind,
            **fields,
            "cwd": "/synthetic/workspace",
            "version": "0.0.0",
        }
        line = encode(record) + b"\n"
        self.leaf = self.leaf if side else record_id
        self.records += 1
        self.bytes += len(line)
        return line

    def call_id(self) -> str:
        self._calls += 1
        return f"call_{self._calls:05d}"

    def usage(self, parts: list[Record]) -> Record:
        """Tokens that grow with what was said, until the window is full and starts anew."""
        written = sum(len(str(part)) for part in parts) // 4
        prompt = self._prompt_tokens
        self._prompt_tokens = (prompt + written) % 131_072
        return {
            "promptTokenCount": prompt,
            "candidatesTokenCount": written,
            "totalTokenCount": prompt + written,
            "cachedContentTokenCount": prompt // 128 * 128,
        }


def transcript_lines(profile: str | Chat, seed: int) -> Iterator[bytes]:
    """The lines of the transcript, each with its newline.

    Raises:
        UsageError: as `synthetic.profiles.load_transcript`.
    """
    chosen = load_transcript(profile) if isinstance(profile, str) else profile
    transcript = _Transcript(chosen, seed)
    while not transcript.full():
        transcript.turn += 1
        before = transcript.leaf
        first = transcript.records
        yield from _turn(transcript)
        dice, turn = transcript.dice, transcript.turn
        if turn > _HUGE_TURN and dice.percent(chosen.rewind_percent) and not transcript.full():
            transcript.leaf = before
            payload = {"truncatedCount": transcript.records - first}
            yield transcript.line("system", subtype="rewind", systemPayload=payload)
        elif chosen.compaction_every and turn % chosen.compaction_every == 0:
            yield _compaction(transcript)
    if chosen.open_end:
        yield _answer(
            transcript, [(transcript.call_id(), transcript.texts.calls.draw())], last=False
        )


def transcript_records(profile: str | Chat, seed: int) -> Iterator[Record]:
    """The records of the transcript, in the order of the file.

    Raises:
        UsageError: as `transcript_lines`.
    """
    return map(decode, transcript_lines(profile, seed))


def write_transcript(
    path: Path,
    profile: str | Chat,
    seed: int,
    *,
    progress: Callable[[int], None] = lambda _records: None,
) -> None:
    """Writes the transcript to `path`, replacing what is there; about a megabyte is in memory.

    `progress` is told the number of records of each batch.

    Raises:
        UsageError: as `transcript_lines`.
        StorageError: the file cannot be written; `path` is then as it was.
    """
    replace_file(path, _batches(transcript_lines(profile, seed), progress))


def _batches(lines: Iterator[bytes], progress: Callable[[int], None]) -> Iterator[bytes]:
    batch: list[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line)
        if size >= _BATCH_BYTES:
            yield b"".join(batch)
            progress(len(batch))
            batch, size = [], 0
    yield b"".join(batch)
    progress(len(batch))


def _turn(transcript: _Transcript) -> Iterator[bytes]:
    """A question and its steps, the last of which only answers."""
    profile, dice = transcript.profile, transcript.dice
    yield transcript.line(
        "user",
        wait=dice.quantile(_USER_MS),
        message=_message("user", [{"text": transcript.texts.questions.draw()}]),
        promptId=f"prompt-{transcript.turn}",
    )
    giant = profile.giant_turn_records if transcript.turn == _GIANT_TURN else 0
    huge = profile.huge_record_bytes if transcript.turn == _HUGE_TURN else 0
    end = transcript.records + giant
    steps = dice.quantile(profile.steps_per_turn)
    while steps > 1 or transcript.records < end or huge:
        steps -= 1
        count = 1 + dice.weighted(profile.calls_per_step)
        calls = [(transcript.call_id(), transcript.texts.calls.draw()) for _ in range(count)]
        yield _answer(transcript, calls, last=False)
        for call_id, call in calls:
            yield _result(transcript, call_id, call, huge)
            huge = 0
        if dice.percent(_TODO_PERCENT):
            yield from _todos(transcript)
        if dice.percent(_MID_TURN_PERCENT):
            yield _mid_turn(transcript)
        if dice.percent(profile.side_percent):
            yield _side_record(transcript)
    yield _answer(transcript, [], last=True)


def _answer(transcript: _Transcript, calls: list[tuple[str, ToolCall]], *, last: bool) -> bytes:
    profile, dice, texts = transcript.profile, transcript.dice, transcript.texts
    parts: list[Record] = []
    if dice.percent(profile.thought_percent):
        parts.append({"text": texts.thoughts.draw(), "thought": True})
    if last or dice.percent(profile.text_percent):
        parts.append({"text": texts.answers.draw()})
    for call_id, call in calls:
        arguments = decode("".join(call.fragments))
        parts.append({"functionCall": {"id": call_id, "name": call.name, "args": arguments}})
    return _assistant(transcript, parts)


def _assistant(transcript: _Transcript, parts: list[Record]) -> bytes:
    return transcript.line(
        "assistant",
        wait=transcript.dice.quantile(_ANSWER_MS),
        model=MODEL,
        message=_message("model", parts),
        usageMetadata=transcript.usage(parts),
    )


def _result(transcript: _Transcript, call_id: str, call: ToolCall, huge: int) -> bytes:
    text = call.result
    if huge:
        text = (text + "\n") * (huge // (len(text.encode()) + 1) + 1)
    if not huge and transcript.dice.percent(_ERROR_PERCENT):
        outcome: Record = {"status": "error", "error": "the tool failed"}
        return _tool_result(transcript, call_id, call.name, {"error": "the tool failed"}, outcome)
    outcome = {"status": "success", "resultDisplay": _display(call)}
    return _tool_result(transcript, call_id, call.name, {"output": text}, outcome)


def _tool_result(
    transcript: _Transcript, call_id: str, name: str, response: Record, outcome: Record
) -> bytes:
    answered = {"id": call_id, "name": name, "response": response}
    return transcript.line(
        "tool_result",
        wait=transcript.dice.quantile(_TOOL_MS),
        message=_message("user", [{"functionResponse": answered}]),
        toolCallResult={"callId": call_id, **outcome},
    )


def _display(call: ToolCall) -> Any:
    """What a person sees of a result: the change of a file, else its first line."""
    if call.name != "edit":
        return call.result.partition("\n")[0]
    arguments = decode("".join(call.fragments))
    old, new = arguments["old_string"], arguments["new_string"]
    changed = {"fileName": arguments["file_path"], "originalContent": old, "newContent": new}
    return {**changed, "fileDiff": f"-{old}\n+{new}"}


def _todos(transcript: _Transcript) -> Iterator[bytes]:
    call_id, count = transcript.call_id(), transcript.dice.between(2, 5)
    statuses = ["completed", "in_progress", *["pending"] * count]
    todos = [
        {"id": str(n), "content": f"part {n} of {count}", "status": statuses[n]}
        for n in range(count)
    ]
    call = {"id": call_id, "name": "todo_write", "args": {"todos": todos}}
    yield _assistant(transcript, [{"functionCall": call}])
    outcome = {"status": "success", "resultDisplay": {"type": "todo_list", "todos": todos}}
    yield _tool_result(transcript, call_id, "todo_write", {"output": "ok"}, outcome)


def _mid_turn(transcript: _Transcript) -> bytes:
    text = transcript.texts.questions.draw()
    return transcript.line(
        "user",
        subtype="mid_turn_user_message",
        message=_message("user", [{"text": f"While you work: {text}"}]),
        systemPayload={"displayText": text},
    )


def _side_record(transcript: _Transcript) -> bytes:
    """Telemetry, which the next record follows, or an artifact, which none ever follows."""
    if transcript.dice.percent(50):
        event = {"event.name": "synthetic.api_response", "duration_ms": transcript.dice.below(9999)}
        return transcript.line("system", subtype="ui_telemetry", systemPayload={"uiEvent": event})
    payload = {"path": f"artifacts/{transcript.records}.md"}
    return transcript.line(
        "system", side=True, subtype="session_artifact_event", systemPayload=payload
    )


def _compaction(transcript: _Transcript) -> bytes:
    """What the model remembers from here on; the transcript stays whole."""
    summary = [_message("user", [{"text": transcript.texts.answers.draw()}])]
    payload = {"info": {"turn": transcript.turn}, "compressedHistory": summary}
    return transcript.line("system", subtype="chat_compression", systemPayload=payload)


def _message(role: str, parts: list[Record]) -> Record:
    return {"role": role, "parts": parts}
