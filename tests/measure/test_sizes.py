"""Values are counted as a parser would meet them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.measure import sizes
from histbench.measure.sizes import count_json_values

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('a"\\,[]{}:é')),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.sampled_from('a",[]{}')), inner),
    max_leaves=12,
)


def count_parsed(value):
    """The oracle: a walk over the parsed value."""
    members = value.values() if isinstance(value, dict) else value
    return 1 + sum(map(count_parsed, members)) if isinstance(value, dict | list) else 1


@given(value=json_values, compact=st.booleans())
@pytest.mark.parametrize("block", [1, 2, 3, 1 << 22])
def test_count_equals_a_walk_over_the_parsed_text(value, compact, block):
    """No string, escape, white space or edge of a block makes or hides a value."""
    separators = (",", ":") if compact else (" , ", ": ")
    text = json.dumps(value, separators=separators, ensure_ascii=False).encode()
    if not compact:
        text = text.replace(b"[]", b"[ ]").replace(b"{}", b"{ }")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "_BLOCK", block)

        assert count_json_values(text) == count_parsed(value)
