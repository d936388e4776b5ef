"""Phrases: patterns with slots, the words that fill them, and phrases that come back.

A *language* is a TOML file in `synthetic/languages/`: patterns of clauses, word lists by slot and
how its words are cut into fragments.  Source code and shell commands are languages too.

In a pattern `{N}` is a word of slot N drawn anew, `{N1}` a word drawn once per phrase and then
repeated, `{{` a brace.  Words of a slot are drawn with Zipf weights 1 / (rank + 3) over an order
that the seed shuffles, so each session has favourites of its own.

Model reasoning repeats itself.  A `PhraseSource` therefore keeps its last `memory` phrases, and in
`reuse` of 100 cases returns one of them, fragment for fragment, instead of a fresh one.
"""

import re
from collections.abc import Sequence
from importlib import resources

import msgspec

from synthetic.dice import Dice
from synthetic.tokens import cut

__all__ = ["NAME_PIECE", "NAME_WHOLE", "Fragments", "Language", "PhraseSource", "load_language"]

Fragments = list[str]
Table = list[tuple[str, ...]]
# A literal run of fragments, or a table of words and the key under which a draw is remembered.
Part = tuple[str, ...] | tuple[Table, str]

_SLOT = re.compile(r"\{\{|\}\}|\{([A-Z#])([0-9]?)\}")
# Fine enough for the rarest of 300 Zipf-weighted words to have an entry of its own.
_TABLE_SIZE = 4096
_ZIPF_SHIFT = 3
_WEIGHT = 1_000_000
_NUMBERS = 512
# How names and code are cut, whatever the language around them.
NAME_WHOLE, NAME_PIECE = 7, 4


class Language(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Patterns and words; `spaced` tells whether a space stands between words."""

    spaced: bool
    whole: int
    piece: int
    clauses: list[str]
    slots: dict[str, str]
    openers: list[str] = []
    connectors: list[str] = []
    stops: list[str] = []

    def cut(self, text: str) -> tuple[str, ...]:
        """The fragments of `text` under this language's word lengths."""
        return cut(text, self.whole, self.piece)

    def cut_to(self, whole: int, piece: int) -> "Language":
        """This language with words cut at the latest as these two numbers say."""
        return msgspec.structs.replace(
            self, whole=min(whole, self.whole), piece=min(piece, self.piece)
        )


def load_language(name: str) -> Language:
    """The language of that name; names come from our own tables, so an unknown one is a bug."""
    text = (resources.files("synthetic") / "languages" / f"{name}.toml").read_bytes()
    return msgspec.toml.decode(text, type=Language)


def _zipf_table(words: Sequence[str], dice: Dice) -> list[str]:
    """About `_TABLE_SIZE` entries, each word as often as its Zipf weight says."""
    order = list(words)
    for last in range(len(order) - 1, 0, -1):
        other = dice.below(last + 1)
        order[last], order[other] = order[other], order[last]
    total = sum(_WEIGHT // (rank + _ZIPF_SHIFT) for rank in range(len(order)))
    table: list[str] = []
    for rank, word in enumerate(order):
        table += [word] * max(1, _TABLE_SIZE * (_WEIGHT // (rank + _ZIPF_SHIFT)) // total)
    return table


class PhraseSource:
    """Fresh and recurring phrases of one language, as lists of fragments."""

    def __init__(
        self,
        language: Language,
        names: dict[str, list[str]],
        dice: Dice,
        *,
        reuse: int,
        memory: int,
    ) -> None:
        self._random = dice.random
        self._reuse = reuse / 100
        self._memory = memory
        self._recent: list[Fragments] = []
        self._next = 0
        numbers = [str(dice.below(10 ** (1 + dice.below(4)))) for _ in range(_NUMBERS)]
        self._bare: dict[str, Table] = {}
        self._spaced: dict[str, Table] = {}
        for slot, text in sorted(language.slots.items()):
            table = _zipf_table(text.split(), dice)
            self._add(slot, table, language.whole, language.piece)
        # Names are written in Latin letters in every language, and cut as such.
        for slot, words in (*sorted(names.items()), ("#", numbers)):
            table = _zipf_table(words, dice)
            self._add(slot, table, NAME_WHOLE, NAME_PIECE)
        lead = " " if language.spaced and language.stops else ""
        self._clauses = [self._compiled(lead + clause, language) for clause in language.clauses]

    def _add(self, slot: str, words: list[str], whole: int, piece: int) -> None:
        self._bare[slot] = [cut(word, whole, piece) for word in words]
        self._spaced[slot] = [cut(" " + word, whole, piece) for word in words]

    def _compiled(self, pattern: str, language: Language) -> list[Part]:
        parts: list[Part] = []
        literal = ""
        position = 0
        for match in _SLOT.finditer(pattern):
            literal += pattern[position : match.start()]
            position = match.end()
            if match[1] is None:
                literal += match[0][0]
                continue
            # The space before a word belongs to its first fragment, as in any other text.
            tables = self._bare
            if literal.endswith(" ") and not literal[:-1].endswith((" ", "\n")):
                literal, tables = literal[:-1], self._spaced
            if literal:
                parts.append(language.cut(literal))
            parts.append((tables[match[1]], match[2] and match[1] + match[2]))
            literal = ""
        literal += pattern[position:]
        if literal:
            parts.append(language.cut(literal))
        return parts

    def phrase(self) -> Fragments:
        """The next phrase; the caller must not change it."""
        random, recent = self._random, self._recent
        if recent and random() < self._reuse:
            return recent[int(random() * len(recent))]
        fresh = self._fresh()
        if len(recent) < self._memory:
            recent.append(fresh)
        else:
            recent[self._next] = fresh
            self._next = (self._next + 1) % self._memory
        return fresh

    def _fresh(self) -> Fragments:
        random = self._random
        fragments: Fragments = []
        remembered: dict[str, int] = {}
        for part in self._clauses[int(random() * len(self._clauses))]:
            if isinstance(part[0], str):
                fragments += part
                continue
            table, key = part
            draw = int(random() * len(table))
            if key:
                draw = remembered.setdefault(key, draw)
            fragments += table[draw]
        return fragments

    def fill(self, count: int) -> Fragments:
        """Exactly `count` fragments of phrases in a row, the last one cut where the count ends."""
        fragments: Fragments = []
        while len(fragments) < count:
            fragments += self.phrase()
        del fragments[count:]
        return fragments
