"""Every format there is, and how a recording is told by what it holds.

The first items are shown to each format; the one that recognises the most of them reads the
recording, and of equals the one that stands first in `FORMATS`.  A session header decides at once.
Names of files are never looked at.
"""

from collections.abc import Iterable, Sequence

from histbench.errors import HistbenchError, InvalidStream, UsageError, short
from histbench.importers.acp import ACP, GROK
from histbench.importers.agui import AGUI
from histbench.importers.anthropic import ANTHROPIC, CLAUDE_STREAM
from histbench.importers.carriers import read_items
from histbench.importers.codex_live import CODEX_LIVE
from histbench.importers.content import Content, Replay
from histbench.importers.dsh_embedded import DSH_EMBEDDED
from histbench.importers.dsh_live import DSH_LIVE
from histbench.importers.family import Format
from histbench.importers.fields import number_at, text_at
from histbench.importers.gemini import GEMINI
from histbench.importers.items import Item
from histbench.importers.langgraph import LANGGRAPH
from histbench.importers.openai_chat import OPENAI_CHAT
from histbench.importers.openai_responses import OPENAI_RESPONSES
from histbench.importers.opencode import OPENCODE
from histbench.importers.transcripts import CLAUDE_CODE, CODEX, GEMINI_CLI, QWEN_CODE
from histbench.importers.vercel import CLOUDFLARE, VERCEL
from histbench.store.archive import ARCHIVE_TYPE

__all__ = ["FORMATS", "SNIFFED_ITEMS", "find_format", "first_items", "sniff", "sniff_items"]

SNIFFED_ITEMS = 64


def _is_log(item: Item) -> bool:
    kind = text_at(item.value, "type")
    return kind == ARCHIVE_TYPE or (
        kind == "session" and not (number_at(item.value, "version") or 0)
    )


DSH_LOG = Format(
    name="dsh",
    title="session logs (version 0): this project's own",
    recognises=_is_log,
    family=None,
    clock="source",
    deltas=True,
    keeps="every event as it is",
)

_IN_ORDER = (
    DSH_LOG,
    DSH_EMBEDDED,
    DSH_LIVE,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    ANTHROPIC,
    CLAUDE_STREAM,
    GEMINI,
    ACP,
    GROK,
    CODEX_LIVE,
    AGUI,
    VERCEL,
    CLOUDFLARE,
    LANGGRAPH,
    OPENCODE,
    CLAUDE_CODE,
    CODEX,
    GEMINI_CLI,
    QWEN_CODE,
)
FORMATS = {each.name: each for each in _IN_ORDER}

# The header is the first item of its log and of nothing else.
_BY_HEADER = (DSH_LOG, DSH_EMBEDDED)


def find_format(name: str) -> Format:
    """The format of this name; UsageError (`unknown_format_name`) when there is none."""
    try:
        return FORMATS[name]
    except KeyError:
        known = ", ".join(FORMATS)
        raise UsageError(
            "no such format", code="unknown_format_name", found=name, expected=f"one of {known}"
        ) from None


def sniff(head: bytes) -> Format:
    """The format of a recording that begins with `head`, compressed or not.

    Raises:
        InvalidStream: `unknown_format`, `empty_stream`.
    """
    return sniff_items(first_items(head), head)


def first_items(head: bytes) -> list[Item]:
    """The first items of a recording, as many as `head` holds; none where it cannot be read."""
    items: list[Item] = []
    try:
        content = Content(Replay(head).read)
        for item in read_items(content, exact=content.exact):
            items.append(item)
            if len(items) == SNIFFED_ITEMS:
                break
    except HistbenchError:
        # Whatever is wrong is said by the reader, or by whoever finds no format.
        pass
    return items


def sniff_items(items: Sequence[Item], head: bytes) -> Format:
    """`sniff`, for who has the items already."""
    if items:
        for known in _BY_HEADER:
            if known.recognises(items[0]):
                return known
    counts = {name: _count(known, items) for name, known in FORMATS.items()}
    best = max(counts, key=counts.__getitem__)
    if counts[best]:
        return FORMATS[best]
    if not head.strip():
        raise InvalidStream("the recording is empty", code="empty_stream")
    raise InvalidStream(
        f"no known format: {_seen(items, head)}",
        code="unknown_format",
        expected=f"one of {', '.join(FORMATS)}; --from names one",
    )


def _count(known: Format, items: Iterable[Item]) -> int:
    return sum(known.recognises(item) for item in items)


def _seen(items: Sequence[Item], head: bytes) -> str:
    values = [item.value for item in items if item.text is None]
    if not values:
        return f"it begins with {short(head.lstrip()[:40])}"
    if isinstance(values[0], dict):
        names = ", ".join(ascii(name) for name in list(values[0])[:8])
        return f"its first value is an object with {names or 'nothing'}"
    return f"its first value is {short(values[0])}"
