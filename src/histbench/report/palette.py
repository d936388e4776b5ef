"""One colour for each form, the same in every figure, page and notebook.

The palette is Okabe and Ito's, which people with any of the common colour-vision deficiencies can
tell apart; in place of its black, which a dark page swallows, stands an olive of Tol's.  Colour is
never the only sign: every bar also bears its form's name.
"""

from collections.abc import Mapping

__all__ = ["FORM_COLOURS", "OTHER_COLOUR", "form_colour"]

FORM_COLOURS: Mapping[str, str] = {
    "raw": "#D55E00",
    "projection": "#E69F00",
    "packed": "#0072B2",
    "joined": "#009E73",
    "lean": "#CC79A7",
    "columns": "#56B4E9",
    "msgpack": "#F0E442",
    "parquet": "#999933",
}

# Grey is no colour of the palette: a form that has none yet.
OTHER_COLOUR = "#8A8A8A"


def form_colour(form: str) -> str:
    """The colour of a form, as #RRGGBB."""
    return FORM_COLOURS.get(form, OTHER_COLOUR)
