"""A session in a notebook: `histbench.viewer(log)`.

    viewer(log)            a log in memory
    viewer(url)            a session of a running daemon; the URL may be the shell's address
    viewer(..., static=True)   HTML only

Where the extra `viewer` is installed and widgets run (JupyterLab, Notebook 7) it is the web shell's
transcript: newest page first, earlier ones on the way up, turns, search, and what is appended as it
comes: by a daemon's writer, or by `append` of the view of a log in memory.  Elsewhere it is the
newest page as HTML that needs nothing.
"""

from importlib.util import find_spec
from typing import Any

from histbench.errors import UsageError
from histbench.log import EventLog
from histbench.widget.source import load_answer, source_of
from histbench.widget.static import static_html

__all__ = ["StaticView", "viewer"]

_PAGE = 100
_HEIGHTS = range(200, 5001)


class StaticView:
    """The newest page of a session as HTML."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return self.html


def viewer(
    log_or_url: EventLog | str,
    *,
    session: str | None = None,
    token: str | None = None,
    height: int = 560,
    static: bool = False,
) -> Any:
    """Show a session in a notebook.

    Args:
        log_or_url: a log, or the address of a daemon.
        session: of a daemon: its id; by default the one that the address names, or the newest.
        token: the daemon's, where it asks for one.
        height: in pixels, 200 to 5000.
        static: HTML without a widget, which exported notebooks always show.

    Returns:
        A widget (`live.Widget`), or a `StaticView` where it was asked for or the extra `viewer` is not there.

    Raises:
        UsageError: `bad_height`, `bad_address`, `session_not_found`.
        HistbenchError: the log cannot be shown, for what is wrong in it.
    """
    if height not in _HEIGHTS:
        raise UsageError("no such height", code="bad_height", found=height, expected="200 to 5000")
    source = source_of(log_or_url, session, token)
    if static or find_spec("anywidget") is None:
        return StaticView(static_html(load_answer(source, _PAGE)))
    # Only now: it takes a while, and a notebook may do without it.
    from histbench.widget.live import Widget  # noqa: PLC0415

    return Widget(source, height=height, page_size=_PAGE)
