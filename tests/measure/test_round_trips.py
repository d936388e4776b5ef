"""Every lossless form and rival gives back what it was given, to the byte: profiles, recordings, copies."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import same
from histbench.history import whole_page
from histbench.importers import import_session
from histbench.jsontext import decode, encode
from histbench.log import EventLog
from histbench.measure.rivals import ALL_FORMS
from histbench.records import Plain
from histbench.rows import Row
from histbench.store import read_log
from synthetic import generate, profile_names
from told_sessions import page_of_lines, raw_events, told_sessions

LOSSLESS = {name: form for name, form in ALL_FORMS.items() if form.lossless}
# In the others, rows are as they are stored.
REWRITTEN = {name: form for name, form in LOSSLESS.items() if name not in {"raw", "packed"}}
every_form = pytest.mark.parametrize("form", LOSSLESS.values(), ids=LOSSLESS)


def sent(form, page):
    """The page that a form's bytes hold."""
    return form.validate(form.parse(form.encode(page)))


def stored(page):
    """Records in one spelling: rows as storage has them, events by the bytes of their JSON text."""
    return [record if isinstance(record, Plain) else Row.of(record) for record in page.records]


@pytest.mark.slow
@pytest.mark.parametrize("name", profile_names())
def test_every_profile_comes_back_to_the_byte(name):
    """All of it, in one page."""
    page = whole_page(EventLog.from_events(generate(name, 1)))
    for form in REWRITTEN.values():
        again = sent(form, page)

        assert stored(again) == list(page.records), form.name
        assert (again.from_seq, again.to_seq) == (page.from_seq, page.to_seq)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "read"),
    [
        ("dsh-stamped", read_log),
        ("dsh-projected", read_log),
        ("streams", import_session),
        ("transcripts", import_session),
    ],
)
def test_recordings_come_back_to_the_byte(corpus, folder, read):
    """Sessions, streams of providers and transcripts of agents; numbered without holes."""
    paths = sorted((corpus / folder).iterdir())
    for path in paths:
        page = whole_page(read(path).renumbered())
        for form in LOSSLESS.values():
            assert stored(sent(form, page)) == list(page.records), (path.name, form.name)
    assert paths


TEXT = 'What was streamed is told again, \\ "quoted" and with 漢字 and 😀 in it.'


def strings_of(value, path=()):
    """The paths of all strings in a value, and of all objects."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, inside in value.items():
            yield from strings_of(inside, (*path, key))
    elif isinstance(value, list):
        for number, inside in enumerate(value):
            yield from strings_of(inside, (*path, number))


def session(copies):
    """The lines of a block in deltas, and of events that tell it again."""
    cuts = [0, 5, 5, 17, 30, len(TEXT)]
    where = {"turn": 1, "step": 1}
    datas = [
        {**where, "chunk": {"type": "text-delta", "index": 0, "text": TEXT[start:stop]}}
        for start, stop in pairwise(cuts)
    ]
    events = [{"type": "assistant/chunk", "data": data} for data in datas]
    events += [{"type": "assistant/message", "data": {**where, **copy}} for copy in copies]
    return [
        {"type": event["type"], "seq": seq, "time": 0, "data": event["data"]}
        for seq, event in enumerate(events)
    ]


def altered(draw, event):
    """The event with one character, one key or one half of a pair other than it was."""
    copy = event["data"]["message"]
    way = draw(st.sampled_from(["character", "key", "surrogate", "order", "number"]))
    if way in {"character", "surrogate"}:
        (*path, last) = draw(st.sampled_from([*strings_of(copy)]))
        holder = copy
        for step in path:
            holder = holder[step]
        text = holder[last]
        at = draw(st.integers(0, len(text)))
        piece = draw(st.sampled_from('zé\\" \x7f' if way == "character" else "\ud83d\ude00"))
        holder[last] = text[:at] + piece + text[at + draw(st.integers(0, 1)) :]
    elif way == "key":
        copy[draw(st.sampled_from(["", "k", "text", TEXT, "\ud83d", "0"]))] = TEXT
    elif way == "order":
        event["data"] = dict(reversed(event["data"].items()))
    else:
        copy["n"] = draw(st.sampled_from([2**53 + 1, 2**70, 0.5, -1, 1e21]))
    return event


@every_form
@given(data=st.data())
def test_copies_that_differ_in_one_thing_come_back_to_the_byte(form, data):
    """A character, a key, a half of a surrogate pair, the order of keys, a number."""
    copies = [{"message": {"content": [{"type": "text", "text": TEXT}]}} for _ in range(3)]
    events = session(copies)
    number = data.draw(st.integers(len(events) - 3, len(events) - 1))
    events[number] = altered(data.draw, events[number])
    page = page_of_lines(map(encode, events))
    again = sent(form, page)

    assert raw_events(again) == raw_events(page) == [encode(event) for event in events]
    if form.name == "lean":
        whole = [event for event in events[-3:] if encode(event).count(encode(TEXT)[1:-1])]
        marked = [record for record in decode(form.encode(page))["records"] if "lean" in record]
        assert len(marked) >= len(whole) - 1 >= 1


@every_form
@given(lines=told_sessions())
def test_told_sessions_come_back_to_the_byte(form, lines):
    """Copies that are, or only nearly are, those of what was streamed."""
    page = page_of_lines(lines)
    again = sent(form, page)

    if form.name == "raw":
        # It spells an event's own fields anew, in the usual order.
        assert same(again.events(), page.events())
    else:
        assert raw_events(again) == raw_events(page)
    assert (again.from_seq, again.to_seq) == (page.from_seq, page.to_seq)
