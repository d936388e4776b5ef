"""Generated transcripts: chains as recorders write them, of any size, the same for a seed."""

import hashlib
from collections import Counter
from functools import cache
from itertools import islice

import msgspec
import pytest
from click.testing import CliRunner

from histbench.errors import UsageError
from histbench.jsontext import decode
from histbench.transcript.head import read_head
from histbench.transcript.record import merge_fragments
from histbench.transcript.replay import replay_updates
from oracle_transcript import active_chain
from replay_records import check_updates
from synthetic import generate
from synthetic.__main__ import main
from synthetic.profiles import load_profile, load_transcript, transcript_names
from synthetic.transcripts import transcript_lines, transcript_records, write_transcript

# SHA-256 of `chat-quick` with seed 1: what is measured on it before and after a change of these
# bytes must not be compared.
FROZEN = "407acb2058a97db44d656ac62f54967ad218de0cd9cacc333dcb6ffc930dc366"


@cache
def quick_lines():
    """`chat-quick` with seed 1."""
    return list(transcript_lines("chat-quick", 1))


def changed(**fields):
    """`chat-quick` with other numbers."""
    return msgspec.structs.replace(load_transcript("chat-quick"), **fields)


def chain_of(records):
    """The records on the active chain, oldest first; it must reach back to the first."""
    ids, gap = active_chain(records)
    assert gap is None
    by_id = {record["uuid"]: record for record in records}
    return [by_id[record_id] for record_id in ids]


def calls_and_results(records):
    """The ids of all calls, and of all results."""
    parts = [part for record in records for part in record.get("message", {}).get("parts", [])]
    calls = [part["functionCall"]["id"] for part in parts if "functionCall" in part]
    results = [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]
    return calls, results


def test_bytes_never_change():
    """The same profile and seed give the same file, today and in a year; another seed another."""
    digest = hashlib.sha256(b"".join(quick_lines())).hexdigest()

    assert digest == FROZEN
    assert next(transcript_lines("chat-quick", 2)) != quick_lines()[0]


def test_every_line_is_a_record():
    """Of one session, with an id of its own, after the record that it follows."""
    heads = [read_head(line.rstrip(b"\n")) for line in quick_lines()]
    seen = {None}
    for head in heads:
        assert head.parent_id in seen
        assert head.record_id not in seen
        seen.add(head.record_id)

    assert len({head.session_id for head in heads}) == 1
    assert [head.timestamp for head in heads] == sorted(head.timestamp for head in heads)
    assert len(heads) >= 400


def test_rewinds_leave_dead_branches_and_side_records_end_nothing():
    """The chain holds whole turns, each call with its result, and is shorter than the file."""
    records = list(transcript_records(changed(rewind_percent=40, compaction_every=3, texts=20), 4))
    chain = chain_of(records)
    subtypes = Counter(record.get("subtype") for record in records)
    calls, results = calls_and_results(chain)

    assert len(chain) < len(records) - subtypes["session_artifact_event"]
    assert subtypes.keys() >= {
        "rewind",
        "chat_compression",
        "ui_telemetry",
        "session_artifact_event",
        "mid_turn_user_message",
    }
    assert "session_artifact_event" not in {record.get("subtype") for record in chain}
    assert calls == results
    assert len(set(calls)) == len(calls)
    assert any(
        sum("functionCall" in part for part in record["message"]["parts"]) > 1
        for record in chain
        if record["type"] == "assistant"
    )


def test_every_transcript_is_replayed():
    """Nothing in it is unknown to a rule, and nothing stays open."""
    records = [merge_fragments([line.rstrip(b"\n")]) for line in quick_lines()]
    replayed = replay_updates(records, finalize=True, writer_gone=True)
    check_updates(replayed.updates, records)
    kinds = Counter(update["sessionUpdate"] for update in replayed.updates)

    assert replayed.diagnostics == ()
    assert kinds["tool_call"] == kinds["tool_call_update"] > 0
    assert kinds["plan"] > 0


def test_one_turn_and_one_record_may_be_huge():
    """Each in a turn of its own, near the beginning."""
    profile = changed(records=1, giant_turn_records=1_000, huge_record_bytes=300_000)
    lines = list(transcript_lines(profile, 6))
    turns = []
    for line in lines:
        head = read_head(line.rstrip(b"\n"))
        turns += [0] if head.turn_start else []
        turns[-1] += 1

    assert turns[1] >= 1_000
    assert turns[2] < 500
    assert [len(line) for line in lines if len(line) > 200_000] == [max(map(len, lines))]
    assert max(map(len, lines)) > 300_000


def test_an_open_end_is_a_call_without_a_result():
    """As a program leaves it that was killed in the middle of its work."""
    calls, results = calls_and_results(transcript_records(changed(records=20, open_end=True), 7))

    assert calls[:-1] == results


def test_a_file_ends_with_the_turn_that_makes_it_large_enough(tmp_path):
    """By records and by bytes; what is written is what is generated."""
    profile = changed(records=1, bytes=1_100_000, texts=5)
    path = tmp_path / "chat.jsonl"
    counts = []
    write_transcript(path, profile, 8, progress=counts.append)
    data = path.read_bytes()

    assert len(data) >= 1_100_000
    assert data == b"".join(transcript_lines(profile, 8))
    assert sum(counts) == data.count(b"\n")
    assert len(counts) > 1


def test_texts_come_back_so_that_large_files_are_quick():
    """No more different questions than the profile allows."""
    records = transcript_records(changed(records=200, texts=5), 9)
    questions = {
        record["message"]["parts"][0]["text"]
        for record in records
        if record["type"] == "user" and "subtype" not in record
    }

    assert len(questions) == 5


@pytest.mark.parametrize("name", transcript_names())
def test_every_profile_begins(name):
    """The large one too, without being written."""
    records = [decode(line) for line in islice(transcript_lines(name, 1), 50)]

    assert records[0]["type"] == "user"
    assert load_transcript(name).summary


def test_the_command_writes_transcripts(tmp_path):
    """The same command as for logs, without what only logs have."""
    path = tmp_path / "chat.jsonl"
    done = CliRunner().invoke(main, ["chat-quick", "-o", str(path)])
    refused = CliRunner().invoke(main, ["chat-quick", "-o", str(tmp_path / "x"), "--no-pack"])

    assert done.exit_code == 0
    assert path.read_bytes() == b"".join(quick_lines())
    assert refused.exit_code == 2
    assert "neither packed" in refused.output
    assert list(tmp_path.iterdir()) == [path]


def test_logs_and_transcripts_are_not_mistaken_for_each_other():
    """A profile of the other kind is as good as unknown, and the known ones are named."""
    for wrong in (
        lambda: generate("chat-quick", 1),
        lambda: load_profile("chat-quick"),
        lambda: next(transcript_lines("quick", 1)),
    ):
        with pytest.raises(UsageError) as caught:
            wrong()
        assert caught.value.code == "unknown_profile"
