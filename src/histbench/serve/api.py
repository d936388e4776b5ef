"""The daemon without its sockets: a request's head and body in, a response out.

`respond` is called in a thread, once the head has passed the guard; it blocks for as long as the
files take.  Every error ends here: one of ours as its answer, anything else as a bare 500 that is
told in the daemon's own log.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from histbench import jsontext
from histbench.errors import HistbenchError, LimitExceeded, UsageError
from histbench.serve.content import Response, finish
from histbench.serve.desk import Desk
from histbench.serve.guard import check_head
from histbench.serve.message import JSON, Answer, Call, Head
from histbench.serve.operations import OPERATIONS
from histbench.serve.parameters import read_query
from histbench.serve.refusals import INTERNAL, refusal
from histbench.serve.routing import Operation, find_operation
from histbench.serve.shelf import Shelf
from histbench.serve.shell_files import HTML, shell_file

__all__ = ["Api"]

_log = logging.getLogger(__name__)


class Api:
    """Answers requests from a desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def shell_file(self, head: Head) -> Response | None:
        """The response with a file of the shell; None where another path is asked for.

        Raises:
            UsageError: who asks may not.
        """
        answer = shell_file(head.method, head.path)
        if answer is None:
            return None
        check_head(head, self.desk.settings, with_token=False)
        link = self.desk.shelf.link
        # A browser looks for a dictionary here, and brings no token when it fetches it.
        if link is not None and answer.media_type == HTML and self.desk.settings.token is None:
            answer = replace(answer, headers={**answer.headers, "link": link})
        return self.finish(head, answer)

    def admit(self, head: Head) -> tuple[Operation, Call]:
        """The operation that a request is for, its parameters read, its body still to come.

        Raises:
            UsageError: who asks may not, or what is asked for is wrong.
        """
        check_head(head, self.desk.settings)
        operation, path = find_operation(OPERATIONS, head.method, head.path)
        values = read_query(head.query, operation.parameters)
        return operation, Call(head=head, path=path, values=values, body={})

    def respond(
        self,
        operation: Operation,
        answerer: Callable[[Desk, Call], Answer],
        call: Call,
        body: bytes,
    ) -> Response:
        """The response to an admitted request."""
        try:
            if operation.body is not None:
                call = Call(
                    head=call.head,
                    path=call.path,
                    values=call.values,
                    body=_read_body(call.head, body),
                )
            answer = answerer(self.desk, call)
        except HistbenchError as error:
            answer = refusal(error)
        except Exception:  # noqa: BLE001  (the outermost caller)
            _log.exception("a request failed: %s", operation.name)
            answer = INTERNAL
        shelf = self.desk.shelf if operation.with_dictionary and answer.status == 200 else None
        return self.finish(call.head, answer, shelf)

    def refuse(self, head: Head, error: HistbenchError) -> Response:
        """The response to a request that was not admitted."""
        allowed = {"allow": error.expected or ""} if error.code == "method_not_allowed" else {}
        return self.finish(head, refusal(error, headers=allowed))

    def finish(self, head: Head, answer: Answer, shelf: Shelf | None = None) -> Response:
        """The response that an answer becomes."""
        return finish(head, answer, encode_from=self.desk.settings.encode_from, shelf=shelf)

    def check_length(self, length: int) -> None:
        """Raise LimitExceeded (`body_too_large`) when a request's body has grown past the bound."""
        most = self.desk.settings.body_bytes
        if length > most:
            raise LimitExceeded(
                "the request's body is too long",
                code="body_too_large",
                expected=f"at most {most} bytes",
            )


def _read_body(head: Head, body: bytes) -> Mapping[str, Any]:
    """The options in a request's body; none is as good as an empty object."""
    if not body:
        return {}
    media_type = (head.header("content-type") or "").partition(";")[0].strip().lower()
    if media_type != JSON or head.headers.get("content-encoding", ("identity",)) != ("identity",):
        raise UsageError(
            "the body is of another type", code="unsupported_media_type", expected=JSON
        )
    try:
        value = jsontext.decode(body)
    except HistbenchError as error:
        raise UsageError("the body is no JSON", code="bad_request") from error
    if not isinstance(value, dict):
        raise UsageError("the body is no object", code="bad_request", expected="an object")
    return value
