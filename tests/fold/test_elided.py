"""Lean pages folded as they are: what they fold to when they are expanded first, or the same refusal."""

from itertools import islice
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from checks import check_refused
from histbench.errors import HistbenchError
from histbench.fold import compact_inputs, fold_assistant, fold_pair
from histbench.fold.elided import ElidedEvent
from histbench.history import FORMS, encode_page, whole_page
from histbench.history.lean_proof import lean_of_json
from histbench.jsontext import decode
from histbench.log import EventLog
from histbench.records import Plain, delta_of_plain
from shell_lean import draw_page
from strategies import spellings
from synthetic import generate
from told_sessions import page_of_lines, told_sessions

LEAN = FORMS["lean"]

# The seed of a page with a delta whose chunk type is a marker.
A_MARKED_KIND = 1187


def check_folds_alike(data):
    """Both ways to read a page's bytes come to the same; its refusal's code, if they refuse it."""
    try:
        exact = LEAN.validate(LEAN.parse(data)).records
    except HistbenchError as error:
        check_refused(error.code, lambda: LEAN.prove(LEAN.parse(data)))
        return error.code
    elided = LEAN.prove(LEAN.parse(data))
    marked = [pair for pair in zip(elided, exact, strict=True) if isinstance(pair[0], ElidedEvent)]

    assert [each.event() for each, _ in marked] == [plain.event() for _, plain in marked]
    assert [each.delta() for each, _ in marked] == [delta_of_plain(plain) for _, plain in marked]
    assert fold_assistant(elided) == fold_assistant(exact)
    assert fold_pair(elided) == fold_pair(exact)
    inputs, expected = compact_inputs(elided), compact_inputs(exact)
    assert fold_assistant(inputs) == fold_assistant(expected)
    assert fold_pair(inputs) == fold_pair(expected)
    return None


@given(told_sessions())
def test_sessions_fold_alike(lines):
    """Those that an encoder has made."""
    assert check_folds_alike(encode_page(page_of_lines(lines), "lean")) is None


@given(st.integers(0, 2**32))
@example(A_MARKED_KIND)
def test_markers_anywhere_fold_alike(seed):
    """Where a fold looks, where it does not, and where no marker may be."""
    check_folds_alike(draw_page(Random(seed)))


@given(st.integers(0, 2**32), st.data())
def test_every_spelling_folds_alike(seed, data):
    """Spaces and escapes in markers, numbers with fractions, equal keys."""
    check_folds_alike(data.draw(spellings(decode(draw_page(Random(seed))))))


@given(st.integers(0, 2**32), st.data())
def test_damaged_pages_fold_alike(seed, data):
    """Bytes that were lost, or came from somewhere else in the page."""
    raw = draw_page(Random(seed))
    at = data.draw(st.integers(0, len(raw)))
    length = data.draw(st.integers(0, 12))
    other = data.draw(st.integers(0, len(raw)))
    check_folds_alike(raw[:at] + raw[other : other + length] + raw[at + length :])


def test_an_elided_event_tells_itself():
    """Whoever asks for it has all of it, in whatever page it was."""
    events = list(islice(generate("session", 1), 3000))
    data = encode_page(whole_page(EventLog.from_events(events)), "lean")
    records = LEAN.prove(LEAN.parse(data))
    elided = [record for record in records if isinstance(record, ElidedEvent)]

    assert elided
    assert [each.event() for each in elided] == [events[each.seq] for each in elided]


def test_a_text_with_markers_is_never_a_plain_s():
    """Who takes a Plain may read its text: of a page for a fold, and before it was proved."""
    events = list(islice(generate("session", 1), 3000))
    data = encode_page(whole_page(EventLog.from_events(events)), "lean")
    plain = [each for each in LEAN.prove(LEAN.parse(data)) if isinstance(each, Plain)]

    assert plain
    assert [decode(each.raw) for each in plain] == [events[each.seq] for each in plain]
    assert not isinstance(lean_of_json(b'{"type":"t","seq":1,"time":1,"data":{"":5}}', None), Plain)


@pytest.mark.parametrize("name", [name for name in FORMS if name != "lean"])
def test_what_is_not_lean_is_proved_as_it_is_validated(name):
    """There is one way to read it."""
    form = FORMS[name]
    data = form.encode(whole_page(EventLog.from_events(islice(generate("session", 1), 300))))

    assert form.prove(form.parse(data)) == form.validate(form.parse(data)).records
