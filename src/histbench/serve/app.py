"""The edge: from Starlette's connection to our plain values and back.

    request  -> Head -> Api.admit -> (body) -> Api.respond, in a thread -> response
    stream   -> Head -> Api.admit -> Hub.subscribe -> Subscriber.chunks -> response, until it ends

Nothing here knows a route or a parameter.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.types import Message, Receive, Scope, Send

from histbench.errors import HistbenchError
from histbench.serve.api import Api
from histbench.serve.content import SAFE_HEADERS, Response
from histbench.serve.desk import Desk
from histbench.serve.hub import Hub
from histbench.serve.message import Call, Head
from histbench.serve.refusals import INTERNAL
from histbench.serve.settings import Settings
from histbench.serve.stream import EPOCH_HEADER, Subscriber, start_of

__all__ = ["Edge", "create_app"]

_log = logging.getLogger(__name__)

_STREAM_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    # Neither kept nor changed on the way: a proxy that compresses would hold frames back.
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
    **SAFE_HEADERS,
}


class Edge:
    """The ASGI application under Starlette's."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._desk = Desk(settings)
        self._api = Api(self._desk)
        self._threads = ThreadPoolExecutor(settings.workers, thread_name_prefix="answer")
        self.hub = Hub(self._desk)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            # There are no web sockets here.
            await send({"type": "websocket.close", "code": 1000})
            return
        head = _head(scope)
        try:
            found = self._api.shell_file(head)
            if found is not None:
                await _send(send, found)
                return
            operation, call = self._api.admit(head)
            body = b"" if operation.body is None else await self._body(receive)
            answerer = operation.answer or await self._subscribe(call)
        except HistbenchError as error:
            await _send(send, self._api.refuse(head, error))
            return
        except Exception:  # noqa: BLE001  (the outermost caller)
            _log.exception("a request failed")
            await _send(send, self._api.finish(head, INTERNAL))
            return
        if isinstance(answerer, tuple):
            await self._stream(*answerer, receive, send)
            return
        work = partial(self._api.respond, operation, answerer, call, body)
        response = await asyncio.get_running_loop().run_in_executor(self._threads, work)
        await _send(send, response)

    async def _body(self, receive: Receive) -> bytes:
        parts: list[bytes] = []
        length = 0
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            part = message.get("body", b"")
            length += len(part)
            self._api.check_length(length)
            parts.append(part)
            more = message.get("more_body", False)
        return b"".join(parts)

    async def _subscribe(self, call: Call) -> tuple[Path, Subscriber]:
        start = start_of(
            call.head, last_event_id=call.text("lastEventId"), epoch=call.text("epoch")
        )
        return await self.hub.subscribe(call.path["id"], start)

    async def _stream(
        self, path: Path, subscriber: Subscriber, receive: Receive, send: Send
    ) -> None:
        leaving = asyncio.create_task(_leave(receive, subscriber))
        try:
            headers = {**_STREAM_HEADERS, EPOCH_HEADER: subscriber.epoch}
            await send(_start(200, tuple(headers.items())))
            async for chunk in subscriber.chunks():
                async with asyncio.timeout(self._settings.stalled_seconds):
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            # Its connection takes nothing; the server closes it when this returns.
            pass
        except Exception:  # noqa: BLE001  (too late for an answer; the server closes)
            _log.exception("a stream failed")
        finally:
            leaving.cancel()
            await self.hub.release(path, subscriber)

    async def close(self) -> None:
        """Let go of threads, followers and readers."""
        await self.hub.shut()
        # What still runs is an index of a huge file, which is worth nothing to anybody now.
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._desk.close()


async def _leave(receive: Receive, subscriber: Subscriber) -> None:
    message: Message = {"type": "http.request"}
    while message["type"] != "http.disconnect":
        message = await receive()
    subscriber.leave()


def _head(scope: Scope) -> Head:
    headers: dict[str, tuple[str, ...]] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        headers[key] = (*headers.get(key, ()), value.decode("latin-1"))
    return Head(
        method=scope["method"],
        path=scope.get("raw_path") or scope["path"].encode(),
        query=scope["query_string"],
        headers=headers,
    )


def _start(status: int, headers: tuple[tuple[str, str], ...]) -> Message:
    return {
        "type": "http.response.start",
        "status": status,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }


async def _send(send: Send, response: Response) -> None:
    await send(_start(response.status, response.headers))
    await send({"type": "http.response.body", "body": response.body})


def create_app(settings: Settings) -> Starlette:
    """The daemon as an ASGI application; `app.state.edge` is what answers."""
    edge = Edge(settings)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await edge.close()

    app = Starlette(lifespan=lifespan)
    # Not a route: Starlette's patterns do not match a line end in a path, ours sees every path.
    app.router.default = edge
    app.state.edge = edge
    return app
