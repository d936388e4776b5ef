"""Whatever the limit, pages of a generated conversation are the conversation, from either end."""

import pytest
from msgspec import structs

from histbench.transcript import MemoryChain
from histbench.transcript.select import MAX_LIMIT, backward_page, forward_page
from synthetic.profiles import load_transcript
from synthetic.transcripts import transcript_lines


@pytest.fixture(scope="module")
def chain():
    """Turns of many sizes, one of them of 700 records, rewinds and side records among them."""
    profile = structs.replace(load_transcript("chat-quick"), giant_turn_records=700)
    return MemoryChain.of_lines(line.rstrip(b"\n") for line in transcript_lines(profile, 1))


@pytest.mark.parametrize("soft_bytes", [None, 30_000])
def test_every_limit_gives_the_whole_chain_backward_and_forward(chain, soft_bytes):
    """From 1 to 500: no record is lost, doubled or out of order, and no page is past its bound."""
    for limit in range(1, MAX_LIMIT + 1):
        back, position = [], len(chain)
        while position:
            page = backward_page(chain, position, limit, soft_bytes)
            back.append((page.start, page.stop))
            position = page.next
        forward, position = [], 0
        while position < len(chain):
            page = forward_page(chain, position, limit, soft_bytes)
            forward.append((page.start, page.stop))
            position = page.next

        for pages in (back[::-1], forward):
            assert [start for start, _ in pages] == [0, *(stop for _, stop in pages[:-1])]
            assert pages[-1][1] == len(chain)
        assert all(stop - start <= 3 * limit for start, stop in back)
        assert all(stop - start <= limit for start, stop in forward)
