"""What the results say, in sentences: the summary, the method, and what to be careful with.

Every sentence is made from the results in hand.  Nothing is said about what was not measured,
except that it was not; the method is told from the recorded settings and counted samples.
"""

from collections.abc import Iterator, Sequence

from histbench.history import FORMS
from histbench.report.measured import UNSTABLE, Measured, Source, is_unstable
from histbench.report.tables import has_published
from histbench.results import NOT_MEASURED, Results
from histbench.results.numbers import bytes_text, megabytes, milliseconds
from histbench.results.published import PUBLISHED_BYTES

__all__ = ["client_peak", "method", "summary", "time_to_first_use", "warnings"]

_MIN_RUNS = 3
# Less than half of the last digit shown.
_NOTHING = 0.0005
_FEW_SHOWN = 3
# Of two forms, the sentence before this one tells which is the smaller.
_MIN_FORMS = 3
_LOSSY = frozenset(form.name for form in FORMS.values() if not form.lossless)


def summary(measured: Measured) -> tuple[str, ...]:
    """What packing does to one input's bytes, to its time to first use, and to memory."""
    sentences = (
        _bytes_saved(measured),
        _smallest(measured),
        _published(measured),
        time_to_first_use(measured),
        client_peak(measured),
    )
    return tuple(sentence for sentence in sentences if sentence)


def _percent(fraction: float) -> str:
    return f"{abs(fraction) * 100:.1f} %"


def _compared(fraction: float) -> str:
    if abs(fraction) < _NOTHING:
        return "as much, to 0.1 %," if fraction else "as much"
    return f"{_percent(fraction)} {'less' if fraction < 0 else 'more'}"


def _bytes_saved(measured: Measured) -> str:
    plain = measured.change("wire", "packed", "identity")
    raw, packed = (measured.median("wire", form, "identity") for form in ("raw", "packed"))
    if plain is None or raw is None or packed is None:
        return ""
    known, holes = [], []
    for encoding in measured.encodings():
        if encoding == "identity":
            continue
        change = measured.change("wire", "packed", encoding)
        if change is None:
            holes.append(encoding)
        else:
            known.append(f"{_compared(change)} under {encoding}")
    than = "as" if abs(plain) < _NOTHING else "than"
    text = f"Packed, it takes {_compared(plain)} {than} raw: {bytes_text(packed)} bytes instead of "
    text += bytes_text(raw)
    text += f"; compressed, {_listed(known)}" if known else ""
    text += f" ({_listed(holes)}: {NOT_MEASURED} for both)" if holes else ""
    return text + "."


def _smallest(measured: Measured) -> str:
    """Which of the forms that give every event back is the smallest, encoding by encoding."""
    told = []
    for encoding in measured.encodings():
        sizes = {
            form: size
            for form in measured.forms
            if form not in _LOSSY and (size := measured.median("wire", form, encoding)) is not None
        }
        if len(sizes) >= _MIN_FORMS and "packed" in sizes:
            least = min(sizes, key=lambda form: sizes[form])
            under = "plain" if encoding == "identity" else f"under {encoding}"
            less = (sizes[least] - sizes["packed"]) / sizes["packed"]
            than = "" if least == "packed" else f", {_compared(less)} than packed"
            told.append(f"{least} {under} ({bytes_text(sizes[least])} bytes{than})")
    return f"Smallest of the forms that give every event back: {_listed(told)}." if told else ""


