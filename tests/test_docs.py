"""The documentation is true: generated pages are current, and code blocks run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])
BLOCK = re.compile(r"(<!-- not run: [^>]+ -->\n)?```(\w+)\n(.*?)```", re.S)


def blocks(page):
    """`(language, code)` of the blocks that run, in order; a comment above one says why not."""
    for match in BLOCK.finditer(page.read_text("utf-8")):
        if match.group(1) is None and match.group(2) in ("sh", "python"):
            yield match.group(2), match.group(3)


def runnable():
    return [page for page in PAGES if any(blocks(page))]


def test_generated_pages_are_current():
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == "", "run `.venv/bin/python docs/generate.py`"
    assert done.returncode == 0, done.stderr


def test_some_pages_have_code():
    assert ROOT / "README.md" in runnable()


@pytest.mark.parametrize("page", runnable(), ids=lambda page: page.name)
def test_the_code_blocks_run(page, tmp_path):
    bin_folder = str(Path(sys.executable).parent)
    environment = {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "OFFBOOK_HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
    }
    for language, code in blocks(page):
        command = ["bash", "-euo", "pipefail", "-c", code]
        if language == "python":
            command = [sys.executable, "-W", "error", "-c", code]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE_SECONDS,
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
