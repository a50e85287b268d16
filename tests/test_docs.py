"""The documentation is true: generated pages are current, code runs, and what is named exists."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import typer.main

from offbook import registry
from offbook.cli.main import app
from offbook.settings.model import setting_names
from offbook.types import Reply
from tests.pages import DOCS, GENERATED, INCLUDED, PAGES, ROOT, blocks, written
from tests.waiting import PATIENCE_SECONDS

LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
INLINE = re.compile(r"`([^`\n]+)`")
OURS = [page for page in PAGES if page.name not in (*GENERATED, *INCLUDED)]
"""Pages that somebody wrote."""


def named(page):
    return str(page.relative_to(ROOT))


def runnable():
    return [page for page in PAGES if any(block.runs for block in blocks(page))]


@pytest.mark.long
def test_generated_pages_are_current():
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == "", "run `.venv/bin/python docs/generate.py`"
    assert done.returncode == 0, done.stderr


# -- what is named exists ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "page"),
    [("method", "methods.md"), ("benchmark", "datasets.md"), ("dataset", "datasets.md")],
)
def test_what_can_be_named_is_described(kind, page):
    text = (DOCS / page).read_text("utf-8")
    assert [name for name in registry.names(kind) if f"`{name}`" not in text] == []


def headings(page):
    """The anchors of a page, as GitHub makes them of its headings."""
    lines = [line.lstrip("# ").lower() for line in written(page).splitlines() if line[:1] == "#"]
    return {"#" + re.sub(r"[^\w\- ]", "", line).replace(" ", "-") for line in lines}


def test_links_lead_somewhere():
    broken = []
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for path, anchor in LINK.findall(page.read_text("utf-8")):
            to = (page.parent / path).resolve() if path else page
            if not to.exists() or (anchor and anchor not in headings(to)):
                broken.append(f"{named(page)}: {path}{anchor}")
    assert broken == []


def citations(text):
    """`(folder, page, heading)` wherever a text names a page of docs/; the heading may be None."""
    pages = "|".join(page.name for page in PAGES if page.parent == DOCS)
    cited = re.finditer(rf'(docs/)?\b({pages})(?:, "([^"]+)")?', " ".join(text.split()))
    return [match.groups() for match in cited]


def is_right(folder, page, heading):
    return bool(folder) and (
        heading is None or f"# {heading}\n" in (DOCS / page).read_text("utf-8")
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


def calls(text):
    """The words of each call of offbook in lines of a shell, or in one inline."""
    text = re.sub(r"<<'(\w+)'\n.*?\n\1$", "", text, flags=re.S | re.M)
    for line in text.replace("\\\n", " ").splitlines():
        for part in re.split(r"\s(?:\|\|?|&&)\s|\$\(", line):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:  # a quotation that begins elsewhere, as in inline code
                words = part.split()
            if words and words[0].rpartition("/")[2] == "offbook":
                yield words[1:]


def unknown(words):
    """What of a call does not exist: its command, or an option; None where all does."""
    command: Any = typer.main.get_command(app)
    options = {name for option in command.params for name in option.opts}
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    if getattr(command, "commands", {}) and words and re.fullmatch("[a-z-]+", words[0]):
        return words[0]
    options |= {
        name for option in command.params for name in (*option.opts, *option.secondary_opts)
    }
    options |= {"--help", "-h"}
    given_words = [word.partition("=")[0].rstrip(",.;)") for word in words]
    given_words = [word for word in given_words if re.fullmatch(r"--?[a-z][a-z-]*", word)]
    return next((word for word in given_words if word not in options), None)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("offbook ask ada QUESTION --json | head", None),
        ("echo y | .venv/bin/offbook eval run demo --methods naive", "--methods"),
        ("offbook aks ada", "aks"),
        ("offbook eval tables", "tables"),
    ],
)
def test_a_command_or_option_that_does_not_exist_is_noticed(line, what):
    assert [unknown(words) for words in calls(line)] == [what]


def test_every_command_and_option_that_a_page_names_exists():
    wrong = []
    for page in [*OURS, ROOT / "CONTRIBUTING.md"]:
        lines = [block.code for block in blocks(page) if block.language == "sh"]
        for text in [*lines, *INLINE.findall(written(page).replace("\n", " "))]:
            wrong += [
                (named(page), *words, what) for words in calls(text) if (what := unknown(words))
            ]
    assert wrong == []


def test_every_setting_that_a_page_names_exists():
    names = {*setting_names(), *(f"reply.{each.name}" for each in fields(Reply))}
    sections = {name.partition(".")[0] for name in names if "." in name} - {"prices"}
    others = re.compile(r"\.(md|py|json|jsonl|txt|toml|html|csv|tsv)$|^story\.(md|txt)")
    wrong = []
    for page in OURS:
        codes = [block.code for block in blocks(page) if block.language in ("sh", "toml")]
        for text in [*INLINE.findall(written(page)), *codes]:
            for name in re.findall(r"(?<![\w./-])([a-z]+\.[a-z_]+)(?![\w(./])", text):
                known = name in names or name.partition(".")[0] not in sections
                if not known and not others.search(name):
                    wrong.append((named(page), name))
    assert wrong == []


# -- code --------------------------------------------------------------------------------------


def test_some_pages_have_code():
    assert ROOT / "README.md" in runnable()


def test_commands_and_python_run_or_say_why_not():
    hidden = []
    for page in OURS:
        for block in blocks(page):
            assert block.language not in ("bash", "shell", "console", "py"), named(page)
            is_command = re.match(r"(\$ |offbook |pip |python |make )", block.code)
            if block.language not in ("sh", "python") and is_command and not block.reason:
                hidden.append((named(page), block.code.splitlines()[0]))
    assert hidden == []


def test_what_is_part_of_an_example_is_in_it():
    for page in PAGES:
        for block in blocks(page):
            part = re.match(r"part of (examples/[\w.]+)", block.reason or "")
            if part:
                example = " ".join((ROOT / part[1]).read_text("utf-8").split())
                assert " ".join(block.code.split()) in example, (named(page), part[1])


def save(block, folder):
    """Write what the page has a reader save; its entry points count as installed."""
    (folder / block.file).write_text(block.code, "utf-8")
    if block.file == "pyproject.toml":
        project = tomllib.loads(block.code)["project"]
        installed = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        installed.mkdir()
        head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        (installed / "METADATA").write_text(head, "utf-8")
        groups = [
            "\n".join([f"[{group}]", *(f"{name} = {place}" for name, place in names.items())])
            for group, names in project["entry-points"].items()
        ]
        (installed / "entry_points.txt").write_text("\n\n".join(groups) + "\n", "utf-8")


@pytest.mark.long
@pytest.mark.parametrize("page", runnable(), ids=named)
def test_the_code_blocks_run(page, tmp_path):
    bin_folder = str(Path(sys.executable).parent)
    environment = {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(tmp_path),
        "HOME": str(tmp_path),
        "OFFBOOK_HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
    }
    for block in blocks(page):
        if block.file and block.reason is None:
            save(block, tmp_path)
        if not block.runs:
            continue
        command = ["bash", "-euo", "pipefail", "-c", block.code]
        if block.language == "python":
            command = [
                sys.executable,
                "-W",
                "error",
                *([block.file] if block.file else ["-c", block.code]),
            ]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE_SECONDS,
        )
        assert done.returncode == 0, f"{block.code}\n{done.stdout}\n{done.stderr}"


# -- the site ----------------------------------------------------------------------------------


def test_every_page_has_its_place_on_the_site():
    placed = {DOCS / "index.md"}
    for index in (DOCS / "index.md", DOCS / "plugins" / "index.md"):
        for _, inside in re.findall(r"```\{toctree\}\n(:.*\n)*\n((?:.+\n)+)```", index.read_text()):
            placed |= {index.parent / f"{name}.md" for name in inside.split()}
    assert placed == {page for page in PAGES if page != ROOT / "README.md"}


@pytest.mark.long
def test_the_site_builds_without_a_warning(tmp_path):
    tools = ROOT / "build" / "docs-venv" / "bin" / "python"
    if not tools.exists():
        pytest.skip("the tools of the site are not there; `make docs` installs them")
    command: list[str | Path] = [tools, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run([*command, DOCS, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "searchindex.js").stat().st_size > 100_000


def test_the_first_page_is_short_and_has_two_small_pictures():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.split()) < 900
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert len(pictures) == 2
    assert all((ROOT / picture).stat().st_size < 200_000 for picture in pictures)


@pytest.mark.long
def test_the_pictures_can_be_made_again(tmp_path):
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        pytest.skip("no Chromium on this machine: no picture of the page")
    command = [sys.executable, "docs/pictures.py", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, timeout=4 * PATIENCE_SECONDS)
    assert "no knowledge" in (tmp_path / "terminal.svg").read_text("utf-8").replace("&#160;", " ")
    assert 20_000 < (tmp_path / "talk.png").stat().st_size < 200_000


# -- words -------------------------------------------------------------------------------------


PRIVATE = {
    "actor",
    "alias",
    "boundary",
    "cast",
    "cell",
    "character",
    "chunk",
    "chunking",
    "context",
    "distil",
    "distilled",
    "embedder",
    "ensemble",
    "episode",
    "extractor",
    "gate",
    "graph",
    "ingest",
    "judge",
    "lorebook",
    "memory",
    "method",
    "mood",
    "persona",
    "point",
    "premise",
    "preset",
    "principal",
    "profile",
    "recall",
    "scene",
    "skipped",
    "source",
    "stance",
    "swipe",
    "trait",
    "turn",
    "verdict",
    "voice",
    "wait",
    "witness",
    "facet",
    "ladder",
    "lease",
    "quarantine",
    "seam",
    "standing",
    "wing",
}
"""Words that a stranger has to learn. A page for users has only those that the glossary explains.