def _listed(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def _published(measured: Measured) -> str:
    if not has_published(measured):
        return ""
    pairs = []
    for encoding in measured.encodings():
        raw, packed = (PUBLISHED_BYTES.get((form, encoding)) for form in ("raw", "packed"))
        if raw and packed:
            ours = measured.change("wire", "packed", encoding)
            told = NOT_MEASURED if ours is None else f"{_compared(ours)} here"
            name = "plain" if encoding == "identity" else encoding
            pairs.append(f"{_compared((packed - raw) / raw)} {name} ({told})")
    return f"Packed against raw, the published sample took {_listed(pairs)}." if pairs else ""


def time_to_first_use(measured: Measured) -> str:
    """How long a client takes from page bytes to state, packed beside raw; "" if not measured."""
    raw, packed, *others = (
        measured.summary("client.total", form) for form in ("raw", "packed", "joined", "lean")
    )
    if raw is None or packed is None:
        return ""
    unstable = any(each is not None and is_unstable(each) for each in (raw, packed, *others))
    text = (
        f"From page bytes to first use (parsed, proved, folded) the packed page takes "
        f"{milliseconds(packed.median)} ms where the raw one takes {milliseconds(raw.median)} ms, "
        f"{_times(raw.median, packed.median)}"
    )
    told = [
        f"{form} takes {milliseconds(each.median)} ms"
        for form, each in zip(("joined", "lean"), others, strict=True)
        if each is not None
    ]
    text += f"; {_listed(told)}" if told else ""
    return text + (f" (spread above {UNSTABLE:.0%}: unstable)." if unstable else ".")


def _times(slow: float, fast: float) -> str:
    if not fast or not slow:
        return "which no ratio can tell"
    ratio = slow / fast
    if ratio >= 1:
        return f"{ratio:.{0 if ratio >= 10 else 1}f} times as fast"
    return f"{1 / ratio:.1f} times as slow"


def client_peak(measured: Measured) -> str:
    """What a client holds at most while doing so; "" if not measured."""
    raw, packed = (measured.median("memory.client.traced", form) for form in ("raw", "packed"))
    if raw is None or packed is None:
        return ""
    return (
        f"Python objects of the client peak at {megabytes(packed)} MB packed and "
        f"{megabytes(raw)} MB raw."
    )


def method(results: Results) -> tuple[str, ...]:
    """How the numbers were taken, from the settings and samples that are there."""
    set_to, counts = results.settings, _counts(results)
    sentences = [
        (
            f"Measured by histbench {results.environment.get('histbench') or '(version unknown)'} on "
            f"{results.created_at} with the command: {results.command}"
        ),
        (
            "Each input is a file whose SHA-256 is given below. Before anything was timed, every "
            "lossless form was decoded again and compared with the log, event by event."
        ),
    ]
    if counts["seconds"]:
        warm = set_to.get("warm_up") or 0
        sentences.append(
            f"Time: {_span(counts['seconds'])} per stage"
            + (f" after {warm} thrown away" if warm else ", the first one included")
            + "; the forms take turns within a run, and every second run goes backwards. "
            f"The garbage collector was {results.environment.get('gc', 'not recorded')}. "
            "Medians are shown with their MAD, the median distance from the median; "
            "ratios are to json.loads of the raw page in the same runs."
        )
    if counts["peak_bytes"]:
        sentences.append(
            f"Memory: {_span(counts['peak_bytes'])} per peak, in processes of their own and never "
            "while time is taken. Traced counts Python objects and is blind to what C libraries "
            "allocate; native (memray) counts those too; resident is all of the process, "
            "interpreter included. The three are not comparable with each other."
        )
    else:
        sentences.append(f"Memory: {NOT_MEASURED}.")
    return tuple(sentences)


def _counts(results: Results) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {"seconds": [], "peak_bytes": [], "bytes": [], "count": []}
    for key, series in results.series().items():
        if series.values:
            found[key.metric].append(len(series.values))
    return found


def _span(runs: Sequence[int]) -> str:
    low, high = min(runs), max(runs)
    if low == high:
        return "one run" if low == 1 else f"{low} runs"
    return f"{low} to {high} runs"


def warnings(sources: Sequence[Source], all_measured: Sequence[Measured]) -> tuple[str, ...]:
    """What a reader should know before leaning on a number."""
    labels: dict[str, list[str]] = {}
    for label, results in sources:
        for text in _of_environment(results):
            labels.setdefault(text, []).append(label)
    found = [
        text if len(named) == len(sources) else f"{', '.join(named)}: {text}"
        for text, named in labels.items()
    ]
    if len(sources) > 1:
        found += _of_several(sources)
    for measured in all_measured:
        found += [f"{measured.name}: {text}" for text in _of_input(measured)]
    return tuple(found)


def _of_environment(results: Results) -> Iterator[str]:
    environment = results.environment
    timed = _counts(results)["seconds"]
    if environment.get("git_dirty"):
        yield "measured from a checkout with uncommitted changes"
    if environment.get("python_optimized") is False:
        yield "this Python was built without profile-guided optimisation, and is slower for it"
    if timed and max(timed) < _MIN_RUNS:
        yield f"{_span(timed)} per stage: too few to tell a spread"
    load, cpus = environment.get("load_avg_1min"), environment.get("cpu_count")
    if isinstance(load, int | float) and isinstance(cpus, int | float) and load > cpus:
        yield f"the machine was busy (load {load:g} on {cpus:g} processors)"


def _of_several(sources: Sequence[Source]) -> Iterator[str]:
    environments = [results.environment for _, results in sources]
    first = environments[0]
    names = {name for each in environments for name in each} - {"load_avg_1min", "cpu_freq"}
    differing = sorted(
        name for name in names if any(each.get(name) != first.get(name) for each in environments)
    )
    if differing:
        yield f"the results files come from different environments: {', '.join(differing)}"


def _of_input(measured: Measured) -> Iterator[str]:
    unstable = measured.unstable()
    if unstable:
        names = [" ".join(filter(None, (key.stage, key.form, key.encoding))) for key in unstable]
        shown = ", ".join(names[:_FEW_SHOWN])
        more = f" and {len(names) - _FEW_SHOWN} more" if len(names) > _FEW_SHOWN else ""
        timed = sum(1 for key in measured.keys("seconds") if measured[key].values)
        yield f"{len(names)} of {timed} durations are unstable: {shown}{more}"
    for code, count in measured.described.diagnostics.items():
        yield f"the reader reported {code} ({count})"
