"""An entity as prompts show it, on one line.

Takes: name, type and description.  Gives: ``"Name" (type; description)``. Only names stand in
double quotes, so that a model can tell them from what is said about them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_QUOTES: Final = str.maketrans(dict.fromkeys('"“”„‟«»〝〞〟＂″', "'"))


@dataclass(frozen=True, slots=True)
class Described:
    """A name with what a text says about it; the type may be empty."""

    name: str
    type: str
    description: str

    def line(self, most_chars: int = 400) -> str:
        """The entity on one line; a long description is shortened at a word."""
        return _line(self, most_chars)


@lru_cache(maxsize=4096)
def _line(entity: Described, most_chars: int) -> str:
    """Kept: an entity is a candidate of many others, and each item is sized and then written."""
    name = one_line(entity.name)
    told = "; ".join(part for part in (entity.type, one_line(entity.description)) if part)
    return f'"{name}" ({shortened(told, most_chars)})' if told else f'"{name}"'


def one_line(text: str) -> str:
    """``text`` without line breaks and double quotes."""
    plain = text.replace('"', "'") if text.isascii() else text.translate(_QUOTES)
    return " ".join(plain.split())


def shortened(text: str, most_chars: int) -> str:
    """``text`` of at most ``most_chars`` characters, cut at a word where there is one."""
    if len(text) <= most_chars:
        return text
    head, blank, _ = text[:most_chars].rpartition(" ")
    return f"{head if blank else text[:most_chars]}…"


def numbered(entities: Iterable[Described]) -> str:
    """``1 "A" (...); 2 "B" (...)``: the parts of one item."""
    return "; ".join(f"{n} {entity.line()}" for n, entity in enumerate(entities, 1))
