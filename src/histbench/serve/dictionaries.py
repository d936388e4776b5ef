"""`/dictionary/{name}`: a dictionary for history pages, kept by whoever fetches it.

Its name is its hash, so that it may be kept for as long as anybody likes.  `Use-As-Dictionary` says
which requests it is for: those for history pages of any session, a subagent's too.  The other
answers have too little in common with what dictionaries are trained on.
"""

from histbench.serve.desk import Desk
from histbench.serve.message import Answer, Call

__all__ = ["USE_AS_DICTIONARY", "dictionary"]

# A URL pattern; its `*` may stand for several segments.
USE_AS_DICTIONARY = 'match="/session/*/history*"'

_HEADERS = {
    "use-as-dictionary": USE_AS_DICTIONARY,
    "cache-control": "private, max-age=31536000, immutable",
}


def dictionary(desk: Desk, call: Call) -> Answer:
    """The dictionary's bytes.

    Raises:
        UsageError: `dictionary_not_found`.
    """
    found = desk.shelf.dictionary(call.path["name"])
    return Answer(
        body=found.content,
        media_type="application/octet-stream",
        headers=_HEADERS,
        keep="frozen",
    )
