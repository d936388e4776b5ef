"""The shell's files: there for everybody who may ask, under a policy that runs nothing else."""

import re

import pytest

from daemon import get, post, raw_request, running_daemon

SHELL = ["/", "/shell/app.js", "/shell/style.css", "/shell/transcript/view.js"]


@pytest.mark.parametrize("path", SHELL)
def test_a_file_comes_with_its_type_and_a_strict_policy(daemon, path):
    """Scripts, styles and requests of this daemon's own, and nothing inline."""
    answer = get(daemon, path)
    policy = answer.headers["content-security-policy"]

    assert answer.status_code == 200
    assert "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"].endswith("; charset=utf-8")


def test_a_file_that_is_kept_keeps_its_policy(daemon):
    """A browser takes over the headers of a 304."""
    first = get(daemon, "/")
    again = get(daemon, "/", headers={"if-none-match": first.headers["etag"]})

    assert first.headers["cache-control"] == "private, no-cache"
    assert (again.status_code, again.content) == (304, b"")
    for name in ("content-security-policy", "etag", "cache-control"):
        assert again.headers[name] == first.headers[name]


def test_the_page_has_nothing_inline(daemon):
    """What the policy would refuse is not there to begin with."""
    page = get(daemon, "/").text

    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|javascript:", page)


@pytest.mark.parametrize(
    "path", ["/shell/", "/shell", "/shell/../guard.py", "/shell/%2e%2e/guard.py", "/shell/app.mjs"]
)
def test_nothing_but_the_shell_is_there(daemon, path):
    """No path leads out of the folder."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    status, refusal = raw_request(daemon, request.encode())

    assert (status, refusal["code"]) == (404, "unknown_path")


def test_the_page_needs_no_token_and_its_requests_do(tmp_path):
    """It has to be there to ask for one."""
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123\n")
    token.chmod(0o600)
    with running_daemon(tmp_path, "--token-file", str(token)) as daemon:
        assert get(daemon, "/").status_code == 200
        assert get(daemon, "/sessions").status_code == 401
        assert get(daemon, "/", headers={"host": "elsewhere.example"}).status_code == 403
        assert post(daemon, "/").status_code == 401
