"""What a record's payload holds for a person, in either dialect.

    what                    chat                             agent session files
    ----------------------  -------------------------------  --------------------------------------
    the parts               message.parts                    message.content, a string or blocks
    a text                  {text}                           {type: text, text}, or the string
    a thought               {text, thought: true}            {type: thinking | redacted_thinking}
    a call                  {functionCall}                   {type: tool_use}
    a result                a record of type tool_result     {type: tool_result} in a user's record
    an attachment           {inlineData}                     {type: image | document}
    what stands for a text  systemPayload.displayText        -
    not written by a user   -                                isMeta, isCompactSummary

A part is told by the fields it has, so nobody has to say which dialect a file is of.  Whatever is
of another shape holds nothing to show; it is never an error here.
"""

from collections.abc import Iterator
from typing import Any

__all__ = [
    "call_arguments",
    "display_text",
    "has_attachment",
    "has_result",
    "in_users_name",
    "parts_of",
    "result_texts",
    "shown_text",
]

_ATTACHMENTS = frozenset({"document", "image"})


def parts_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of a record's message, in order; a plain string is one text part."""
    message = value.get("message")
    if not isinstance(message, dict):
        return []
    parts = message.get("parts", message.get("content"))
    if isinstance(parts, str):
        return [{"type": "text", "text": parts}]
    if not isinstance(parts, list):
        return []
    return [part for part in parts if isinstance(part, dict)]


def has_result(parts: list[dict[str, Any]]) -> bool:
    """Whether a user's record only carries a tool's result, or does so beside other things."""
    return any(part.get("type") == "tool_result" for part in parts)


def has_attachment(parts: list[dict[str, Any]]) -> bool:
    """Whether an image or a document is among the parts."""
    return any("inlineData" in part or part.get("type") in _ATTACHMENTS for part in parts)


def shown_text(value: dict[str, Any]) -> str:
    """The text of a record that a person sees: texts of users and answers, or what stands for them.

    Thoughts, calls and results are no such text, nor is what the program told the model in the
    user's name.
    """
    if value.get("type") not in ("user", "assistant"):
        return ""
    if display := display_text(value):
        return display
    return "" if in_users_name(value) else "\n".join(_texts(parts_of(value)))


def display_text(value: dict[str, Any]) -> str:
    """What is shown instead of what the model was told; empty where there is no such thing."""
    payload = value.get("systemPayload")
    text = payload.get("displayText") if isinstance(payload, dict) else None
    return text if isinstance(text, str) else ""


def in_users_name(value: dict[str, Any]) -> bool:
    """Whether the program wrote a user's record for the model alone."""
    return value.get("isMeta") is True or value.get("isCompactSummary") is True


def _texts(parts: list[dict[str, Any]]) -> Iterator[str]:
    for part in parts:
        text = part.get("text")
        if isinstance(text, str) and part.get("type", "text") == "text" and not part.get("thought"):
            yield text


def call_arguments(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The calls of a record: each tool's name and arguments, as they were written."""
    for part in parts_of(value):
        call = part.get("functionCall")
        if isinstance(call, dict):
            yield str(call.get("name", "")), call.get("args")
        elif part.get("type") == "tool_use":
            yield str(part.get("name", "")), part.get("input")


def result_texts(value: dict[str, Any]) -> Iterator[Any]:
    """The results of a record, as they were written: texts or structures."""
    for part in parts_of(value):
        result = part.get("functionResponse")
        if isinstance(result, dict):
            yield result.get("response")
        elif part.get("type") == "tool_result":
            yield part.get("content")
    shown = value.get("toolCallResult")
    if isinstance(shown, dict) and "resultDisplay" in shown:
        yield shown["resultDisplay"]
