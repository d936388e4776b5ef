"""What a record shows is never passed over by its bytes."""

import re

from hypothesis import given
from hypothesis import strategies as st

from histbench.jsontext import encode
from histbench.transcript.text import one_line
from histbench.transcript.text_bytes import _UNLIKE_ITSELF, may_show


def test_every_character_that_is_a_letter_in_disguise_or_is_not_shown_is_known():
    """Through all of Unicode: what folds to ASCII letters or digits, and what vanishes."""
    for code in [*range(0x7F, 0xD800), *range(0xE000, 0x110000)]:
        character = chr(code)
        folded = re.search("[a-z0-9]", character.casefold()) is not None
        if folded or one_line(f"a{character}b") == "ab":
            assert _UNLIKE_ITSELF.search(character.encode()), hex(code)


TEXTS = st.text(
    st.sampled_from("abkfisAK\u017f\u212a\ufb01\u200b\u0130\u00df \x7f\u00e9") | st.characters()
)


@given(TEXTS, st.booleans())
def test_a_word_that_is_shown_is_never_ruled_out(text, escaped):
    """Whatever stands around, inside, or for its letters."""
    shown = one_line(text).casefold()
    raw = encode(text)
    if escaped:
        raw = (
            b'"%b"'
            % "".join(f"\\u{ord(each):04x}" for each in text if ord(each) < 0x10000).encode()
        )
        shown = one_line("".join(each for each in text if ord(each) < 0x10000)).casefold()

    for word in re.findall("[a-z0-9]+", shown):
        assert may_show(raw, word.encode())
