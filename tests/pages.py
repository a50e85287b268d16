"""The pages of the documentation, and the code in them.

Takes: README.md and docs/.  Gives: blocks with their language and the reason why one does not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = ROOT / "docs"
PAGES: Final = sorted([ROOT / "README.md", *DOCS.rglob("*.md")])
GENERATED: Final = ("cli.md", "papers.md", "python.md", "settings.md")
"""Pages whose words are those of the source."""
INCLUDED: Final = ("results.md", "changelog.md")
"""Pages that are files of the repository, for the site."""

_BLOCK: Final = re.compile(r"(?:<!-- not run: ([^>]+) -->\n)?^```(\w*)\n(.*?)^```", re.S | re.M)
_FILE: Final = re.compile(r"# ([\w.]+\.(?:py|toml))\n")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code; ``reason`` says why it does not run, ``file`` as what a reader saves it."""

    language: str
    code: str
    reason: str | None

    @property
    def file(self) -> str | None:
        """The name in its first line."""
        match = _FILE.match(self.code)
        return match[1] if match else None

    @property
    def runs(self) -> bool:
        """Whether the tests run it."""
        return self.reason is None and self.language in ("sh", "python")


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page, in order."""
    for reason, language, code in _BLOCK.findall(page.read_text("utf-8")):
        yield Block(language, code, reason or None)


def written(page: Path) -> str:
    """What a page says, without its blocks and comments."""
    text = _BLOCK.sub("", page.read_text("utf-8"))
    return re.sub(r"<!--.*?-->", "", text, flags=re.S)


def plugin_code(kind: str) -> str:
    """What the page on a kind of plug-in has a reader save."""
    page = DOCS / "plugins" / f"{kind}.md"
    return next(block.code for block in blocks(page) if (block.file or "").endswith(".py"))