Found by reading all pages; the last line are words of the source that no user needs.
"""

FOR_USERS = [page for page in OURS if page.name != "architecture.md"]
"""Who changes the source learns its words there."""


def explained():
    """The words of the glossary."""
    text = (DOCS / "glossary.md").read_text("utf-8")
    return {
        word for term in re.findall(r"^- \*\*([^*]+)\*\*", text, re.M) for word in words_of(term)
    }


def words_of(text):
    return re.findall(r"[\w’'-]+", text.lower())


def prose(page):
    """The sentences of a page: of its paragraphs and lists, without tables, headings and code."""
    text = re.sub(r"^\s*(\||#).*$", "", written(page), flags=re.M)
    text = re.sub(r"`[^`\n]*`", "code", re.sub(r"\]\([^)]*\)", "]", text))
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        for sentence in re.split(r"(?<=[.!?])[\"')*]*\s+", block):
            if len(words_of(sentence)) > 3:
                yield sentence


def test_words_of_our_own_are_in_the_glossary():
    known = explained()
    private = {form for word in PRIVATE for form in (word, f"{word}s") if word not in known}
    strange = {
        (named(page), word)
        for page in FOR_USERS
        for sentence in prose(page)
        for word in private.intersection(words_of(sentence))
    }
    assert strange == set(), "say it otherwise, or explain the word in docs/glossary.md"


def test_every_word_of_the_glossary_is_used_elsewhere():
    text = " ".join(written(page) for page in OURS if page.name != "glossary.md").lower()
    assert [word for word in explained() if not re.search(rf"\b{word}", text)] == []


STILTED = re.compile(
    r"\b(anew|whosoever|whomsoever|thereof|hitherto|of use for|for whoever)\b", re.I
)
"""Turns that readers stumbled over; each has a plain form."""


def test_no_stilted_turns():
    stilted = [
        (named(page), match[0])
        for page in OURS
        for sentence in prose(page)
        for match in STILTED.finditer(sentence)
    ]
    assert stilted == []


LONGEST_MEAN = {"talk": 16, "other": 24}
"""Words of a sentence, on a page's average: pages to begin with are easier than references."""
TALK = ("README", "start", "novel", "models", "faq", "troubleshooting", "glossary", "index")


