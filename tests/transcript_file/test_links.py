"""Ancestors by links are the ancestors by parents, in few steps."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from histbench.transcript_file.links import ancestor_at, first_with_turns, jump_of_child


class Node(Struct, frozen=True):
    """An entry, as far as links go."""

    number: int
    parent: int | None
    jump: int
    depth: int
    turns: int


def grown(parents, turns):
    """A forest, each node under an earlier one or under none."""
    nodes: list[Node] = []
    for number, (up, turn) in enumerate(zip(parents, turns, strict=True)):
        parent = None if up is None or up >= number else nodes[up]
        nodes.append(
            Node(
                number=number,
                parent=None if parent is None else parent.number,
                jump=number if parent is None else jump_of_child(parent, nodes.__getitem__),
                depth=0 if parent is None else parent.depth + 1,
                turns=turn + (0 if parent is None else parent.turns),
            )
        )
    return nodes


def path_to(node, nodes):
    """All ancestors and the node, the root first."""
    found = [node]
    while found[-1].parent is not None:
        found.append(nodes[found[-1].parent])
    return found[::-1]


@given(st.data())
def test_every_ancestor_is_found_by_its_depth_and_every_turn_by_its_count(data):
    """In any forest, from any node: what walking from parent to parent finds."""
    count = data.draw(st.integers(1, 30))
    parents = [data.draw(st.integers(max(0, at - 6), at) | st.none()) for at in range(count)]
    turns = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    nodes = grown(parents, turns)
    node = nodes[data.draw(st.integers(0, count - 1))]
    path = path_to(node, nodes)
    wanted = range(1, node.turns + 1)

    assert [ancestor_at(node, at, nodes.__getitem__) for at in range(len(path))] == path
    assert [first_with_turns(node, each, nodes.__getitem__) for each in wanted] == [
        next(upper for upper in path if upper.turns == each) for each in wanted
    ]


def test_the_way_grows_with_the_logarithm_of_the_distance():
    """In a chain of 100,000, no ancestor is further than a few dozen looks."""
    nodes = grown([None, *range(99_999)], [False] * 100_000)
    looks = 0

    def fetch(number):
        nonlocal looks
        looks += 1
        return nodes[number]

    worst = 0
    for depth in range(0, 100_000, 997):
        looks = 0
        ancestor_at(nodes[-1], depth, fetch)
        worst = max(worst, looks)

    assert worst <= 100
