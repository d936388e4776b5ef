"""To-do lists become plans, whoever writes them and wherever they stand.

tool          the list                                             its call is shown
todo_write    resultDisplay {type: todo_list, todos} of the result    no
TodoWrite     todos of the call's arguments                           no
"""

from typing import Any

from histbench.transcript.replay.fields import first_text, list_of, object_of
from histbench.transcript.replay.record_replay import RecordReplay

__all__ = ["PLANNING_CALLS", "PLANNING_RESULTS", "PLANNING_TOOLS", "show_plan", "todos_of_display"]

PLANNING_RESULTS = frozenset({"todo_write"})
PLANNING_CALLS = frozenset({"TodoWrite"})
PLANNING_TOOLS = PLANNING_RESULTS | PLANNING_CALLS

_STATUSES = ("pending", "in_progress", "completed")
_PRIORITIES = ("high", "medium", "low")


def todos_of_display(display: object) -> object:
    """The list in a result's display, None when the display is no to-do list."""
    fields = object_of(display)
    return fields.get("todos") if fields.get("type") == "todo_list" else None


def show_plan(replay: RecordReplay, todos: object, call_id: str | None = None) -> None:
    """A plan of these to-dos; what is no list is reported."""
    if not isinstance(todos, list):
        replay.report("malformed_part", "a to-do list that is none")
        return
    transcript = {} if call_id is None else {"planToolCallId": call_id}
    entries = [_entry(todo) for todo in list_of(todos)]
    replay.update({"sessionUpdate": "plan", "entries": entries}, transcript=transcript)


def _entry(todo: object) -> dict[str, Any]:
    fields = object_of(todo)
    status, priority = fields.get("status"), fields.get("priority")
    return {
        "content": first_text(fields, "content", "title", "activeForm") or "",
        "priority": priority if priority in _PRIORITIES else "medium",
        "status": status if status in _STATUSES else "pending",
    }
