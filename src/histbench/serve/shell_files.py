"""The web shell: its files, each under a path of its own, as answers like any other.

    /                the page
    /shell/<file>    what the page loads

They come out of the package and are read once, when the first of them is asked for.  They hold
nothing of anybody's session, so they need no token: the page has to be there to ask for one.

The page may load from this daemon only, and runs no script that is not one of these files.
Trusted Types are required, so that a text that found its way into markup would be an error.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from histbench.serve.message import Answer

__all__ = ["HTML", "shell_file"]

HTML = "text/html; charset=utf-8"

_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": HTML,
    ".js": "text/javascript; charset=utf-8",
}

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)


def shell_file(method: str, path: bytes) -> Answer | None:
    """The file with this path, percent-encoded as it came; None where there is none."""
    return _answers().get(path) if method in {"GET", "HEAD"} else None


@cache
def _answers() -> Mapping[bytes, Answer]:
    found = dict(_walk(files("histbench.serve") / "shell", "/shell"))
    return {**found, b"/": found[b"/shell/index.html"]}


def _walk(folder: Traversable, path: str) -> Iterator[tuple[bytes, Answer]]:
    for each in folder.iterdir():
        below = f"{path}/{each.name}"
        if each.is_dir():
            yield from _walk(each, below)
            continue
        media_type = _MEDIA_TYPES.get(each.name[each.name.rfind(".") :])
        if media_type is not None:
            yield (
                below.encode(),
                Answer(
                    body=each.read_bytes(),
                    media_type=media_type,
                    headers={"content-security-policy": _POLICY},
                    # Asked for again each time, and not sent again while it is the same.
                    keep="frozen",
                ),
            )
