"""Profiles: the named cardinalities that the generators read, kept as TOML files.

A profile file names a `model` (which generator runs) and the numbers that model takes; every
number is checked on loading, so a generator never meets a count that it cannot honour.  The
files in `synthetic/profiles/` are the built-in profiles of logs, those in its folder `chat` the
built-in profiles of transcripts; any other `.toml` path is read the same way, which is how a
person tries cardinalities of their own.
"""

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from histbench.errors import StorageError, UsageError

__all__ = [
    "LANGUAGES",
    "Adversarial",
    "Chat",
    "Interleaved",
    "Profile",
    "Published",
    "Session",
    "ShortRuns",
    "Transport",
    "WhitespacePrefix",
    "load_any",
    "load_profile",
    "load_transcript",
    "profile_names",
    "transcript_names",
]

_FOLDER = resources.files("synthetic") / "profiles"

Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
CountOrNone = Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]
Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]
# Ascending values at evenly spaced probabilities: minimum first, maximum last.
Quantiles = Annotated[list[Count], msgspec.Meta(min_length=2)]

# The prose languages that a profile may name.
LANGUAGES = (
    "arabic", "chinese", "english", "french", "german", "hindi", "japanese", "russian", "spanish",
)  # fmt: skip


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


class Worded(Model, frozen=True, kw_only=True):
    """Text in several languages: weights of languages by turn, and how often phrases come back."""

    languages: dict[str, Annotated[int, msgspec.Meta(ge=1, le=1000)]]
    reuse: Percent
    memory: Count

    def __post_init__(self) -> None:
        """Names of languages that do not exist are refused here, by name."""
        unknown = sorted(set(self.languages) - set(LANGUAGES))
        if unknown or not self.languages:
            names = ", ".join(LANGUAGES)
            raise ValueError(f"languages: found {unknown}, expected some of {names}")


class Session(Worded, frozen=True, kw_only=True, tag="session"):
    """A whole session; lists are evenly spaced quantiles, `calls_per_step` weights of 1, 2, ..."""

    events: Annotated[int, msgspec.Meta(ge=100, le=10_000_000)]
    steps_per_turn: Quantiles
    calls_per_step: Annotated[list[Count], msgspec.Meta(min_length=1)]
    reasoning_percent: Percent
    text_percent: Percent
    aborted_percent: Percent
    reasoning_fragments: Quantiles
    text_fragments: Quantiles
    content_fragments: Quantiles


class Published(Worded, frozen=True, kw_only=True, tag="published"):
    """The counts of the published sample; every `abandoned_call_every`th abandoned step calls.

    Words of prose longer than `whole` letters are cut into pieces of at most `piece`.
    """

    events: Count
    ordinary: Count
    runs: Count
    kept_by_projection: Count
    completed_turns: Count
    completed_steps: Count
    completed_runs: Count
    abandoned_turns: Count
    abandoned_reuse: Percent
    abandoned_memory: Count
    abandoned_call_every: Count
    whole: Count
    piece: Count


class ShortRuns(Worded, frozen=True, kw_only=True, tag="short-runs"):
    """Turns of one step with `blocks_per_step` blocks of 1 to `longest_run` deltas."""

    events: Count
    longest_run: Count
    blocks_per_step: Count


class Interleaved(Worded, frozen=True, kw_only=True, tag="interleaved"):
    """Turns of one step whose parallel calls stream in turn."""

    events: Count
    parallel_calls: Annotated[int, msgspec.Meta(ge=2, le=1000)]
    # A `write` call needs about 20 fragments around its content.
    fragments_per_call: Annotated[int, msgspec.Meta(ge=60, le=100_000)]


class Adversarial(Model, frozen=True, kw_only=True, tag="adversarial"):
    """Stretches of deltas with peculiarities."""

    events: Count


class WhitespacePrefix(Model, frozen=True, kw_only=True, tag="whitespace-prefix"):
    """One run of `members` deltas, blank up to the last."""

    members: Count


class Chat(Worded, frozen=True, kw_only=True, tag="chat"):
    """A transcript of chat records; it ends with the turn that reaches both `records` and `bytes`.

    Once `texts` texts of a kind are written they come back, so that a file of any size is written
    quickly.  The second turn has at least `giant_turn_records` records, and the third a result of
    `huge_record_bytes`; with `open_end` the last call has no result.
    """

    records: Count
    bytes: Annotated[int, msgspec.Meta(ge=0, le=100_000_000_000)]
    texts: Count
    steps_per_turn: Quantiles
    calls_per_step: Annotated[list[Count], msgspec.Meta(min_length=1)]
    thought_percent: Percent
    text_percent: Percent
    rewind_percent: Annotated[int, msgspec.Meta(ge=0, le=90)]
    compaction_every: CountOrNone
    side_percent: Percent
    thought_fragments: Quantiles
    text_fragments: Quantiles
    content_fragments: Quantiles
    giant_turn_records: CountOrNone
    huge_record_bytes: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
    open_end: bool


Profile: TypeAlias = (
    Transport | Session | Published | ShortRuns | Interleaved | Adversarial | WhitespacePrefix
)


def _names(folder: Traversable) -> list[str]:
    files = (entry.name for entry in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


def profile_names() -> list[str]:
    """The names of the built-in profiles of logs, sorted."""
    return _names(_FOLDER)


def transcript_names() -> list[str]:
    """The names of the built-in profiles of transcripts, sorted."""
    return _names(_FOLDER / "chat")


def load_profile(name: str) -> Profile:
    """The built-in profile `name` of a log, or the one in the file that a `.toml` path names.

    Raises:
        UsageError: no such profile (`unknown_profile`), or the file is no profile
            (`invalid_profile`).
        StorageError: the path cannot be read.
    """
    profile = load_any(name)
    if isinstance(profile, Chat):
        raise _unknown(name, profile_names())
    return profile


def load_transcript(name: str) -> Chat:
    """The built-in profile `name` of a transcript, or the one in a file.

    Raises:
        UsageError, StorageError: as `load_profile`.
    """
    profile = load_any(name)
    if not isinstance(profile, Chat):
        raise _unknown(name, transcript_names())
    return profile


def load_any(name: str) -> Profile | Chat:
    """The built-in profile `name`, or the profile in the file that a `.toml` path names.

    Raises:
        UsageError, StorageError: as `load_profile`.
    """
    if name.endswith(".toml"):
        try:
            text = Path(name).read_bytes()
        except OSError as error:
            raise StorageError(f"cannot read the profile {name}: {error.strerror}") from error
    elif name in profile_names():
        text = (_FOLDER / f"{name}.toml").read_bytes()
    elif name in transcript_names():
        text = (_FOLDER / "chat" / f"{name}.toml").read_bytes()
    else:
        raise _unknown(name, [*profile_names(), *transcript_names()])
    try:
        profile: Profile | Chat = msgspec.toml.decode(text, type=Profile | Chat)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"profile {name}: {error}", code="invalid_profile") from error
    return profile


def _unknown(name: str, known: list[str]) -> UsageError:
    return UsageError(
        "unknown profile", code="unknown_profile", found=name, expected=", ".join(known)
    )
