"""Writes the parts of the documentation that the code knows best; `--check` only compares.

Takes: the module docstrings (`Paper:` lines), the command line's help, the settings.
Gives: docs/papers.md, docs/cli.md, docs/settings.md.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "offbook"
TESTS = ROOT / "tests"
NOTE = "<!-- Written by docs/generate.py; do not edit. -->\n"


def papers() -> str:
    """Concept, file, test, and what of the paper is left out or done differently."""
    lines = [
        f"{NOTE}\n# From paper to code\n",
        "| concept | file | test | paper |",
        "|---|---|---|---|",
    ]
    for path in sorted(SOURCE.rglob("*.py")):
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        if "\nPaper:" not in docstring:
            continue
        head, _, paper = docstring.partition("\nPaper:")
        concept = head.splitlines()[0].rstrip(".")
        where = path.relative_to(SOURCE)
        test = TESTS / where.parent / f"test_{where.name}"
        shown = f"`{test.relative_to(ROOT)}`" if test.exists() else ""
        lines.append(
            f"| {concept} | `{path.relative_to(ROOT)}` | {shown} | {' '.join(paper.split())} |"
        )
    return "\n".join(lines) + "\n"


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

[prices."gpt-4.1-mini"]  # USD per million tokens, as your provider has them; none is built in
prompt = 0.4
completion = 1.6
```

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


PAGES = {"papers.md": papers, "cli.md": cli, "settings.md": settings}


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
