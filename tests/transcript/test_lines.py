"""Lines: every record in them is found, everything else is told, and nothing takes for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.transcript import lines as lines_module
from histbench.transcript import split_line
from transcript_records import line_of, record

A = line_of(record("a", None, text="first"))
B = line_of(record("b", "a", "assistant", text='second { "x" }'))
HALF_PAIR = line_of(record("h", None, text="HALF")).replace(b"HALF", rb"\ud83d")


def told(line):
    """The ids found, and the codes of what else there is."""
    fragments, oddities = split_line(line)
    return [each.head.record_id for each in fragments], [each.code for each in oddities]


@pytest.mark.parametrize(
    ("line", "ids", "codes"),
    [
        (A, "a", []),
        (b" \t" + A + b" ", "a", []),
        (A + b"\r", "a", ["crlf"]),
        (b"", "", ["blank_line"]),
        (b" \t", "", ["blank_line"]),
        (b"\r", "", ["blank_line", "crlf"]),
        (A + B, "ab", ["glued_records"]),
        (A + b" " + B + b"\r", "ab", ["glued_records", "crlf"]),
        (HALF_PAIR + B, "hb", ["glued_records"]),
        (b"\0" * 9, "", ["nul_run"]),
        (b"\0" * 9 + A, "a", ["nul_run"]),
        (A + b"\0\0", "a", ["nul_run"]),
        (A + b"\0\0" + B, "ab", ["glued_records", "nul_run"]),
        (b"\xef\xbb\xbf" + A, "a", ["junk"]),
        (A + b"x", "a", ["junk"]),
        (A + b"x" + B, "ab", ["glued_records", "junk"]),
        (b"hello", "", ["junk"]),
        (b'"hello"', "", ["not_an_object"]),
        (b'{"type":"summary"}', "", ["not_a_record"]),
        (b'{"type":"summary"}' + A, "a", ["junk"]),
        (b'{"uuid":"a","parentUuid":null,"type":"user","n":1e999}', "a", []),
        (A.replace(b"first", b"\xff"), "a", ["invalid_utf8"]),
        (A.replace(b"first", b"\xff") + B, "ab", ["glued_records", "invalid_utf8"]),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "", ["too_deep"]),
    ],
)
def test_odd_lines(line, ids, codes):
    """Found in the wild: glued, torn, padded, empty, of another kind."""
    assert told(line) == (list(ids), codes)


@pytest.mark.parametrize("cut", range(1, len(A)))
def test_a_record_after_a_torn_one_is_found(cut):
    """Wherever the first was torn: in a string, in an escape, in a number, before a value."""
    fragments, oddities = split_line(A[:cut] + B)

    assert [(each.start, each.end, each.recovered) for each in fragments] == [
        (cut, cut + len(B), True)
    ]
    assert [(each.code, each.start, each.end) for each in oddities] == [("junk", 0, cut)]


@given(
    st.lists(
        st.one_of(
            st.sampled_from([A, B, HALF_PAIR, b"\0\0", b" ", b"x", b"{", b'{"', b'"', b"}", b"\r"]),
            st.integers(1, len(A) - 1).map(lambda cut: A[:cut]),
            st.integers(1, len(B) - 1).map(lambda cut: B[cut:]),
            st.binary(max_size=5),
        ),
        max_size=7,
    ).map(b"".join)
)
def test_nothing_of_a_line_is_dropped_silently(line):
    """Fragments are in order, apart and whole; what lies outside them is told or white space."""
    fragments, oddities = split_line(line)
    covered = bytearray(line)
    at = 0
    for each in fragments:
        assert at <= each.start < each.end <= len(line)
        assert split_line(line[each.start : each.end])[0][0].head == each.head
        covered[each.start : each.end] = b" " * (each.end - each.start)
        at = each.end
    for each in oddities:
        assert 0 <= each.start <= each.end <= len(line)
        covered[each.start : each.end] = b" " * (each.end - each.start)

    assert not covered.strip(b" \t\r")


@pytest.mark.parametrize(
    "piece",
    [
        b"{",
        b'{"',
        b'{"a":',
        b'{"a":[',
        b'{"a":1}x',
        b'{"b":1},',
        b'{"a":"\\ud800",',
        b'"uuid"',
        b"\0{",
        b'{"uuid":"a","te',
    ],
)
def test_a_hostile_line_takes_work_in_proportion(piece, monkeypatch):
    """The bytes looked at, and the looks, are bounded by the line's length."""
    line = piece * (200_000 // len(piece)) + b'"uuid"'
    looks = []

    class Counting:
        def decode(self, view):
            looks.append(len(view))
            return decoder.decode(view)

    decoder = lines_module._skipping_decoder
    monkeypatch.setattr(lines_module, "_skipping_decoder", Counting())
    _, oddities = split_line(line)

    assert len(looks) <= len(line) // 8 + 200
    assert len(oddities) == 1


def test_a_torn_record_of_many_small_objects_hides_nothing():
    """Small objects in what was torn cost looks, and there are enough of them."""
    torn = b'{"uuid":"t","systemPayload":{"cells":[' + b'{"id":12345},' * 5000
    fragments, _ = split_line(torn + B)

    assert [each.head.record_id for each in fragments] == ["b"]


def test_the_ordinary_line_is_scanned_once(monkeypatch):
    """A file of a gigabyte is made of ordinary lines."""
    monkeypatch.setattr(lines_module, "_Resynchronisation", None)

    assert told(A) == (["a"], [])
