"""The small session, as a file that the tests share."""

from pathlib import Path

import pytest

from measure_session import small_events, write_session


@pytest.fixture(scope="session")
def session_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small session, for tests that only read it."""
    return write_session(tmp_path_factory.mktemp("session") / "session.jsonl", small_events())
