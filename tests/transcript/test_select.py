"""Pages of a chain: they join to the whole of it, whatever they are asked with, and stay bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import InvalidCursor, UsageError
from histbench.transcript import (
    MAX_LIMIT,
    anchored_page,
    backward_page,
    forward_page,
    place_after,
    place_before,
)
from histbench.transcript.select import MAX_EXPANSION_BYTES, expansion_of
from oracle_transcript import backward_start, forward_stop
from transcript_records import ListChain, entries_of, list_chains

limits = st.sampled_from([1, 1, 2, 3, 5, 8, 20, 500])
budgets = st.sampled_from([None, 1, 10, 30, 100, 1000, 10**9])
NO_LIMIT = float("inf")


def backwards(chain, limit, **budget):
    """The pages of a whole chain, the newest first."""
    pages, end = [], len(chain)
    while True:
        page = backward_page(chain, end, limit, **budget)
        assert page.stop == end
        assert page.next == page.start
        assert page.has_more == (page.start > 0)
        if page.start == page.stop:
            return pages
        pages.append(page)
        end = page.next


def forwards(chain, limit, soft_bytes=None):
    """The pages of a whole chain, the oldest first."""
    pages, start = [], 0
    while True:
        page = forward_page(chain, start, limit, soft_bytes)
        assert page.start == start
        assert page.has_more == (page.stop < len(chain))
        if page.start == page.stop:
            return pages
        pages.append(page)
        start = page.next


def joined(pages):
    """The positions that pages hold, oldest first."""
    ordered = sorted(pages, key=lambda page: page.start)
    return [place for page in ordered for place in range(page.start, page.stop)]


@given(list_chains(), limits, budgets, st.sampled_from([None, 0, 50, 10**9]))
def test_pages_join_to_the_chain(chain, limit, soft_bytes, expansion_bytes):
    """Backwards as forwards: no record twice, none left out, in order, three limits at most."""
    budget = {"soft_bytes": soft_bytes, "expansion_bytes": expansion_bytes}
    pages = backwards(chain, limit, **budget)

    assert joined(pages) == joined(forwards(chain, limit, soft_bytes)) == list(range(len(chain)))
    assert all(page.stop - page.start <= 3 * limit for page in pages)


@given(list_chains(), st.data(), limits, budgets)
def test_pages_of_any_size_chain(chain, data, limit, soft_bytes):
    """A reader may change the limit at every page."""
    end, seen = len(chain), []
    while end:
        page = backward_page(chain, end, data.draw(limits), data.draw(budgets))
        seen[:0] = range(page.start, page.stop)
        end = page.next

    assert seen == list(range(len(chain)))


@given(list_chains(), st.data(), limits, budgets, st.sampled_from([None, 0, 50, 10**9]))
def test_a_page_is_the_oracle_s(chain, data, limit, soft_bytes, expansion_bytes):
    """The rules as the page of documentation tells them."""
    end = data.draw(st.integers(0, len(chain)))
    page = backward_page(chain, end, limit, soft_bytes, expansion_bytes=expansion_bytes)
    soft = NO_LIMIT if soft_bytes is None else soft_bytes
    allowed = min(2 * soft, MAX_EXPANSION_BYTES) if expansion_bytes is None else expansion_bytes

    assert page.start == backward_start(chain.own, end, limit, soft, allowed)
    assert page.source_bytes == sum(each.source_bytes for each in chain.own[page.start : end])
    assert forward_page(chain, end, limit, soft_bytes).stop == forward_stop(
        chain.own, end, limit, soft
    )


@given(list_chains(), st.data(), limits, budgets)
def test_a_page_looks_at_no_more_than_it_may_hold(chain, data, limit, soft_bytes):
    """What a page costs does not depend on how long the conversation is."""
    end = data.draw(st.integers(0, len(chain)))
    backward_page(chain, end, limit, soft_bytes)
    backward = chain.looked_at
    forward_page(chain, end, limit, soft_bytes)

    assert backward <= 3 * limit
    assert chain.looked_at - backward <= limit
    assert chain.widest <= 3 * limit


def test_every_limit_pages_a_conversation():
    """From 1 to 500, over turns of all lengths."""
    chain = ListChain(entries_of("".join("u" + "ats" * n for n in range(28))))
    expected = list(range(len(chain)))

    for limit in range(1, MAX_LIMIT + 1):
        assert joined(backwards(chain, limit, soft_bytes=4000)) == expected
        assert joined(forwards(chain, limit, 4000)) == expected


@pytest.mark.parametrize("limit", [1, 100, 500])
def test_a_turn_of_a_hundred_thousand_records_comes_in_pieces(limit):
    """Nothing on disk is out of reach, and no page is longer for it."""
    records = 100_000 if limit > 1 else 2_000
    chain = ListChain(entries_of("u" + "a" * records))
    pages = backwards(chain, limit)

    assert joined(pages) == list(range(len(chain)))
    assert {page.stop - page.start for page in pages[1:-2]} == {limit}
    assert chain.widest <= 3 * limit


def test_a_record_over_the_budget_comes_alone():
    """50 MB that nothing can split are served, and so is everything around them."""
    chain = ListChain(entries_of("uatua", [10, 10, 50_000_000, 10, 10]))
    pages = [(page.start, page.stop) for page in backwards(chain, 100, soft_bytes=1000)]

    assert pages == [(3, 5), (1, 3), (0, 1)]


@pytest.mark.parametrize(
    ("kinds", "end", "limit", "start"),
    [
        ("uauaua", 6, 3, 4),  # 1: the first turn start in reach
        ("uauaua", 6, 4, 2),
        ("uaaaua", 4, 3, 0),  # 2: the turn's start, among as many again
        ("uaaaaaaaa", 9, 3, 6),  # nothing in reach: the page stays inside its turn
        ("ssuaua", 6, 4, 0),  # 4: no turn before, so the beginning comes too
        ("ssssssuaua", 10, 4, 6),
        ("ssss", 4, 2, 0),
        ("uaaaaattta", 10, 3, 5),  # 5: results with the call before them
        ("uassssttttta", 12, 2, 10),  # the call is out of reach
        ("raaaa", 5, 3, 0),  # a realtime message starts a turn
        ("uarttt", 6, 1, 5),  # ... but holds no call, and the one before it is too far
    ],
)
def test_where_a_page_begins(kinds, end, limit, start):
    """The rules of the module, by example."""
    assert backward_page(ListChain(entries_of(kinds)), end, limit).start == start


def test_bytes_move_a_beginning_to_a_later_turn():
    """Rule 3 cuts, rule 4 leaves the rest of the cut turn to the next page."""
    chain = ListChain(entries_of("uaauaua"))

    assert backward_page(chain, 7, 100, 70).start == 0
    assert backward_page(chain, 7, 100, 55).start == 3
    assert backward_page(chain, 7, 100, 15).start == 5  # a turn of 20 bytes, at twice the budget
    assert backward_page(chain, 7, 100, 15, expansion_bytes=19).start == 6


def test_expansion_has_a_ceiling():
    """Twice the budget, and never more than 16 MiB."""
    assert [expansion_of(each) for each in (None, 10, 1 << 40)] == [16 << 20, 20, 16 << 20]


@given(list_chains(), limits, budgets, st.sampled_from([None, 0, 50, 10**9]))
def test_an_anchored_page_shows_its_turn(chain, limit, soft_bytes, expansion_bytes):
    """It begins at a page start where one is near, and goes on as forward pages do."""
    for target, entry in enumerate(chain.own):
        if entry.navigation is None:
            with pytest.raises(InvalidCursor) as caught:
                anchored_page(chain, entry.record_id, limit)
            assert caught.value.code == "invalid_turn_anchor"
            continue
        page = anchored_page(
            chain, entry.record_id, limit, soft_bytes, expansion_bytes=expansion_bytes
        )
        assert page.start <= target < page.stop
        assert page.stop - page.start <= limit + 1
        assert (page.has_older, page.has_more) == (page.start > 0, page.stop < len(chain))
        assert page.start == target or chain.own[page.start].page_start


def test_an_anchor_that_is_no_safe_cut_brings_what_comes_before():
    """A turn on a schedule follows the answer before it; within the limit and the budget."""
    entries = entries_of("uass")
    entries[3] = entries_of("u")[0].__class__(
        record_id="r3",
        source_bytes=10,
        turn_start=False,
        page_start=False,
        tool_result=False,
        navigation="scheduled",
    )
    chain = ListChain(entries)

    assert anchored_page(chain, "r3", 2).start == 1
    assert anchored_page(chain, "r3", 1).start == 3
    assert anchored_page(chain, "r3", 2, expansion_bytes=19).start == 3


def test_a_page_goes_on_from_any_record():
    """Before it and after it, as often as one likes."""
    chain = ListChain(entries_of("uauaua"))
    before, after = place_before(chain, "r2"), place_after(chain, "r2")

    assert backward_page(chain, before).stop == 2
    assert forward_page(chain, after).start == 3
    assert forward_page(chain, place_after(chain, "r5")).stop == 6
    assert not backward_page(chain, place_before(chain, "r0")).has_more
    for place in (place_before, place_after):
        with pytest.raises(InvalidCursor):
            place(chain, "r9")


@pytest.mark.parametrize("limit", [0, -1, 501, True, 1.0, "5", None])
@pytest.mark.parametrize("select", [backward_page, forward_page, anchored_page])
def test_a_limit_is_an_integer_from_1_to_500(select, limit):
    """Nothing else is made one."""
    chain = ListChain(entries_of("ua"))
    with pytest.raises(UsageError) as caught:
        select(chain, "r0" if select is anchored_page else 0, limit)

    assert caught.value.code == "invalid_transcript_limit"


@pytest.mark.parametrize("select", [backward_page, forward_page])
def test_a_position_lies_within_the_chain(select):
    """A cursor that was signed for a longer chain is no good for this one."""
    for position in (-1, 3):
        with pytest.raises(InvalidCursor):
            select(ListChain(entries_of("ua")), position)
