"""docs/guide/sdk-python.md: each block is run, in order, as one program, against the real service."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

GUIDE = (ROOT / "docs" / "guide" / "sdk-python.md").read_text("utf8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
URL = os.environ.get("JUNCTION_SERVICE_URL", "")
pytestmark = pytest.mark.skipif(URL == "", reason="JUNCTION_SERVICE_URL names no service")


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    """What earlier blocks have defined."""
    return {"__name__": "guide"}


def test_every_block_is_of_a_kind_that_is_run() -> None:
    assert GUIDE.count("\n```") == 2 * len(BLOCKS) > 20
    assert {kind for kind, _ in BLOCKS} == {"sh", "python"}


@pytest.mark.parametrize("number", [n for n, (kind, _) in enumerate(BLOCKS) if kind == "python"])
def test_block(number: int, said: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUNCTION_API_KEY", os.environ["JUNCTION_SERVICE_KEY"])
    monkeypatch.setenv("JUNCTION_BASE_URL", URL)
    settings: Any = import_module("django.conf").settings
    if not settings.configured:
        settings.configure()
    exec(compile(BLOCKS[number][1], f"block {number}", "exec"), said)


@pytest.mark.parametrize("number", [n for n, (kind, _) in enumerate(BLOCKS) if kind == "sh"])
def test_command(number: int) -> None:
    """`pip install` takes the wheel that was built, and nothing else."""
    command = BLOCKS[number][1].strip()
    assert re.fullmatch(r"pip install ~/junction/release/junction_platform_sdk-\*\.whl", command)
    [wheel] = Path(os.environ["JUNCTION_WHEELS"]).glob("junction_platform_sdk-*.whl")
    install = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--dry-run", "--ignore-installed"]
    ran = subprocess.run([*install, str(wheel)], capture_output=True, text=True, check=True)
    assert "Would install junction-platform-sdk-" in ran.stdout
