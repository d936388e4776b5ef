"""Secrets in a log, found by patterns that their issuers made recognisable; never shown.

A finding is a kind, how often it occurs and where first.  Copies count: an assembled message
repeats its deltas.  Text is looked at block by block, so a secret that deltas cut in pieces is
found whole.

Linear time: a pattern is tried only on a text that holds one of its marks, which `in` finds; every
repetition is bounded, and a match starts only where a word does.  Of each open block the last REACH
characters are kept, and no secret longer than that is looked for.

False alarms: where an issuer's pattern alone is weak, the value must also look random (`entropy`)
and must not be a placeholder.
"""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from histbench.events import Event
from histbench.log import Diagnostic
from histbench.privacy.blocks import OpenBlocks, delta_of_event, edge_of_event, place_of_row
from histbench.records import Plain, Record
from histbench.rows import CHUNK_TYPE

__all__ = ["KINDS", "REACH", "Secret", "SecretFinder", "find_secrets"]

# The longest secret that is recognised; a JSON web token with many claims fits.
REACH = 2048

# Fragments are looked at together, so that patterns are not tried again for every token.
_AT_ONCE = 4096

# Bits for each character: words and repetitions stay below, random letters and digits above.
_RANDOM = 3.0
_PLACEHOLDER = re.compile(
    r"x{4}|\*{3}|\.{3}|example|placeholder|your[_-]|<|\$\{|dummy|redacted|1234567890|changeme",
    re.IGNORECASE,
)


class Secret(Struct, frozen=True, kw_only=True):
    """A kind of secret in a log: how often it occurs, and the seq where it first begins."""

    kind: str
    count: int
    seq: int

    def diagnostic(self) -> Diagnostic:
        """The finding as something that a reader of the log should know."""
        times = "once" if self.count == 1 else f"{self.count:,} times"
        return Diagnostic(
            code="secret_found", message=f"{times} what looks like: {self.kind}", seq=self.seq
        )


class _Pattern(Struct, frozen=True):
    """`marks`: one of them is in every text that can match; `random`: group 1 must look so."""

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    random: bool = False


def _pattern(kind: str, marks: str, pattern: str, *, random: bool = False) -> _Pattern:
    return _Pattern(kind, tuple(marks.split("|")), re.compile(pattern, re.ASCII), random)


# No letter, digit or the like before a token: `task-…` is no `sk-…`.
_START = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"

