"""Where a report's numbers come from, as tables.

inputs       what was measured, to the byte
environment  what the numbers depend on, one column per results file
"""

from collections.abc import Sequence

from histbench.report.cells import NO_VALUE, Cell, Column, Table
from histbench.report.measured import Measured, Source
from histbench.results import Input, Results
from histbench.results.numbers import bytes_text

__all__ = ["environment_table", "inputs_table"]


def inputs_table(all_measured: Sequence[Measured]) -> Table:
    """What was measured: counts, size, what the reader reported, and the digest of the file."""
    columns = (
        Column("input", "label"),
        Column("events", unit="count"),
        Column("ordinary", unit="count"),
        Column("rows", unit="count"),
        Column("file bytes", unit="byte"),
        Column("made by", "label"),
        Column("reader's remarks", "label"),
        Column("SHA-256", "label"),
    )
    rows = tuple(
        (
            Cell(each.name),
            *(Cell(bytes_text(n), n) for n in (it.events, it.ordinary, it.rows, it.bytes)),
            Cell(_maker(it)),
            Cell(", ".join(f"{code} ({n})" for code, n in it.diagnostics.items()) or NO_VALUE),
            Cell(it.sha256),
        )
        for each in all_measured
        for it in (each.described,)
    )
    return Table(title="Inputs", columns=columns, rows=rows)


def _maker(described: Input) -> str:
    """The profile, or the format of a file and where its times come from."""
    if described.profile is not None:
        return f"{described.profile}, seed {described.seed}"
    if described.format is None:
        return NO_VALUE
    return f"{described.format}, {described.clock} clock"


def environment_table(sources: Sequence[Source]) -> Table:
    """Environment and settings of each results file, what differs between them first."""
    maps = [_facts(results) for _, results in sources]
    names = list(dict.fromkeys(name for each in maps for name in each))
    names.sort(key=lambda name: all(each.get(name) == maps[0].get(name) for each in maps))
    columns = [Column("", "label")]
    columns += [Column(label or "value", "label") for label, _ in sources]
    rows = tuple((Cell(name), *(Cell(_setting(each.get(name))) for each in maps)) for name in names)
    return Table(title="Environment and settings", columns=tuple(columns), rows=rows)


def _facts(results: Results) -> dict[str, object]:
    """What was asked for and when, then the environment, then the settings, sorted."""
    facts: dict[str, object] = {"created": results.created_at, "command": results.command}
    facts |= sorted(results.environment.items())
    return facts | {f"setting {name}": it for name, it in sorted(results.settings.items())}


def _setting(value: object) -> str:
    if value is None:
        return NO_VALUE
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
