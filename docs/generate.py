"""Writes the parts of the documentation that the code knows best; `--check` only compares.

Takes: the module docstrings (`Paper:` lines), the command line's help, the settings, the classes
that programs use.
Gives: docs/papers.md, docs/cli.md, docs/settings.md, docs/python.md.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "offbook"
TESTS = ROOT / "tests"
NOTE = "<!-- Written by docs/generate.py; do not edit. -->\n"


INTRODUCTION = f"""{NOTE}
# From paper to code

Which file holds which idea of which paper, and what is done differently. The tables are made of the
docstrings; files are below `src/offbook`, tests below `tests`.
[architecture.md](architecture.md#the-path-of-a-question) follows one question through the code,
[methods.md](methods.md) compares the methods, and [errata.md](errata.md) lists misprints.

The code and these pages call the papers by numbers:

- **000**: *RoleRAG: Enhancing LLM Role-Playing via Graph Guided Retrieval*, by Yongjie Wang,
  Jonathan Leung and Zhiqi Shen. Our copy ends within section 3.2.
- **001**: the same, as an anonymous submission to ACL. It is complete: sections, tables and figures
  of RoleRAG are cited from it.
- **002**: *Dynamic Context Adaptation for Consistent Role-Playing Agents with Retrieval-Augmented
  Generations* (AMADEUS), by Jeiyoon Park, Yongshin Han, Minseop Kim and Kisu Yang; an older
  version.
- **003**: the newer version of 002, whose sections are cited. Its data:
  [CharacterRAG](https://huggingface.co/datasets/naruto-soop/CharacterRAG).
- **004**: *Emotional RAG: Enhancing Role-Playing Agents through Emotional Retrieval*, by Le Huang,
  Hengzhi Lan, Zijun Sun, Chuan Shi and Ting Bai.

The copies that we read print no arXiv number of their own, so none is given for these five.
"""

PAPERS = {
    "001": """## RoleRAG (000, 001)

A book calls one person by many names, and a model knows things that the character cannot know.
At ingestion a model extracts entities and relations from each chunk; a model then says which names
mean the same person, and these become one node of a graph. For a question the model first imagines
what the answer may be about (HyDE), and lists the entities of question and passage: each is known
to the character or not, and specific or general. What is not known is told to the model as out of
scope, with the reason. For a specific entity the nearest nodes of the graph are looked up, with
their relations to the character; for a general one the character's neighbours of that type.
""",
    "003": """## AMADEUS (002, 003)

Texts seldom say what a character is like; they tell what it does. ACTS cuts a document into chunks
as long as its longest paragraph, with the headings above each. Guided selection asks a model of one
similar chunk after the other whether something about the character can be inferred from it that
bears on the question, and keeps the first few. The attribute extractor puts into words what these
chunks reveal: beliefs and values, and psychological traits. The reply rests on the most similar
chunks and on these attributes.
""",
    "004": """## Emotional RAG (004)

People recall best what they felt as they feel now. A memory is what was said to the character and
what it answered. A model scores eight emotions from 1 to 10, of each memory and of the question.
Memories are compared with the question twice: by the distance of the vectors of their meaning, and
by the cosine distance of their emotions. Four strategies combine both: sum (C-A), product (C-M),
meaning first (S-S), emotion first (S-E). The ten best go into the prompt.
""",
    "2401.15884": "## CRAG ([arXiv 2401.15884](https://arxiv.org/abs/2401.15884))\n",
    "2403.14403": "## Adaptive-RAG ([arXiv 2403.14403](https://arxiv.org/abs/2403.14403))\n",
    "2401.18059": "## RAPTOR ([arXiv 2401.18059](https://arxiv.org/abs/2401.18059))\n",
    "2410.05779": "## LightRAG ([arXiv 2410.05779](https://arxiv.org/abs/2410.05779))\n",
    "": "## Ours, and other sources\n",
}
"""What stands above the table of each paper, by its key or its number at arXiv."""

PAPER = re.compile(r"(?:^|\n|(?<=\. ))Paper:(.*?)(?:\n\n|\Z)", re.S)
CITED = re.compile(r"\((00\d)\)|arXiv (\d{4}\.\d{5})")
PLACE = re.compile(
    r"sections? [\dIVX]+(?:[-.]\w+)*|appendix [A-Z]|Algorithm \d|(?:[Tt]able|[Ff]igure) \d|tables"
)


def papers() -> str:
    """By paper and section: concept, file, test, and what is left out or done differently."""
    rows: dict[str, list[tuple[str, str, str]]] = {key: [] for key in PAPERS}
    for path in sorted(SOURCE.rglob("*.py")):
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        paper = PAPER.search(docstring)
        if paper is None:
            continue
        concept = " ".join(docstring.split("\n\n")[0].split()).rstrip(".")
        where = path.relative_to(SOURCE)
        test = TESTS / where.parent / f"test_{where.name}"
        files = f"`{where}`" + (f", `{test.relative_to(ROOT)}`" if test.exists() else "")
        note = " ".join(paper[1].split())
        for key, section in places(note).items():
            rows[key].append((section, files, f"| {section} | {concept} | {files} | {note} |"))
    parts = [INTRODUCTION]
    for key, title in PAPERS.items():
        head = "\n| section | what | file, test | source, and what differs |\n|---|---|---|---|\n"
        lines = (line for *_, line in sorted(rows[key]))
        parts.append(f"{title}{head}" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def places(note: str) -> dict[str, str]:
    """The papers that a note cites by their keys, each with the first place that it names."""
    cited = list(CITED.finditer(note))
    if not cited:
        return {"": ""}
    ends = [*(each.start() for each in cited[1:]), len(note)]
    found: dict[str, str] = {}
    for each, end in zip(cited, ends, strict=True):
        key = {"000": "001", "002": "003"}.get(each[1], each[1]) or each[2]
        place = PLACE.search(note, each.end(), end)
        found.setdefault(key, re.sub("^sections? ", "", place[0]) if place else "")
    return found


def cli() -> str:
    """The help of every command."""
    import typer.main

    from offbook.cli.main import app

    parts = [f"{NOTE}\n# The command line\n"]

    def section(command: Any, name: str, parent: typer.Context | None) -> None:
        context = typer.Context(
            command, info_name=name, parent=parent, terminal_width=96, max_content_width=96
        )
        title = context.command_path
        parts.append(f"## {title}\n\n```text\n{command.get_help(context).rstrip()}\n```\n")
        for child, found in getattr(command, "commands", {}).items():
            section(found, child, context)

    section(typer.main.get_command(app), "offbook", None)
    return "\n".join(parts)


SETTINGS = f"""{NOTE}
# Settings

A flag (`--set NAME=VALUE`, or the command's own) beats the environment, which beats
`offbook.toml` of the project, which beats the user's `config.toml`, which beats the
default. `offbook config show --origin` says where each value came from, and where the user's
file is: `~/.config/offbook/config.toml` on Linux, unless `OFFBOOK_CONFIG` names another. The
project's file is looked for in the working directory and above. In both, what stands before the
dot of a name is a section:

```toml
method = "rolerag"

[chat]
model = "gpt-4.1-mini"

[limits]
budget_usd = 2.0

[prices."gpt-4.1-mini"]  # USD per million tokens, as your provider has them
prompt = 0.4
completion = 1.6
```

`offbook setup` finds or asks for a model and writes it into your own file; `offbook config set`
writes any setting there (`offbook config set naive.k 5`, `--unset naive.k`), and comments stay.

Where you set no price, a model that answers at its provider's own address has its list price, if
it is one of the few in the built-in table; `config show --origin` says so, with the month of the
table. Elsewhere, and for other models, cost is null.

`OPENAI_API_KEY` is used for `OPENAI_BASE_URL` or, without it, for OpenAI's own address. A key
goes only to an address from the same source as the key or from a more trusted one (flag,
environment and the user's file, then the project's), so that a folder from elsewhere collects none.

| setting | environment | default | meaning |
|---|---|---|---|
"""


def settings() -> str:
    """Every setting, its variable, its default and its meaning."""
    from offbook.settings import load_settings
    from offbook.settings.loading import environment_name
    from offbook.settings.model import setting_names

    defaults = {
        name: value for name, value, _ in load_settings({}, {}, Path("/"), Path("/none")).rows()
    }
    defaults["home"] = "~/.local/share/offbook (Linux)"
    lines = []
    for name, meaning in setting_names().items():
        default = f"`{defaults[name]}`" if defaults[name] else ""
        lines.append(f"| `{name}` | `{environment_name(name)}` | {default} | {meaning} |")
    lines.append("| `prices.MODEL.prompt`, `.completion` | | | USD per million tokens |")
    return SETTINGS + "\n".join(lines) + "\n"


PYTHON = f"""{NOTE}
# The Python API

What programs call, and what they get. [library.md](library.md) shows it at work. Functions that are
`async` have to be awaited. Arguments behind `*` are given by name.
"""

CLASSES = {
    "Offbook": {"app/book.py": ["Offbook"]},
    "Conversations": {
        "agent/session.py": ["Session"],
        "agent/scene.py": ["Scene", "ScenePiece"],
    },
    "Memories, cards, evaluation": {
        "app/memories.py": ["Memories", "RememberReport"],
        "app/cards.py": ["Cards", "CardReport"],
        "evaluation/facade.py": ["Evaluation"],
    },
    "Replies and what they rest on": {
        "types.py": [
            "Character", "Reply", "Recall", "ContextItem", "Source", "Skipped", "Boundary",
            "BoundaryReason", "Remembered", "Usage",
        ],
    },
    "Reports": {
        "ingestion/reports.py": ["IngestReport", "DocumentReport", "Estimate"],
        "app/books.py": ["BookCharacter"],
        "app/casts.py": ["CastRow"],
    },
    "Protocols": {
        "protocols.py": ["Method", "Splitter", "Embedder", "ChatModel", "Reader", "Searcher"],
    },
    "What plug-ins take and give": {
        "methods/knowledge.py": ["Knowledge"],
        "types.py": [
            "IndexRequirements", "Passage", "Document", "Chunk", "ChatRequest", "ChatResponse",
            "Message", "ModelTraits",
        ],
        "documents/readers.py": ["ReadDocument"],
        "evaluation/benchmark.py": ["Benchmark", "Dataset", "Subject", "Question"],
        "evaluation/metrics/scales.py": ["JudgedScale"],
        "evaluation/reply_metrics.py": ["ReplyMetric", "Exchange"],
    },
}  # fmt: skip
"""The classes of the Python API, by section and file, in the order of the page."""

PART = re.compile(r"^(Args|Returns|Raises|Attributes|Yields):$", re.M)
ROLE = re.compile(r":\w+:`[~.]?([^`]+)`|``([^`]+)``")


def python() -> str:
    """The classes that programs use, with their functions and fields, read from the source."""
    parts, public = [PYTHON], (SOURCE / "__init__.py").read_text("utf-8")
    for section, files in CLASSES.items():
        parts.append(f"## {section}\n")
        for file, names in files.items():
            tree = ast.parse((SOURCE / file).read_text("utf-8"))
            stated = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
            module = "offbook." + file.removesuffix(".py").replace("/", ".")
            for name in names:
                is_public = f" import {name} as {name}\n" in public
                parts += described("offbook" if is_public else module, stated[name])
    return "\n".join(parts)


def described(module: str, node: ast.ClassDef) -> list[str]:
    """A class: where it is, what it is, its fields, and each of its functions."""
    parts = [f"### {node.name}\n", f"`from {module} import {node.name}`\n", *in_words(node)]
    fields = [ast.unparse(each) for each in node.body if isinstance(each, ast.AnnAssign)]
    if fields:
        parts.append("```text\n" + "\n".join(fields) + "\n```\n")
    for each in node.body:
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) or each.name[0] == "_":
            continue
        for argument in (*each.args.posonlyargs, *each.args.args)[:1]:
            if argument.arg in ("self", "cls"):
                each.args.args.remove(argument)
        kind = "async def" if isinstance(each, ast.AsyncFunctionDef) else "def"
        result = f" -> {ast.unparse(each.returns)}" if each.returns else ""
        is_value = any(ast.unparse(mark) == "property" for mark in each.decorator_list)
        head = f"{each.name}:{result[3:]}" if is_value else f"{kind} {each.name}"
        signature = head if is_value else f"{head}({ast.unparse(each.args)}){result}"
        title = f"#### {node.name}.{each.name}\n"
        parts += [title, f"```text\n{signature}\n```\n", *in_words(each)]
    return parts


def in_words(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """A docstring as Markdown: paragraphs, and a list below each of its parts."""
    text = ROLE.sub(lambda match: f"`{match[1] or match[2]}`", ast.get_docstring(node) or "")
    head, *rest = PART.split(text)
    parts = [f"{head.strip()}\n"] if head.strip() else []
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        entries = re.split(r"\n(?! {5})", body.strip("\n"))
        lines = [" ".join(entry.split()) for entry in entries if entry.strip()]
        parts.append(f"{title}:\n\n" + "".join(f"- {line}\n" for line in lines))
    return parts


PAGES = {"papers.md": papers, "cli.md": cli, "settings.md": settings, "python.md": python}


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` name those that are out of date."""
    stale = []
    for name, make in PAGES.items():
        path = ROOT / "docs" / name
        text = make()
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                path.write_text(text, "utf-8")
    sys.stdout.write("".join(f"{name}\n" for name in stale))
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
