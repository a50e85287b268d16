"""The documentation is true: generated pages are current, and code blocks run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from offbook import registry
from tests.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
BLOCK = re.compile(r"(<!-- not run: [^>]+ -->\n)?```(\w+)\n(.*?)```", re.S)


def blocks(page):
    """`(language, code)` of the blocks that run, in order; a comment above one says why not."""
    for match in BLOCK.finditer(page.read_text("utf-8")):
        if match.group(1) is None and match.group(2) in ("sh", "python"):
            yield match.group(2), match.group(3)


def runnable():
    return [page for page in PAGES if any(blocks(page))]


@pytest.mark.long
def test_generated_pages_are_current():
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == "", "run `.venv/bin/python docs/generate.py`"
    assert done.returncode == 0, done.stderr


def test_some_pages_have_code():
    assert ROOT / "README.md" in runnable()


@pytest.mark.parametrize(
    ("kind", "page"),
    [("method", "methods.md"), ("benchmark", "datasets.md"), ("dataset", "datasets.md")],
)
def test_what_can_be_named_is_described(kind, page):
    text = (ROOT / "docs" / page).read_text("utf-8")
    assert [name for name in registry.names(kind) if f"`{name}`" not in text] == []


def headings(page):
    """The anchors of a page, as GitHub makes them of its headings."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    lines = [line.lstrip("# ").lower() for line in text.splitlines() if line.startswith("#")]
    return {"#" + re.sub(r"[^\w\- ]", "", line).replace(" ", "-") for line in lines}


def test_links_lead_somewhere():
    broken = []
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for path, anchor in LINK.findall(page.read_text("utf-8")):
            to = (page.parent / path).resolve() if path else page
            if not to.exists() or (anchor and anchor not in headings(to)):
                broken.append(f"{page.name}: {path}{anchor}")
    assert broken == []


def citations(text):
    """`(folder, page, heading)` wherever a text names a page of docs/; the heading may be None."""
    pages = "|".join(page.name for page in PAGES if page.parent.name == "docs")
    cited = re.finditer(rf'(docs/)?\b({pages})(?:, "([^"]+)")?', " ".join(text.split()))
    return [match.groups() for match in cited]


def is_right(folder, page, heading):
    return bool(folder) and (
        heading is None or f"# {heading}\n" in (ROOT / "docs" / page).read_text("utf-8")
    )


def test_a_citation_names_folder_page_and_heading():
    text = (
        'see docs/memory.md, "Mood", docs/memory.md and docs/memory.md,\n"None such"; memory.md 3'
    )
    assert [is_right(*cited) for cited in citations(text)] == [True, True, False, False]


def test_pages_and_headings_that_the_source_cites_exist():
    files = sorted((ROOT / "src").rglob("*.py"))
    texts = {path.relative_to(ROOT): path.read_text("utf-8") for path in files}
    cited = [(path, *each) for path, text in texts.items() for each in citations(text)]
    assert any(heading for *_, heading in cited)
    assert [each for each in cited if not is_right(*each[1:])] == []


@pytest.mark.long
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
