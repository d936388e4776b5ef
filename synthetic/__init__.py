"""Session logs made from a seed: text, clocks and chats of described shape, no recorded text.

    from synthetic import generate, session_header
    header = session_header("quick", seed=1)
    events = list(generate("quick", seed=1))

The same profile and seed give the same events, and `python -m synthetic` the same log bytes, on
every supported Python and platform.  Events are plain dicts in the written key order.
docs/profiles.md describes each profile and what it must not be taken for.
"""

from collections.abc import Callable, Iterator
from typing import Any

from synthetic.dice import Dice
from synthetic.profiles import Profile, Transport, load_profile, profile_names
from synthetic.transport import FIXED_ID, T0, transport_events

__all__ = ["Profile", "generate", "load_profile", "profile_names", "session_header"]

_MODELS: dict[type, Callable[[Any, int], Iterator[dict[str, Any]]]] = {
    Transport: lambda profile, _seed: transport_events(profile),
}


def generate(profile: str | Profile, seed: int) -> Iterator[dict[str, Any]]:
    """The logical events of `profile`, one by one, dense in seq from 0.

    Raises:
        UsageError: `profile` is a name that no built-in profile has.
    """
    chosen = load_profile(profile) if isinstance(profile, str) else profile
    return _MODELS[type(chosen)](chosen, seed)


def session_header(profile: str | Profile, seed: int) -> dict[str, Any]:
    """The header line of the log of `profile`, in the written key order.

    The fixtures that draw nothing keep one fixed id, so that the whole file is the same for
    every seed.

    Raises:
        UsageError: `profile` is a name that no built-in profile has.
    """
    chosen = load_profile(profile) if isinstance(profile, str) else profile
    fixed = isinstance(chosen, Transport)
    return {
        "type": "session",
        "version": 0,
        "id": FIXED_ID if fixed else Dice(seed, "header").uuid(),
        "createdAt": T0,
        "cwd": "/synthetic/workspace",
        "delegationDepth": 0,
    }
