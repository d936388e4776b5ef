"""History pages: which records a page holds, how they are shipped, and what a client makes of them.

`page` is the value, `wire` the strict JSON shape, `joined` and `raw` the other spellings of the
same interval, `forms` the table of all of them.
"""

from histbench.history.forms import FORMS, Form, decode_page, encode_page
from histbench.history.page import HistoryPage, check_cover, whole_page

__all__ = [
    "FORMS",
    "Form",
    "HistoryPage",
    "check_cover",
    "decode_page",
    "encode_page",
    "whole_page",
]
