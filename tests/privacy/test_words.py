"""Words and texts under redaction: shape, order of arrival, and what must not survive."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.jsontext import decode, encode, merge_surrogates
from histbench.privacy.text import TextRedactor, redact_text
from histbench.privacy.words import WORD, Pseudonyms
from strategies import json_texts, json_values

PSEUDONYMS = Pseudonyms(b"a key of the tests")
DATABASE = unicodedata.ucd_3_2_0

SCRIPTS = [
    "The quick count_route() calls HTTPServer 12 of 105 times",
    "Größe, élève, ñandú; Łódź",
    "Привет, мир! Ёжик",
    "Καλημέρα κόσμε",
    "漢字を測定しています、カタカナ。",
    "안녕하세요 여러분",
    "مرحبا بالعالم ٣",
    "नमस्ते दुनिया",
    "😀👍🏽 done ✅ 🇩🇪",
    '{"path": "src/a.py", "n": 10, "x": -1.5e-3, "ok": true, "t": "a\\nb \\u00e9\\u6f22 \\"q\\""}',
]

FROZEN = [
    "Lqj fmydu xydlk_beysn() xekby RGDZGslonp 38 qq 346 lhjnh",
    "Saæÿu, ýnäfq, þtgyá; Ůèxŋ",
    "Цлюцши, зчи! Ќцзю",
    "Συβμψΐγο σϰδνι",
    "俎艶る駔麛っわぇだか、ソナヅト。",
]

texts = st.one_of(
    json_texts,
    st.sampled_from(SCRIPTS),
    st.lists(
        st.sampled_from(
            [
                *(
                    "{",
                    "[",
                    '"',
                    "\\",
                    "\\u",
                    "\\u00e9",
                    "true",
                    "tru",
                    "nullx",
                    "1e5",
                    "0",
                    "10",
                    "-",
                ),
                *("e", "E+", "aB", "HTTPServer", "é", "漢", "か", "カ", "😀", "\ud83d", "\ude00"),
                *(" ", "\n", ",", ":", "}", "]", "word" * 9, "7" * 30, "n", "u12"),
            ]
        ),
        max_size=8,
    ).map(lambda parts: merge_surrogates("".join(parts))),
)


def units(text):
    """The UTF-16 units of a text, each as a string."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(data), 2)]


def shape(char):
    """What must be the same of a character and its replacement."""
    category = DATABASE.category(char)
    if category[0] not in "LMN" and category != "Cn":
        return char
    return category, len(char.encode("utf-8", "surrogatepass")), len(units(char))


@given(texts)
def test_each_character_keeps_its_shape(text):
    """Lengths in UTF-8 and UTF-16, case and category stay; what is no letter or digit stays itself."""
    replaced = redact_text(text, PSEUDONYMS)

    assert list(map(shape, replaced)) == list(map(shape, text))
    assert len(encode(replaced)) == len(encode(text))


@given(texts, st.lists(st.integers(0, 40)))
def test_it_does_not_matter_where_a_text_is_cut(text, places):
    """Pieces of a text, cut even inside a surrogate pair, give the pieces of its replacement."""
    whole = units(text)
    cuts = sorted({0, len(whole), *(place for place in places if place < len(whole))})
    redactor = TextRedactor(PSEUDONYMS)
    pieces = [
        "".join(whole[start:stop]) for start, stop in zip(cuts, cuts[1:] or cuts, strict=False)
    ]
    fed = [redactor.feed(piece) for piece in pieces]

    assert merge_surrogates("".join(fed)) == redact_text(text, PSEUDONYMS)
    assert [len(units(piece)) for piece in fed] == [len(units(piece)) for piece in pieces]


@pytest.mark.parametrize("before", ["", " ", "ab", "[", '["x', "[1", "[tr"])
@pytest.mark.parametrize("pair", ["😀", "🇩", "🚀", "\U00010400", "\U00020001", "\U0001d400"])
def test_a_pair_cut_in_two_is_replaced_as_one_character(before, pair):
    """The half that ends a delta stays, since what follows is not known; the other one tells which."""
    text = f"{before}{pair}go"
    whole = units(text)
    redactor = TextRedactor(PSEUDONYMS)
    fed = [redactor.feed(unit) for unit in whole]

    assert merge_surrogates("".join(fed)) == redact_text(text, PSEUDONYMS)
    assert fed[len(before)] == whole[len(before)]
    assert fed[len(before) + 1] != whole[len(before) + 1]


