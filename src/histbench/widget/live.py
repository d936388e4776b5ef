"""The widget: the shell's modules in a notebook, answered by the kernel (the extra `viewer`)."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import anywidget
import traitlets

from histbench.widget.bundle import bundle
from histbench.widget.source import Source

__all__ = ["Widget", "shell_sources"]


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


def _style() -> str:
    # In a shadow tree the host stands for the document.
    sheet = (files("histbench.serve") / "shell" / "style.css").read_text(encoding="utf-8")
    return (
        sheet.replace(":root[data-theme", ":host([data-theme")
        .replace('="light"] {', '="light"]) {')
        .replace('="dark"] {', '="dark"]) {')
        .replace(":root", ":host")
    )


class Widget(anywidget.AnyWidget):
    """A view of one source; `html` is shown where widgets cannot run."""

    _esm = bundle(shell_sources(), "viewer.js")

    session_id = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    style = traitlets.Unicode().tag(sync=True)

    def __init__(self, source: Source, *, height: int, html: str) -> None:
        super().__init__(session_id=source.session_id, height=height, style=_style())
        self._source = source
        self._html = html
        self.on_msg(self._receive)

    def _receive(self, _widget: object, message: object, _buffers: object) -> None:
        if not isinstance(message, dict):
            return
        status, text = self._source.ask(
            str(message.get("method")),
            str(message.get("path")),
            str(message.get("query")),
            message.get("body"),
        )
        self.send({"id": message.get("id"), "status": status, "text": text})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        return {**data, "text/html": self._html}, metadata
