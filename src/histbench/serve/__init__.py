"""The daemon: history pages, transcripts and live events of the sessions under a root, over HTTP.

    app        the edge: Starlette's connection to plain values and back
    api        a request's head and body to its response; `guard`, `routing`, `parameters`,
               `operations` and `content` are its steps, in this order
    desk       what operations work with: `sessions`, `readers`, `settings`
    hub        who follows which file; `follower` reads it once for all, `stream` is one subscriber
    server     the socket, uvicorn, and the end

docs/serving.md is the page for who calls it.  Needs the extra `server`.
"""

from histbench.serve.settings import Settings

__all__ = ["Settings"]
