"""Profiles: the named cardinalities that the generators read, kept as TOML files.

A profile file names a `model` (which generator runs) and the numbers that model takes; every
number is checked on loading, so a generator never meets a count that it cannot honour.  The
files in `synthetic/profiles/` are the built-in profiles; any other `.toml` path is read the same
way, which is how a person tries cardinalities of their own.
"""

from importlib import resources
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from histbench.errors import StorageError, UsageError

__all__ = ["Profile", "Transport", "load_profile", "profile_names"]

_FOLDER = resources.files("synthetic") / "profiles"

Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
CountOrNone = Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]


class Model(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="model"
):
    """What every profile has."""

    summary: str


class Transport(Model, frozen=True, kw_only=True, tag="transport"):
    """The published fixture; `long_runs` of the `runs` hold one member more than the others."""

    runs: Count
    members_of_long_runs: Annotated[int, msgspec.Meta(ge=2, le=1_000_000)]
    long_runs: CountOrNone
    separators: Count
    runs_with_one_separator_less: CountOrNone


Profile: TypeAlias = Transport


def profile_names() -> list[str]:
    """The names of the built-in profiles, sorted."""
    files = (entry.name for entry in _FOLDER.iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


def load_profile(name: str) -> Profile:
    """The built-in profile `name`, or the profile in the file that a `.toml` path names.

    Raises:
        UsageError: no such profile (`unknown_profile`), or the file is no profile
            (`invalid_profile`).
        StorageError: the path cannot be read.
    """
    if name.endswith(".toml"):
        try:
            text = Path(name).read_bytes()
        except OSError as error:
            raise StorageError(f"cannot read the profile {name}: {error.strerror}") from error
    elif name in (known := profile_names()):
        text = (_FOLDER / f"{name}.toml").read_bytes()
    else:
        raise UsageError(
            "unknown profile", code="unknown_profile", found=name, expected=", ".join(known)
        )
    try:
        return msgspec.toml.decode(text, type=Profile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"profile {name}: {error}", code="invalid_profile") from error
