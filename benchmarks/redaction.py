# ruff: noqa: INP001  (a script, not a package)
"""What redaction does to sizes: pages of synthetic sessions, and of the same sessions redacted.

    python benchmarks/redaction.py [--profiles quick,published,session] [-o results/reference/redaction.json]

Each profile is two inputs of the results, `NAME` and `NAME redacted`.  Nothing is asserted; the key
is fixed, so that the numbers can be had again, and another key gives others that are as good.
"""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from sampling import describe_log

from histbench.encodings import find_encoding
from histbench.history import encode_page, whole_page
from histbench.log import EventLog
from histbench.measure.environment import read_environment
from histbench.privacy import redact_log
from histbench.results import Input, Results, Sample, save_results
from synthetic import generate, session_header

SEED = 1
KEY = b"benchmarks/redaction.py"
FORMS = ("raw", "packed", "joined")
ENCODINGS = ("identity", "gzip-6", "br-5", "zstd-3")
REDACTED = " redacted"


def sizes(name: str, log: EventLog) -> list[Sample]:
    """The bytes of the whole log as a page, in every form and encoding."""
    page = whole_page(log)
    samples = []
    for form in FORMS:
        data = encode_page(page, form)
        samples += [
            Sample(
                input=name,
                form=form,
                encoding=encoding,
                stage="wire",
                metric="bytes",
                unit="byte",
                value=len(find_encoding(encoding).encode(data)),
            )
            for encoding in ENCODINGS
        ]
    return samples


def main() -> None:
    """Measure, and print how far the redacted sizes are from the source's."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--profiles", default="quick,published,session")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("results/reference/redaction.json")
    )
    arguments = parser.parse_args()
    profiles = arguments.profiles.split(",")
    inputs: list[Input] = []
    samples: list[Sample] = []
    for profile in profiles:
        log = EventLog.from_events(
            generate(profile, seed=SEED), header=session_header(profile, seed=SEED)
        )
        for name, each in (
            (profile, log),
            (profile + REDACTED, redact_log(log, key=KEY)),
        ):
            inputs.append(describe_log(name, each, profile=profile, seed=SEED))
            samples += sizes(name, each)
    results = Results(
        environment=read_environment(gc_enabled=True),
        settings={"profiles": profiles, "forms": list(FORMS), "encodings": list(ENCODINGS)},
        command=f"python benchmarks/redaction.py --profiles {','.join(profiles)}",
        created_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        inputs=tuple(inputs),
        samples=tuple(samples),
    )
    save_results(results, arguments.output)
    wire = {(each.input, each.form, each.encoding): each.value for each in results.samples}
    for (name, form, encoding), source in wire.items():
        redacted = wire.get((name + REDACTED, form, encoding))
        if source and redacted is not None:
            print(f"{name} {form} {encoding}: {source:,} {redacted / source - 1:+.2%}")  # noqa: T201


if __name__ == "__main__":
    main()
