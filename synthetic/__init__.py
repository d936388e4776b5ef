"""Session logs made from a seed: text, clocks and chats of described shape, no recorded text.

    from synthetic import generate, session_header
    header = session_header("quick", seed=1)
    events = list(generate("quick", seed=1))

The same profile and seed give the same events, and `python -m synthetic` the same log, on every
supported Python and platform.  Events are plain dicts in the written key order; a consumer must not
change them, because copies of a text may be one object.
docs/profiles.md describes each profile and what it must not be taken for.
"""

from collections.abc import Callable, Iterator
from typing import Any

from synthetic.adversarial import adversarial_events
from synthetic.chat import T0
from synthetic.dice import Dice
from synthetic.interleaved import interleaved_events
from synthetic.profiles import (
    Adversarial,
    Interleaved,
    Profile,
    Published,
    Session,
    ShortRuns,
    Transport,
    WhitespacePrefix,
    load_profile,
    profile_names,
)
from synthetic.published import published_events
from synthetic.session import session_events
from synthetic.short_runs import short_runs_events
from synthetic.transport import FIXED_ID, transport_events
from synthetic.whitespace import whitespace_prefix_events

__all__ = ["Profile", "generate", "load_profile", "profile_names", "session_header"]

_MODELS: dict[type, Callable[[Any, int], Iterator[dict[str, Any]]]] = {
    Adversarial: adversarial_events,
    Interleaved: interleaved_events,
    Published: published_events,
    Session: session_events,
    ShortRuns: short_runs_events,
    Transport: lambda profile, _seed: transport_events(profile),
    WhitespacePrefix: lambda profile, _seed: whitespace_prefix_events(profile),
}
_SAME_FOR_EVERY_SEED = (Transport, WhitespacePrefix)


def generate(profile: str | Profile, seed: int) -> Iterator[dict[str, Any]]:
    """The logical events of `profile`, one by one, dense in seq from 0.

    `profile` is the name of a built-in profile, a path to a `.toml` file, or a loaded profile.

    Raises:
        UsageError: there is no such profile (`unknown_profile`), or its file is none
            (`invalid_profile`); for counts that do not fit together, on the first event.
    """
    chosen = load_profile(profile) if isinstance(profile, str) else profile
    return _MODELS[type(chosen)](chosen, seed)


def session_header(profile: str | Profile, seed: int) -> dict[str, Any]:
    """The header line of the log of `profile`, in the written key order.

    The fixtures that draw nothing keep one fixed id, so that the whole file is the same for
    every seed.

    Raises:
        UsageError: as `generate`.
    """
    chosen = load_profile(profile) if isinstance(profile, str) else profile
    fixed = isinstance(chosen, _SAME_FOR_EVERY_SEED)
    return {
        "type": "session",
        "version": 0,
        "id": FIXED_ID if fixed else Dice(seed, "header").uuid(),
        "createdAt": T0,
        "cwd": "/synthetic/workspace",
        "delegationDepth": 0,
    }
