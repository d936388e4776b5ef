"""A browser, a daemon over sessions that were made for it, and pages in which any fault fails.

The tests need Playwright and a Chromium: that of the system, or the one that CHROMIUM names.
Without either they are skipped.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser_pages import Shell, make_root, opened
from daemon import RunningDaemon, running_daemon

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here drives a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            item.add_marker("slow")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all tests."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(
            executable_path=CHROMIUM,
            # A container's root has no sandbox, and its /dev/shm is small.
            args=["--no-sandbox", "--disable-dev-shm-usage", "--js-flags=--expose-gc"],
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sessions of `browser_pages`."""
    return make_root(tmp_path_factory.mktemp("root"))


@pytest.fixture(scope="session")
def daemon(root: Path) -> Iterator[RunningDaemon]:
    """A daemon over them."""
    with running_daemon(root) as running:
        yield running


@pytest.fixture
def shell(browser: Any, daemon: RunningDaemon) -> Iterator[Shell]:
    """A shell in a window of 1280 by 800."""
    with opened(browser, daemon) as shell:
        yield shell


@pytest.fixture
def narrow(browser: Any, daemon: RunningDaemon) -> Iterator[Shell]:
    """A shell as wide as a small telephone."""
    with opened(browser, daemon, width=360, height=640) as shell:
        yield shell
