"""What every test shares: how hard Hypothesis searches, and where a real corpus may lie."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Checkers of ours explain their failures as tests do.
pytest.register_assert_rewrite("checks", "oracle")

# No deadline, since a slow machine is no bug; a strategy that builds whole logs is slow to draw.
settings.register_profile(
    "desk", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=100
)
# On a server the same change gives the same verdict; the search for new cases goes on at desks.
settings.register_profile(
    "ci", settings.get_profile("desk"), derandomize=True, database=None, print_blob=True
)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "desk")
)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real session logs named by HISTBENCH_CORPUS; without it the test is skipped."""
    named = os.environ.get("HISTBENCH_CORPUS")
    if not named:
        pytest.skip("HISTBENCH_CORPUS names no folder of session logs")
    folder = Path(named)
    if not folder.is_dir():
        pytest.fail(f"HISTBENCH_CORPUS names {named!r}, which is no folder")
    return folder
