"""What tests share: the mock server, a clock that records, and results as JSON lines for the run that started them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

if "JUNCTION_WITHOUT_HTTPX2" in os.environ:
    # As if it were not installed: the SDK then takes httpx.
    vars(sys)["modules"]["httpx2"] = None

ROOT = Path(__file__).parents[3]
CONFORMANCE = ROOT / "conformance"


def vectors(name: str) -> Any:
    return json.loads((CONFORMANCE / name).read_text("utf8"))


@dataclass(frozen=True)
class Run:
    """A run of the mock server, with a base URL of its own."""

    base_url: str
    url: str

    def seen(self) -> list[dict[str, Any]]:
        requests: list[dict[str, Any]] = _call(self.url)["requests"]
        return requests


@dataclass(frozen=True)
class MockServer:
    url: str

    def run(self, script: dict[str, Any]) -> Run:
        made = _call(f"{self.url}/_runs", script)
        return Run(made["base_url"], f"{self.url}/_runs/{made['id']}")


@pytest.fixture(scope="session")
def mock() -> Iterator[MockServer]:
    """The one that the test run has started, or our own."""
    url = os.environ.get("JUNCTION_MOCK_URL")
    if url is not None:
        yield MockServer(url)
        return
    node = ROOT / "node_modules" / ".bin" / "node"
    with subprocess.Popen(
        [node, CONFORMANCE / "server.ts"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield MockServer(json.loads(server.stdout.readline())["url"])
        server.terminate()


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JUNCTION_API_KEY", "JUNCTION_BASE_URL", "JUNCTION_SIGNING_SECRET"):
        monkeypatch.delenv(name, raising=False)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """One line a test, into the file that JUNCTION_TEST_RESULTS names."""
    path = os.environ.get("JUNCTION_PYTEST_RESULTS")
    if path is None or (report.when != "call" and report.passed):
        return
    line = {"id": report.nodeid, "outcome": report.outcome, "detail": report.longreprtext, "when": report.when}
    with Path(path).open("a", encoding="utf8") as file:
        file.write(json.dumps(line) + "\n")


def _call(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data)) as answer:
        return json.loads(answer.read())
