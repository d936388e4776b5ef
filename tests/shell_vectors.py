"""What the shell's modules must do, written down by the Python implementation.

    python tests/shell_vectors.py     writes tests/shell/vectors anew

`tests/shell/test_vectors.py` sees that the files are what this module writes, and the tests beside
it that JavaScript does the same.  Every choice is drawn from a seeded generator, so that two runs
write the same bytes.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from histbench.errors import HistbenchError
from histbench.fold import (
    AssistantState,
    PairState,
    compact_inputs,
    fold_assistant,
    fold_pair,
)
from histbench.history import FORMS, decode_page, encode_page, whole_page
from histbench.history.page import HistoryPage
from histbench.jsontext import decode, encode
from histbench.log import EventLog
from shell_gaps import draw_row
from shell_lean import draw_page
from shell_logs import draw_events
from shell_windows import window_scripts

FOLDER = Path(__file__).parent / "shell" / "vectors"

_LOGS = 14
_MUTATIONS = 240
_LEAN_PAGES = 80
_JOINED_ROWS = 120


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _shown(value: Any) -> Any:
    """A state as JavaScript has it: camel case, and the blocks of a pair's step as pairs."""
    if isinstance(value, msgspec.Struct):
        return {_camel(k): _shown(v) for k, v in msgspec.structs.asdict(value).items()}
    if isinstance(value, tuple):
        return [_shown(each) for each in value]
    return value


def pair_json(state: PairState) -> Any:
    """Both consumers' states; a map from number to text is a list of pairs in JSON."""
    shown = _shown(state)
    for step in (*shown["chat"], *shown["trajectory"]):
        step["blocks"] = [list(block) for block in step["blocks"].items()]
    return shown


def assistant_json(state: AssistantState) -> Any:
    """Both views."""
    return _shown(state)


def page_cases() -> list[dict[str, Any]]:
    """Pages of drawn logs in every form, with their events, records and folds."""
    cases = []
    for seed in range(_LOGS):
        events = draw_events(Random(seed), 16)
        page = whole_page(EventLog.from_events(events))
        read = {name: decode_page(encode_page(page, name), name) for name in FORMS}
        packed = read["packed"].records
        cases.append(
            {
                "events": [encode(event).decode() for event in events],
                "pages": {name: encode_page(page, name).decode() for name in FORMS},
                "records": {name: _spans(held) for name, held in read.items()},
                "pair": pair_json(fold_pair(packed)),
                "pairCompact": pair_json(fold_pair(compact_inputs(packed))),
                "pairProjection": pair_json(fold_pair(read["projection"].records)),
                "assistant": assistant_json(fold_assistant(packed)),
            }
        )
    return cases


def _spans(page: HistoryPage) -> list[list[int]]:
    return [[record.seq, record.count] for record in page.records]


def lean_cases() -> list[dict[str, Any]]:
    """Lean pages with markers anywhere: the code, or the events and what they fold to."""
    cases: list[dict[str, Any]] = []
    for seed in range(_LEAN_PAGES):
        data = draw_page(Random(seed))
        case: dict[str, Any] = {"page": data.decode(), "code": _code(data, "lean")}
        if case["code"] == "none":
            page = decode_page(data, "lean")
            records = page.records
            case["events"] = [encode(event).decode() for event in page.events()]
            case["pair"] = pair_json(fold_pair(records))
            case["pairCompact"] = pair_json(fold_pair(compact_inputs(records)))
            case["assistant"] = assistant_json(fold_assistant(records))
        cases.append(case)
    return cases


def gap_cases() -> list[dict[str, Any]]:
    """Joined rows, gaps in any spelling: the code, or the members' times."""
    cases: list[dict[str, Any]] = []
    for seed in range(_JOINED_ROWS):
        data = draw_row(Random(seed))
        case: dict[str, Any] = {"page": data.decode(), "code": _code(data, "joined")}
        if case["code"] == "none":
            case["times"] = [event["time"] for event in decode_page(data, "joined").events()]
        cases.append(case)
    return cases


_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 0.5, 2**53, "", "x", "\x7f", [], {}, [1], {"": 1}, {"": "1-3"}),
    *({"type": "note", "seq": 0, "time": 0}, "text-chunks", "text-joined", "projection"),
)
_KEYS = ("event", "view", "chunks", "joined", "lean", "id", "name", "x", "", "cut", "projections")


def refused_cases() -> list[dict[str, str]]:
    """Pages with one thing changed, and the code that Python refuses each with."""
    cases: dict[bytes, dict[str, str]] = {}
    for seed in range(_MUTATIONS):
        random = Random(seed)
        page = whole_page(EventLog.from_events(draw_events(random, 3)))
        for form in ("packed", "joined", "lean", "raw"):
            value = decode(encode_page(page, form))
            _change(random, value)
            data = encode(value)
            case = {"code": _code(data, form), "form": form, "page": data.decode()}
            # What decides is mostly the page's own part; one of each kind and form is plenty.
            cases.setdefault(encode([case["code"], form, seed % 3]), case)
    return list(cases.values())


def _code(data: bytes, form: str) -> str:
    try:
        decode_page(data, form)
    except HistbenchError as error:
        return error.code
    return "none"


def _change(random: Random, value: Any) -> None:
    """Change, add or take away one thing somewhere in the page."""
    holders = [value]
    while random.randrange(5):
        inner = holders[-1].values() if isinstance(holders[-1], dict) else holders[-1]
        deeper = [each for each in inner if isinstance(each, dict | list) and each]
        if not deeper:
            break
        holders.append(deeper[random.randrange(len(deeper))])
    holder = holders[-1]
    other = _VALUES[random.randrange(len(_VALUES))]
    places: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    place = places[random.randrange(len(places))]
    match random.randrange(4):
        case 0:
            del holder[place]
        case 1 if isinstance(holder, dict):
            holder[_KEYS[random.randrange(len(_KEYS))]] = other
        case 2 if isinstance(holder, list):
            holder.insert(place, holder[place])
        case _:
            holder[place] = other


FILES: dict[str, Callable[[], Any]] = {
    "gaps.json": gap_cases,
    "lean.json": lean_cases,
    "pages.json": page_cases,
    "refused.json": refused_cases,
    "windows.json": window_scripts,
}


def text_of(name: str) -> bytes:
    """What the file called `name` holds: one case a line."""
    return b"[\n" + b",\n".join(map(encode, FILES[name]())) + b"\n]\n"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in FILES:
        text = text_of(each)
        (FOLDER / each).write_bytes(text)
        sys.stdout.write(f"{each}: {len(text):,} bytes\n")
