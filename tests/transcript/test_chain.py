"""The chain: from the leaf to the root, whatever else the file holds."""

import os
from pathlib import Path

import pytest
from hypothesis import given

from histbench.errors import SnapshotUnavailable
from histbench.transcript import Gap, MemoryChain
from oracle_transcript import shown_chain
from transcript_records import chain_of, files, line_of, linear, record


def ids(chain):
    """The ids on a chain."""
    return [each.record_id for each in chain.entries(0, len(chain))]


@given(files())
def test_the_chain_is_the_oracle_s(records):
    """Branches, rewinds, gaps, cycles, fragments, side records and side tasks included."""
    chain = chain_of(records)
    expected, gap = shown_chain(records)

    assert ids(chain) == expected
    assert [(each.child_id, each.missing_parent_id) for each in chain.gaps] == (
        [gap] if gap else []
    )
    assert [chain.position(each) for each in expected] == list(range(len(expected)))


@given(files())
def test_a_file_is_read_like_its_records(records):
    """However a chain is made, of heads or of lines."""
    whole = MemoryChain.of_lines([line_of(each) for each in records])
    glued = MemoryChain.of_lines([b"".join(line_of(each) for each in records)])

    assert ids(whole) == ids(glued) == ids(chain_of(records))
    assert whole.gaps == glued.gaps


def test_a_rewind_abandons_a_branch():
    """The last record in the file decides, not the longest branch or the latest time."""
    records = [*linear("uauaua"), record("x", "r1", "system", subtype="rewind")]

    assert ids(chain_of(records)) == ["r0", "r1", "x"]


def test_side_records_and_bookkeeping_end_no_chain():
    """Unless the file has nothing but side records."""
    main = linear("ua")
    side = record("s", None, isSidechain=True)
    note = record("n", "r1", "system", subtype="session_artifact_snapshot")

    assert ids(chain_of([*main, side, note])) == ["r0", "r1"]
    assert ids(chain_of([side, note])) == ["s"]
    assert ids(chain_of([note])) == []
    assert ids(chain_of([*main, note, record("r2", "n")])) == ["r0", "r1", "n", "r2"]


def test_a_missing_parent_is_a_gap_and_a_cycle_ends():
    """Both leave what can be reached, and say what was not."""
    lost = chain_of([record("b", "a"), record("c", "b")])
    ring = chain_of([record("a", "c"), record("b", "a"), record("c", "b")])

    assert ids(lost) == ["b", "c"]
    assert lost.gaps == (Gap(child_id="b", missing_parent_id="a"),)
    assert ids(ring) == ["a", "b", "c"]
    assert [each.code for each in ring.diagnostics] == ["parent_cycle"]


def test_fragments_are_one_entry():
    """Their bytes add up; another parent is told and not followed."""
    chain = chain_of([record("a", None), record("b", "a"), record("b", None)])

    assert ids(chain) == ["a", "b"]
    assert chain.entries(1, 2)[0].source_bytes == len(line_of(record("b", "a"))) + len(
        line_of(record("b", None))
    )
    assert [each.code for each in chain.diagnostics] == ["parent_conflict"]


def test_two_sessions_in_a_file_are_refused():
    """Unless the other stands beside junk, where it may have been part of something else."""
    foreign = line_of(record("b", "a", sessionId="another"))
    own = line_of(record("a", None))
    nameless = line_of({"uuid": "c", "parentUuid": "a", "type": "user"})
    with pytest.raises(SnapshotUnavailable) as caught:
        MemoryChain.of_lines([own, foreign])
    recovered = MemoryChain.of_lines([own, b'{"torn":' + foreign, nameless])

    assert caught.value.code == "mixed_session_ids"
    assert ids(recovered) == ["a", "c"]
    assert [each.code for each in recovered.diagnostics] == ["junk", "foreign_session"]


@pytest.mark.skipif("HISTBENCH_CORPUS" not in os.environ, reason="no corpus named")
def test_a_real_session_file_is_one_chain():
    """Of 53 records, 22 belong to two side conversations."""
    path = Path(
        os.environ["HISTBENCH_CORPUS"], "transcripts", "claude-code.session-53-records.jsonl"
    )
    chain = MemoryChain.of_lines(path.read_bytes().splitlines())
    entries = chain.entries(0, len(chain))

    assert (len(chain), chain.gaps, chain.diagnostics) == (31, (), [])
    assert [place for place, each in enumerate(entries) if each.turn_start] == [0]
    assert sum(each.tool_result for each in entries) == 13
