"""What docs/api.md shows is so: its commands run, and it says where every route is."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from offbook.server.app import create_app
from tests.server.served import Served, settings_in, with_ada
from tests.waiting import PATIENCE_SECONDS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "api.md").read_text("utf-8")
EXAMPLES = re.findall(r"test_documented.py runs it against one -->\n```sh\n(.*?)```", PAGE, re.S)


def test_the_commands_of_the_page_run(tmp_path: Path):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    settings = settings_in(tmp_path)
    asyncio.run(with_ada(settings))
    said = ""
    with Served(settings) as server:
        for example in EXAMPLES:
            code = example.replace("http://127.0.0.1:8321", server.root)
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", code],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=2 * PATIENCE_SECONDS,
            )
            assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
            said += done.stdout
    assert len(EXAMPLES) == 2
    assert "Mind the third step, Sam." in said
    assert "event: end" in said
    assert '"first":"file-1:naive"' in said or '"first":"naive"' in said
    assert "<html" in (tmp_path / "report.html").read_text("utf-8")


def test_the_page_names_every_part_of_the_api(tmp_path: Path):
    named = set(re.findall(r"[a-z-]+", PAGE))
    for path in create_app(settings_in(tmp_path)).openapi()["paths"]:
        if path.startswith("/api"):
            parts = [part for part in path.split("/") if part and "{" not in part]
            assert set(parts) <= named, f"docs/api.md does not tell of {path}"
