"""Sentences, paragraphs and answers: how phrases of a language become a model's prose.

A sentence is an opener in `_OPENER` of 100 cases, one to four clauses set apart by connectors, and a
stop.  A paragraph ends after a sentence in `_PARAGRAPH` of 100 cases.  Reasoning is that and nothing
more; an answer also has lists, code in fences, bold words and emoji.
"""

from synthetic.dice import Dice
from synthetic.phrases import Fragments, Language, PhraseSource

__all__ = ["Prose"]

_OPENER = 35
_PARAGRAPH = 13
# Of 100 sentences in an answer: how many open a list item, a code block, end in an emoji.
_LIST_ITEM, _FENCE, _EMOJI = 14, 3, 4
# One to four clauses.
_CLAUSES = [1, 1, 1, 2, 2, 2, 2, 3, 3, 4]
_EMOJIS = ["✅", "⚠️", "🚀", "🎉", "🔍", "❌", "👍", "🧪", "📦", "🐛", "👩‍💻", "🇪🇺"]
_FENCED_FRAGMENTS = (40, 160)


class Prose:
    """Reasoning and answers in one language, drawn from one `PhraseSource`."""

    def __init__(
        self, language: Language, phrases: PhraseSource, code: PhraseSource, dice: Dice
    ) -> None:
        self._dice = dice
        self._phrases = phrases
        self._code = code
        lead = " " if language.spaced else ""
        self._openers = [language.cut(lead + opener) for opener in language.openers]
        self._connectors = [language.cut(connector) for connector in language.connectors]
        self._stops = [language.cut(stop) for stop in language.stops]

    def sentence(self, *, first: bool) -> Fragments:
        """One sentence; `first` in its paragraph, so without a space before it."""
        random = self._dice.random
        fragments: Fragments = []
        if random() * 100 < _OPENER:
            fragments += self._openers[int(random() * len(self._openers))]
        fragments += self._phrases.phrase()
        for _ in range(_CLAUSES[int(random() * len(_CLAUSES))] - 1):
            fragments += self._connectors[int(random() * len(self._connectors))]
            fragments += self._phrases.phrase()
        fragments += self._stops[int(random() * len(self._stops))]
        word = fragments[0]
        space = " " if word[0] == " " else ""
        word = word[len(space) :]
        fragments[0] = ("" if first else space) + word[:1].upper() + word[1:]
        return fragments

    def reasoning(self, count: int) -> Fragments:
        """Exactly `count` fragments of thinking aloud, cut where the count ends."""
        random = self._dice.random
        fragments: Fragments = []
        first = True
        while len(fragments) < count:
            fragments += self.sentence(first=first)
            first = random() * 100 < _PARAGRAPH
            if first:
                fragments.append("\n\n")
        del fragments[count:]
        return fragments

    def answer(self, count: int) -> Fragments:
        """Exactly `count` fragments of an answer in Markdown, cut where the count ends."""
        dice = self._dice
        fragments: Fragments = []
        first = True
        while len(fragments) < count:
            draw = dice.random() * 100
            if draw < _FENCE:
                fragments += ["\n\n", "```", "python", "\n"]
                fragments += self._code.fill(dice.between(*_FENCED_FRAGMENTS))
                fragments += ["\n", "```", "\n\n"]
                first = True
                continue
            if draw < _FENCE + _LIST_ITEM:
                fragments += ["\n", "- "] if dice.percent(70) else ["\n", "- ", "**"]
                starred = fragments[-1] == "**"
                fragments += self.sentence(first=True)
                if starred:
                    fragments.append("**")
                first = False
                continue
            fragments += self.sentence(first=first)
            if dice.random() * 100 < _EMOJI:
                fragments += [" ", dice.one_of(_EMOJIS)]
            first = dice.random() * 100 < _PARAGRAPH
            if first:
                fragments.append("\n\n")
        del fragments[count:]
        return fragments

    def text(self, sentences: int) -> str:
        """A short text of whole sentences, for messages and descriptions."""
        return "".join("".join(self.sentence(first=n == 0)) for n in range(sentences))