def test_a_half_whose_other_half_never_comes_stays():
    """Lone surrogates are text to JavaScript, and survive."""
    redactor = TextRedactor(PSEUDONYMS)

    assert [redactor.feed(piece) for piece in ("\ud83d", "!", "\ude00", "\ud83d", "")] == [
        *("\ud83d", "!", "\ude00", "\ud83d", "")
    ]


@given(st.text(st.characters(categories=["L", "M", "N"]), max_size=40))
def test_the_same_word_is_replaced_alike_everywhere(word):
    """Repetition, which compression lives on, is kept."""
    replaced = redact_text(f"{word} {word}, ({word})", PSEUDONYMS)
    one = redact_text(f"-{word}", PSEUDONYMS)[1:]

    assert replaced == f"{one} {one}, ({one})"


@given(texts, texts)
def test_different_names_stay_different(one, other):
    """Keys and ids are told apart after redaction as before."""
    replaced = [redact_text(text, PSEUDONYMS, plain=True) for text in (one, other)]

    assert (replaced[0] == replaced[1]) == (one == other)


@given(st.lists(st.from_regex(r"[A-Za-zäöüа-я]{4,30}", fullmatch=True), min_size=1, max_size=5))
def test_no_word_survives(words):
    """Every word has changed, in whatever it is embedded."""
    for text in (" ".join(words), "{" + "_".join(words), encode(words).decode()):
        replaced = redact_text(text, PSEUDONYMS)
        for match in re.finditer(r"[^\W\d_]{4,}", text):
            word = replaced[match.start() : match.end()]
            assert word != match[0] or word in ("true", "false", "null")


@given(json_values)
def test_json_stays_json(value):
    """Arguments, which are JSON in a string, can be parsed as before, to a value of the same shape."""
    text = encode(value).decode("utf-8")
    replaced = redact_text(text, PSEUDONYMS)

    assert re.sub(r"[^][{}:,]", "", replaced) == re.sub(r"[^][{}:,]", "", text)
    # Another leading figure can take the largest numbers past what a double holds.
    if isinstance(value, dict | list) and "e+308" not in text:
        assert outline(decode(replaced)) == outline(decode(text))


def outline(value):
    """Containers and types of a JSON value; keys may have been sorted anew, so they are counted."""
    if isinstance(value, dict):
        return len(value), sorted(repr(outline(member)) for member in value.values())
    if isinstance(value, list):
        return [outline(member) for member in value]
    return "number" if type(value) in (int, float) else type(value).__name__


def test_one_key_gives_the_same_text_on_every_machine():
    """What was redacted elsewhere with the same key can be compared with what is redacted here."""
    assert [redact_text(text, PSEUDONYMS) for text in SCRIPTS[:5]] == FROZEN


def test_another_key_gives_another_text():
    """Who has no key learns nothing from a log redacted with another."""
    other = Pseudonyms(b"another key")

    assert all(redact_text(text, other) != redact_text(text, PSEUDONYMS) for text in SCRIPTS)


def test_a_word_is_remembered_up_to_a_bound():
    """A megabyte without a blank is cut into words, and the rest of it is not kept."""
    redactor = TextRedactor(PSEUDONYMS)
    for _ in range(50):
        redactor.feed("abcdefghijklmnopqrstuvwxyz" * 10)

    assert len(redactor._tail) <= WORD


@pytest.mark.parametrize("text", ["{true story", "[nullify", '{"a": 1e5x', "[falsehood"])
def test_prose_that_begins_like_json_is_redacted(text):
    """At most a literal, or the exponent's letter, stays of what turned out to be no JSON."""
    replaced = redact_text(text, PSEUDONYMS)

    assert replaced != text
    assert replaced[-1] != text[-1]


@pytest.mark.parametrize(
    "piece", ['{"a":', "[1,", '["\\"', "a", "\\", "\\u00e9", "aB", "漢", "\ud83d"]
)
def test_long_texts_take_linear_time(piece):
    """A text of half a megabyte takes a second or so; a quadratic reader hangs here."""
    text = piece * (500_000 // len(piece))

    assert len(redact_text(text, PSEUDONYMS)) == len(text)
