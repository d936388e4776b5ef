"""The newest page of a session as HTML that needs nothing: no script, no request, no widget.

What a person reads is shown as the shell shows it, thoughts and tools folded away.  Everything of
the session is escaped text, isolated from the direction of the text around it, and cut where it is
long: this is what a notebook keeps, and what is left of it in an exported page.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from histbench.transcript.blocks import Block, Blocks
from histbench.transcript.view_requests import read_answer

__all__ = ["static_html"]

_MOST_CHARACTERS = 4000
_MOST_BLOCKS = 400

_STYLE = """
.hb{--ink:#23262a;--soft:#5c6066;--line:#e3dfd8;--card:#fff;--page:#faf9f7;--accent:#256560;
color:var(--ink);background:var(--page);border:1px solid var(--line);border-radius:12px;
padding:12px 24px 20px;max-width:820px;font:15px/24px system-ui,sans-serif;overflow-wrap:anywhere}
.hb p,.hb pre{margin:0;white-space:pre-wrap}
.hb .user{margin:22px 0 12px;padding:10px 16px;border:1px solid var(--line);border-radius:12px;
background:var(--card)}
.hb .who{font-size:12.5px;font-weight:650;color:var(--accent)}
.hb .agent{margin:12px 0}
.hb details{margin:4px 0;font-size:13.5px;color:var(--soft)}
.hb summary{cursor:pointer}
.hb pre{margin:6px 0;padding:10px 12px;border:1px solid var(--line);border-radius:8px;
background:var(--card);color:var(--ink);font:13px/20px ui-monospace,monospace;max-height:420px;
overflow:auto}
.hb .note{font-size:13px;color:var(--soft)}
.lm-Widget .hb[data-view]{max-height:480px;overflow:auto}
@media (prefers-color-scheme:dark){.hb:not(.light){--ink:#e4e2dd;--soft:#a5a8ab;--line:#303438;
--card:#212427;--page:#16181a;--accent:#7cc4bb}}
"""

_WHO = {"user_message_chunk": "user", "agent_message_chunk": "agent"}


def static_html(answer: Mapping[str, Any], *, view: str | None = None) -> str:
    """A fragment of HTML for a load's answer; lone surrogates are shown as U+FFFD.

    `view` names the widget that takes its place where widgets run.
    """
    page = read_answer(answer)
    blocks = Blocks()
    for update in page.updates if page is not None else ():
        blocks.take(update)
    shown = blocks.blocks[-_MOST_BLOCKS:]
    more = page is not None and (page.has_more or len(shown) < len(blocks.blocks))
    parts = [part for block in shown if (part := _block(block))]
    note = "Earlier messages are left out here." if more else "Beginning of the session"
    title = page.session_id if page is not None else None
    place = "" if view is None else f' data-view="{escape(view)}"'
    text = (
        f'<section class="hb"{place} aria-label="Transcript"><style>{_STYLE}</style>'
        f'<p class="note"><bdi>{escape(title or "session")}</bdi> · {note}</p>'
        f"{''.join(parts)}</section>"
    )
    return text.encode("utf-8", "replace").decode()


def _block(block: Block) -> str:
    if block.kind == "tool":
        return _tool(block)
    text = _text(block.updates)
    if not text.strip():
        return ""
    if block.kind == "agent_thought_chunk":
        return f"<details><summary>Thought</summary>{_paragraph(text)}</details>"
    kind = _WHO.get(block.kind)
    if kind is None:
        return ""
    who = '<p class="who">You</p>' if kind == "user" else ""
    return f'<article class="{kind}">{who}{_paragraph(text)}</article>'


def _tool(block: Block) -> str:
    merged: dict[str, Any] = {}
    for update in block.updates:
        merged |= {name: value for name, value in update.items() if value is not None}
    title = merged.get("title")
    outputs = [_text([each]) for each in _objects(merged.get("content"))]
    inside = "".join(f"<pre>{_cut(text)}</pre>" for text in outputs if text)
    label = _cut(title if isinstance(title, str) else "Tool")
    return f"<details><summary><bdi>{label}</bdi></summary>{inside}</details>"


def _text(updates: Sequence[Mapping[str, Any]]) -> str:
    contents = (update.get("content") for update in updates)
    texts = (each.get("text") for each in contents if isinstance(each, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _objects(value: object) -> list[dict[str, Any]]:
    found = value if isinstance(value, list) else []
    return [each for each in found if isinstance(each, dict)]


def _paragraph(text: str) -> str:
    return f'<p dir="auto">{_cut(text)}</p>'


def _cut(text: str) -> str:
    rest = len(text) - _MOST_CHARACTERS
    left_out = f" … {rest:,} more characters" if rest > 0 else ""
    return escape(text[:_MOST_CHARACTERS]) + left_out