_TABLE = (
    _pattern(
        "private key", "PRIVATE KEY", r"-----BEGIN (?:[A-Z]{2,9} ){0,2}PRIVATE KEY(?: BLOCK)?-----"
    ),
    _pattern(
        "AWS access key", "AKIA|ASIA", _START + r"(A(?:KIA|SIA)[A-Z2-7]{16})" + _END, random=True
    ),
    _pattern(
        "GitHub token",
        "ghp_|gho_|ghu_|ghs_|ghr_",
        _START + r"(gh[pousr]_[A-Za-z0-9]{36,251})" + _END,
        random=True,
    ),
    _pattern(
        "GitHub token", "github_pat_", _START + r"(github_pat_[A-Za-z0-9_]{36,251})", random=True
    ),
    _pattern("GitLab token", "glpat-", _START + r"(glpat-[A-Za-z0-9_-]{20,60})", random=True),
    _pattern(
        "Slack token",
        "xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xapp-",
        _START + r"((?:xox[abprs]|xapp)-[A-Za-z0-9-]{10,250})",
        random=True,
    ),
    _pattern(
        "Slack webhook",
        "hooks.slack.com/",
        r"(hooks\.slack\.com/services/[A-Za-z0-9]{1,20}/[A-Za-z0-9]{1,20}/[A-Za-z0-9]{8,40})",
        random=True,
    ),
    _pattern("Google API key", "AIza", _START + r"(AIza[A-Za-z0-9_-]{35})" + _END, random=True),
    _pattern(
        "Google OAuth token", "ya29.", _START + r"(ya29\.[A-Za-z0-9_-]{20,1024})", random=True
    ),
    _pattern(
        "Anthropic API key", "sk-ant-", _START + r"(sk-ant-[A-Za-z0-9_-]{20,200})", random=True
    ),
    _pattern(
        "API key",
        "sk-",
        _START + r"(sk-(?!ant-)(?:[a-z]{2,10}-){0,2}[A-Za-z0-9_-]{20,250})",
        random=True,
    ),
    _pattern(
        "Stripe key", "sk_live_|rk_live_", _START + r"([rs]k_live_[A-Za-z0-9]{16,250})", random=True
    ),
    _pattern("Hugging Face token", "hf_", _START + r"(hf_[A-Za-z0-9]{30,60})" + _END, random=True),
    _pattern("npm token", "npm_", _START + r"(npm_[A-Za-z0-9]{36})" + _END, random=True),
    _pattern("PyPI token", "pypi-", _START + r"(pypi-AgE[A-Za-z0-9_-]{40,500})", random=True),
    _pattern(
        "SendGrid key",
        "SG.",
        _START + r"(SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64})",
        random=True,
    ),
    _pattern("xAI API key", "xai-", _START + r"(xai-[A-Za-z0-9]{40,120})", random=True),
    _pattern("Groq API key", "gsk_", _START + r"(gsk_[A-Za-z0-9]{40,80})", random=True),
    _pattern(
        "JSON web token",
        "eyJ",
        _START + r"(eyJ[A-Za-z0-9_-]{8,400}\.eyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]{16,512})",
    ),
    _pattern(
        "bearer token",
        "earer |EARER ",
        r"\b[Bb](?:earer|EARER) {1,4}(?!eyJ|sk-|gh[pousr]_)([A-Za-z0-9._~+/-]{20,1024}={0,2})",
        random=True,
    ),
    _pattern(
        "connection string",
        "://",
        _START
        + r"(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|https?|ftp|mssql|clickhouse)://[^\s:/@\"'<>\\]{0,64}:([^\s/@\"'<>\\]{3,128})@[A-Za-z0-9.-]{1,253}",
    ),
    _pattern(
        "e-mail address",
        "@",
        r"(?<![A-Za-z0-9._%+:/-])([A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24})(?![A-Za-z0-9@-])",
    ),
)

KINDS = tuple(dict.fromkeys(each.kind for each in _TABLE))

_MARKS = tuple(sorted({mark for pattern in _TABLE for mark in pattern.marks}))
_RAW_MARKS = tuple(mark.encode() for mark in _MARKS)

# Patterns that prose can match: there a figure must be among the characters.
_WEAK = frozenset({"API key", "bearer token"})
_NO_PASSWORDS = frozenset(
    (
        "password",
        "passwd",
        "pass",
        "pwd",
        "secret",
        "postgres",
        "root",
        "admin",
        "test",
        "user",
        "username",
        "guest",
        "mysql",
        "pw",
    )
)

# Addresses that documentation reserves, and names that no mail reaches.
_NO_ADDRESS = re.compile(
    r"@(?:[\w.-]*\.)?(?:example\.(?:com|org|net)|test|invalid|localhost|example)$|\.(?:png|jpe?g|gif|svg|js|css|py|ts)$|^(?:noreply|no-reply|git)@|users\.noreply",
    re.IGNORECASE,
)


