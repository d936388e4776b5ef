"""The document and the daemon agree: a fuzzer reads the one and asks the other."""

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from daemon import RunningDaemon, get
from histbench.jsontext import decode
from histbench.serve.openapi import document_text
from histbench.serve.operations import OPERATIONS
from transcript_files import SESSION

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas" / "openapi.json"
LOG_ID = "a session/1"

# An endless stream is no response that a fuzzer waits for.
FUZZED = [operation for operation in OPERATIONS if operation.answer is not None]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
    unsupported_method,
]

schema = schemathesis.openapi.from_dict(decode(document_text(OPERATIONS)))


def test_the_published_document_is_the_daemons(daemon: RunningDaemon) -> None:
    """What is checked in is what the tables say and what a running daemon answers."""
    assert PUBLISHED.read_text(encoding="utf-8") == document_text(OPERATIONS)
    assert get(daemon, "/openapi.json").text == document_text(OPERATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("operation", FUZZED, ids=lambda each: each.name)
def test_no_request_meets_a_defect(daemon: RunningDaemon, operation) -> None:
    """Whatever the document allows or forbids is answered as it says, and never with a 500."""
    described = schema[operation.template][operation.method]
    there = [{"id": each} for each in (LOG_ID, SESSION)] if "{id}" in operation.template else [None]
    cases = st.one_of(
        [
            described.as_strategy(mode, path_parameters=path)
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
            for path in (*there, None)
        ]
    )

    @settings(
        max_examples=15, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(case=cases)
    def ask(case: Case) -> None:
        case.call_and_validate(base_url=daemon.url, checks=CHECKS)

    ask()
