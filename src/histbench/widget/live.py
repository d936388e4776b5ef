"""The widget: the shell's modules in a notebook, answered by the kernel (the extra `viewer`)."""

from collections.abc import Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count
from typing import Any

import anywidget
import traitlets
from IPython.display import display

from histbench.errors import UsageError
from histbench.events import Event
from histbench.serve.stream import EPOCH_HEADER
from histbench.widget.bundle import bundle
from histbench.widget.source import MemorySource, Source, load_answer
from histbench.widget.static import static_html
from histbench.widget.streams import Streams

__all__ = ["Widget", "shell_sources"]

_VIEW = "application/vnd.jupyter.widget-view+json"
_NUMBERS = count(1)
# What a client of a stream says of itself.
_STREAM_HEADERS = frozenset({"accept", "last-event-id", EPOCH_HEADER})


def shell_sources() -> dict[str, str]:
    """The shell's modules by their paths below its folder."""
    found: dict[str, str] = {}
    _gather(files("histbench.serve") / "shell", "", found)
    return found


def _gather(folder: Traversable, path: str, found: dict[str, str]) -> None:
    for each in folder.iterdir():
        if each.is_dir():
            _gather(each, f"{path}{each.name}/", found)
        elif each.name.endswith(".js"):
            found[path + each.name] = each.read_text(encoding="utf-8")


def _sheet() -> str:
    # In a shadow tree the host stands for the document.
    text = (files("histbench.serve") / "shell" / "style.css").read_text(encoding="utf-8")
    return (
        text.replace(":root[data-theme", ":host([data-theme")
        .replace('="light"] {', '="light"]) {')
        .replace('="dark"] {', '="dark"]) {')
        .replace(":root", ":host")
    )


class Widget(anywidget.AnyWidget):
    """A view of one source, which follows it; also HTML, where widgets cannot run."""

    _esm = bundle(shell_sources(), "viewer.js")

    session_id = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    # Not `style`, which a DOMWidget takes for another widget.
    sheet = traitlets.Unicode().tag(sync=True)
    # What its HTML is known by to the page that shows both.
    name = traitlets.Unicode().tag(sync=True)

    def __init__(self, source: Source, *, height: int, page_size: int) -> None:
        super().__init__(
            session_id=source.session_id,
            height=height,
            sheet=_sheet(),
            # The same in each run of a notebook.
            name=f"{source.session_id} {next(_NUMBERS)}",
        )
        self._source = source
        self._page_size = page_size
        self._streams = Streams(source, self.send)
        self.on_msg(self._receive)

    def append(self, events: Iterable[Event]) -> None:
        """Show more events behind those of a log in memory, wherever it is on show.

        Args:
            events: in their order; they get the seqs that follow.

        Raises:
            UsageError: `not_in_memory`, the session is a daemon's and grows by itself.
            HistbenchError: one of them is no event.
        """
        if not isinstance(self._source, MemorySource):
            raise UsageError("a daemon's session is written elsewhere", code="not_in_memory")
        self._source.append(events)

    def close(self) -> None:
        """End what the page follows, and the widget."""
        self._streams.close()
        super().close()

    def _receive(self, _widget: object, message: object, _buffers: object) -> None:
        if not isinstance(message, dict):
            return
        name, path, query = (str(message.get(key, "")) for key in ("id", "path", "query"))
        if message.get("stream") is True:
            given = message.get("headers")
            headers = given.items() if isinstance(given, dict) else ()
            sent = {key: str(value) for key, value in headers if key in _STREAM_HEADERS}
            self._streams.begin(name, path, query, sent)
        elif message.get("leave") is True:
            self._streams.leave(name)
        elif isinstance(message.get("took"), int):
            self._streams.took(name, message["took"])
        else:
            method, body = str(message.get("method")), message.get("body")
            status, text = self._source.ask(method, path, query, body)
            self.send({"id": name, "status": status, "text": text})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        html = static_html(load_answer(self._source, self._page_size), view=self.name)
        return {**data, "text/html": html}, metadata

    def _ipython_display_(self) -> None:
        # As two outputs: of one, an export that knows the widget's state shows the widget alone,
        # which nothing answers there.
        data, _ = self._repr_mimebundle_()
        for output in ({"text/html": data["text/html"]}, {_VIEW: data[_VIEW], "text/plain": ""}):
            display(output, raw=True)  # type: ignore[no-untyped-call]
