"""The models under the profiles: draws, fragments, gaps, phrases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.jsontext import decode
from synthetic.author import Author
from synthetic.clocks import Gaps
from synthetic.dice import Dice, quantile_table
from synthetic.names import make_names
from synthetic.phrases import PhraseSource, load_language
from synthetic.profiles import LANGUAGES
from synthetic.tokens import cut

CODE = ("python", "shell", "typescript")


def test_draws_never_change():
    """The first draws of a stream, written down once: what every other test stands on."""
    dice = Dice(1, "a", "b")

    assert [dice.below(1000) for _ in range(6)] == [244, 430, 792, 374, 622, 692]
    assert dice.uuid() == "76b0be5d-1093-40a9-85c0-b51468d3ec97"


@given(st.integers(), st.integers(1, 10**9))
def test_draws_stay_in_their_range(seed, n):
    """`below` gives 0 to n - 1, `between` both its ends at most."""
    dice = Dice(seed)

    assert 0 <= dice.below(n) < n
    assert -n <= dice.between(-n, n) <= n


@given(st.lists(st.integers(1, 10_000), min_size=2, max_size=12).map(sorted), st.integers(1, 300))
def test_quantile_tables_are_ascending_and_bounded(quantiles, size):
    """Values lie between the first and the last quantile, in order; draws as well."""
    table = quantile_table(quantiles, size)

    assert len(table) == size
    assert table == sorted(table)
    assert quantiles[0] <= table[0]
    assert table[-1] <= quantiles[-1]
    assert quantiles[0] <= Dice(size).quantile(quantiles) <= quantiles[-1]


@given(st.text(), st.integers(1, 12), st.integers(1, 6))
def test_fragments_add_up_to_their_text(text, whole, piece):
    """Cutting loses nothing and makes no empty fragment."""
    fragments = cut(text, whole, piece)

    assert "".join(fragments) == text
    assert "" not in fragments


@pytest.mark.parametrize("language", [*LANGUAGES, *CODE])
def test_every_slot_of_a_language_has_words(language):
    """Each pattern can be filled, and filling gives exactly the count asked for."""
    names = make_names(Dice(1, "names"))
    phrases = PhraseSource(load_language(language), names, Dice(1), reuse=0, memory=1)

    assert len(phrases.fill(2_000)) == 2_000


@pytest.mark.parametrize("name", LANGUAGES)
@given(st.integers(1, 9), st.integers(1, 9))
def test_a_language_can_be_cut_shorter_and_not_longer(name, whole, piece):
    """Bounds above what the language has change nothing; lower ones are kept."""
    language = load_language(name)
    shorter = language.cut_to(whole, piece)

    assert shorter.whole == min(whole, language.whole)
    assert shorter.piece == min(piece, language.piece)
    assert shorter.cut_to(99, 99) == shorter


def test_reuse_brings_phrases_back():
    """At 100 % every phrase is the first one; at 0 % they are all made anew."""
    names = make_names(Dice(1, "names"))
    english = load_language("english")
    same = PhraseSource(english, names, Dice(1), reuse=100, memory=10)
    fresh = PhraseSource(english, names, Dice(1), reuse=0, memory=10)

    assert len({tuple(same.phrase()) for _ in range(50)}) == 1
    assert len({tuple(fresh.phrase()) for _ in range(50)}) > 40


def test_gaps_have_the_recorded_shape():
    """Mostly 0, about one in seven 1, the waits around 28 ms, few beyond 150 ms."""
    gaps = Gaps(Dice(1, "gaps")).take(100_000)
    waits = sorted(gap for gap in gaps if gap > 1)

    assert 0.58 < gaps.count(0) / len(gaps) < 0.67
    assert 0.11 < gaps.count(1) / len(gaps) < 0.17
    assert 26 <= waits[len(waits) // 2] <= 30
    assert waits[len(waits) * 99 // 100] < 250 < waits[-1]


def test_gaps_do_not_depend_on_how_they_are_taken():
    """Taking 300 at once or in pieces gives the same gaps."""
    pieces = Gaps(Dice(1))
    whole = Gaps(Dice(1)).take(300)

    assert [gap for n in range(1, 25) for gap in pieces.take(n)] == whole


@pytest.mark.parametrize("seed", range(20))
def test_tool_arguments_are_json(seed):
    """The fragments of any call add up to a JSON object of strings."""
    author = Author(seed, languages={"english": 1}, reuse=20, memory=50)
    call = author.toolbox().draw(40)
    arguments = decode("".join(call.fragments))

    assert all(isinstance(value, str) for value in arguments.values())
    assert call.fragments[:2] == ["", "{"]


@pytest.mark.parametrize("count", [60, 61, 500])
def test_a_write_call_has_exactly_the_fragments_asked_for(count):
    """So that the counts of a profile can be planned."""
    author = Author(3, languages={"english": 1}, reuse=20, memory=50)
    call = author.toolbox().write(count)

    assert len(call.fragments) == count
    assert set(decode("".join(call.fragments))) == {"file_path", "content"}