class SecretFinder:
    """Looks for secrets in records as they pass by, in memory that does not grow with the log."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, int] = {}
        self._blocks = OpenBlocks(_Text, self._look_at_rest)

    def record(self, record: Record) -> None:
        """Look at one record of the log; they come in order."""
        if isinstance(record, Plain):
            if record.type == CHUNK_TYPE or _may_hold(record.raw):
                self.event(record.event())
            return
        text = self._blocks.of(*place_of_row(record))
        for seq, piece in zip(range(record.seq0, record.end_seq), record.text_list(), strict=True):
            text.append(piece, seq)
        self._look_at(text)

    def event(self, event: Event) -> None:
        """Look at one logical event instead."""
        delta = delta_of_event(event)
        if delta is not None:
            text = self._blocks.of(delta.place, delta.own)
            text.append(delta.text, event["seq"])
            self._look_at(text)
            return
        edge = edge_of_event(event)
        if edge is not None:
            self._blocks.end(edge)
        for string in _strings(event):
            for kind, _start in _found(string):
                self._count(kind, event["seq"])

    def secrets(self) -> tuple[Secret, ...]:
        """What was found, by kind; call it after the last record."""
        self._blocks.end_all()
        return tuple(
            Secret(kind=kind, count=count, seq=self._first[kind])
            for kind, count in sorted(self._counts.items())
        )

    def _look_at(self, text: "_Text") -> None:
        if text.size >= REACH + _AT_ONCE:
            for kind, seq in text.found(text.size - REACH):
                self._count(kind, seq)

    def _look_at_rest(self, text: "_Text") -> None:
        for kind, seq in text.found(text.size):
            self._count(kind, seq)

    def _count(self, kind: str, seq: int) -> None:
        self._counts[kind] += 1
        self._first[kind] = min(seq, self._first.get(kind, seq))


class _Text:
    """The end of a block's text, with the seqs that its pieces came from."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._seqs: list[int] = []
        self.size = 0
        # What was looked at and only stands before what was not.
        self._seen = 0

    def append(self, piece: str, seq: int) -> None:
        if piece:
            self._pieces.append(piece)
            self._starts.append(self.size)
            self._seqs.append(seq)
            self.size += len(piece)

    def found(self, stop: int) -> list[tuple[str, int]]:
        """The kind and seq of each secret that begins before `stop`; what lies before is forgotten."""
        joined = "".join(self._pieces)
        found = [
            (kind, self._seqs[bisect_right(self._starts, start) - 1])
            for kind, start in _found(joined)
            if self._seen <= start < stop
        ]
        # One character more, which tells whether a word begins at `stop`.
        cut = max(stop - 1, 0)
        first = max(bisect_right(self._starts, cut) - 1, 0)
        self._pieces = [joined[cut:]]
        self._seqs = self._seqs[first:]
        self._starts = [max(start - cut, 0) for start in self._starts[first:]]
        self.size, self._seen = len(joined) - cut, stop - cut
        return found


def _may_hold(raw: bytes) -> bool:
    # An escape may hide a mark; canonical JSON has none of these two.
    return any(mark in raw for mark in _RAW_MARKS) or b"\\/" in raw or b"\\u00" in raw


def _strings(value: Any) -> Iterator[str]:
    values = [value]
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            values.extend(value)
            values.extend(value.values())
        elif isinstance(value, list):
            values.extend(value)


def _found(text: str) -> Iterator[tuple[str, int]]:
    """The kind and the place of each secret in `text`."""
    for mark in _MARKS:
        if mark in text:
            break
    else:
        return
    for each in _TABLE:
        if any(mark in text for mark in each.marks):
            for match in each.pattern.finditer(text):
                if _is_likely(each, match[match.re.groups and 1]):
                    yield each.kind, match.start()


def _is_likely(pattern: _Pattern, value: str) -> bool:
    if pattern.kind == "e-mail address":
        return _NO_ADDRESS.search(value) is None
    if pattern.kind == "connection string":
        return value.lower() not in _NO_PASSWORDS and _PLACEHOLDER.search(value) is None
    if not pattern.random:
        return True
    return (
        _entropy(value) >= _RANDOM
        and _PLACEHOLDER.search(value) is None
        and (pattern.kind not in _WEAK or any(char.isdigit() for char in value))
    )


def _entropy(text: str) -> float:
    """Shannon's bits for each character."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


def find_secrets(records: Iterable[Record]) -> tuple[Secret, ...]:
    """The kinds of secrets in the records of one log, with counts and first seqs; never a secret.

    Args:
        records: storage records in order, as `EventLog.records` gives them.
    """
    finder = SecretFinder()
    for record in records:
        finder.record(record)
    return finder.secrets()
