"""Words to words of the same shape under a key: what is common to two words at their start stays so.

The replacement of a character depends on the key, its alphabet and the characters of its word
before it, and on nothing after it:

    out[k] = permutation(key, word[:k], alphabet of word[k]) (word[k])

Three properties follow.  Equal words have equal replacements wherever they stand, so repetition,
which is what compressors live on, is kept; different words have different ones.  A text can be
replaced as it arrives, without waiting for the end of a word, so it does not matter where deltas
cut it.  And no character stands for itself, because each permutation moves all it has.

A word is a run of letters, marks and numbers.  It ends where lower case turns to upper, where the
script changes to or from kana, and after WORD characters, which bounds what has to be remembered;
a character that stands alone is a word.  A first digit stays zero or stays none, so that numbers
of JSON stay numbers.
"""

from hashlib import blake2b

from histbench.privacy.alphabets import DIGITS, LEADING_DIGITS, Alphabet, letter_of

__all__ = ["DEEP", "WORD", "Pseudonyms"]

# Longer than words of prose and most names; what is longer is data, where contexts gain nothing.
WORD = 24

# From here on hardly two words of a log agree, and a rotation, which costs a third, tells no more.
DEEP = 8

# Entries of each cache: some tens of megabytes, and the vocabulary of a very long session.
_CACHED = 1 << 16
_CACHED_LENGTH = 64

_DIGEST = 64

_HEXADECIMAL = (("hex figure", "0123456789"), ("hex lower", "abcdef"), ("hex upper", "ABCDEF"))


class Pseudonyms:
    """The replacements of words under one key; the same key gives the same ones everywhere."""

    def __init__(self, key: bytes) -> None:
        self._key = blake2b(key, digest_size=32, person=b"histbench words").digest()
        self._runs: dict[str, tuple[str, int]] = {}
        self._orders: dict[tuple[str, str], dict[int, int]] = {}

    def run(self, run: str) -> tuple[str, int]:
        """The replacement of a run of characters, and where in it the last word, still open, starts.

        The run starts with a word; characters without an alphabet in it stay, and end a word.
        """
        found = self._runs.get(run)
        if found is None:
            found = self._replaced(run)
            if len(run) <= _CACHED_LENGTH:
                if len(self._runs) >= _CACHED:
                    self._runs.clear()
                self._runs[run] = found
        return found

    def _replaced(self, run: str) -> tuple[str, int]:
        out: list[str] = []
        context, start = "", 0
        script, upper = "", True
        for position, char in enumerate(run):
            letter = letter_of(char)
            if letter is None:
                out.append(char)
                context, start = "", position + 1
                continue
            alphabet = letter.alphabet
            if context and (
                len(context) >= WORD
                or alphabet.alone
                or alphabet.script != script
                or (letter.upper and not upper)
            ):
                context, start = "", position
            if alphabet is DIGITS and not context:
                out.append(self._leading(char))
            else:
                out.append(alphabet.members[self._place(context, alphabet, letter.index)])
            if alphabet.alone:
                context, start = "", position + 1
            else:
                context += letter.folded
            script, upper = alphabet.script, letter.upper
        if len(context) >= WORD:
            start = len(run)
        return "".join(out), start

    def _leading(self, digit: str) -> str:
        if digit == "0":
            return digit
        return LEADING_DIGITS.members[self._order("", LEADING_DIGITS)[int(digit) - 1]]

    def hex_digits(self, context: str, char: str) -> str:
        """A hexadecimal digit of an escape for another: figures for figures, letters for letters."""
        family, members = next(each for each in _HEXADECIMAL if char in each[1])
        return members[self._order(context, Alphabet(family, members))[members.index(char)]]

    def _place(self, context: str, alphabet: Alphabet, index: int) -> int:
        """The place of what replaces an alphabet's character after `context`."""
        if len(context) < DEEP:
            return self._order(context, alphabet)[index]
        size = len(alphabet.members)
        name = f"{alphabet.family}\0{context}".encode()
        drawn = blake2b(name, key=self._key, digest_size=8).digest()
        return (index + 1 + int.from_bytes(drawn) % (size - 1)) % size

    def _order(self, context: str, alphabet: Alphabet) -> dict[int, int]:
        """The permutation of an alphabet's places after `context`: one cycle through all of them."""
        name = (context, alphabet.family)
        order = self._orders.get(name)
        if order is None:
            order = self._cycle(f"{alphabet.family}\0{context}", len(alphabet.members))
            if len(self._orders) >= _CACHED:
                self._orders.clear()
            self._orders[name] = order
        return order

    def _cycle(self, name: str, size: int) -> dict[int, int]:
        ranks = self._ranks(name.encode(), size)
        shuffled = sorted(range(size), key=ranks.__getitem__)
        return dict(zip(shuffled, [shuffled[-1], *shuffled[:-1]], strict=True))

    def _ranks(self, name: bytes, size: int) -> bytes | list[bytes]:
        if size <= _DIGEST:
            return blake2b(name, key=self._key).digest()
        # One byte would leave thousands of characters in the order of their code points.
        return [
            blake2b(b"%d %b" % (place, name), key=self._key, digest_size=8).digest()
            for place in range(size)
        ]