@pytest.mark.parametrize("page", OURS, ids=named)
def test_sentences_are_short_on_each_page(page):
    lengths = [len(words_of(sentence)) for sentence in prose(page)]
    is_first = page.stem in TALK or page.parent.name == "plugins"
    assert mean(lengths) <= LONGEST_MEAN["talk" if is_first else "other"]


def test_sentences_have_twenty_words_on_average():
    lengths = [len(words_of(sentence)) for page in OURS for sentence in prose(page)]
    assert mean(lengths) <= 20


# -- money -------------------------------------------------------------------------------------


def test_the_costs_of_models_are_those_of_the_built_in_prices():
    """Prompt and answer tokens are those of the table above it, a reply taken to have 100."""
    works = {
        "replies": (2_820_000, 130_000),
        "persona": (55_975, 53_834),
        "story": (133_700, 68_100),
    }
    text = (ROOT / "src/offbook/settings/prices.tsv").read_text("utf-8")
    rows = [line.split("\t")[1:] for line in text.splitlines() if line[:1] != "#"]
    prices = {model: (float(prompt), float(answer)) for model, prompt, answer in rows}
    page = (DOCS / "models.md").read_text("utf-8")
    stated = re.findall(r"^\| `([^`]+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", page, re.M)
    assert len(stated) > 5
    for model, *amounts in stated:
        prompt, answer = prices[model]
        costs = [(asked * prompt + said * answer) / 1e6 for asked, said in works.values()]
        assert [f"{cost:.2f}" for cost in costs] == amounts, model
