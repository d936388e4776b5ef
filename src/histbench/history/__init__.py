"""History pages: which records a page holds, how they are shipped, and what a client makes of them.

`page` is the value, `select` chooses one, `wire` is the strict JSON shape and `schema` publishes
it, `joined`, `lean` and `raw` are the other spellings of the same interval, `forms` the table of
all of them.  `window` is what a client keeps of the pages and live events that reach it; `subagent` says
who may ask for a child's pages.
"""

from histbench.history.forms import FORMS, Form, decode_page, encode_page
from histbench.history.page import HistoryPage, Projections, check_cover, whole_page
from histbench.history.select import DEFAULT_MAX_MESSAGES, select_page
from histbench.history.subagent import authorise_subagent, find_descriptor
from histbench.history.window import HistoryWindow
from histbench.history.window_requests import Fault, PageRequest

__all__ = [
    "DEFAULT_MAX_MESSAGES",
    "FORMS",
    "Fault",
    "Form",
    "HistoryPage",
    "HistoryWindow",
    "PageRequest",
    "Projections",
    "authorise_subagent",
    "check_cover",
    "decode_page",
    "encode_page",
    "find_descriptor",
    "select_page",
    "whole_page",
]
