"""Decorators: lines ``@@name value`` on top of a lorebook entry that say when and where it counts.

Takes: the content of an entry.  Gives: the decorators that are known, what was not, and the text
without them. Source: Character Card V3 specification, "Decorators".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Argument = Literal["none", "whole", "name", "names", "role", "place", "prompt"]

DECORATORS: Final[Mapping[str, Argument]] = {
    "activate_only_after": "whole",
    "activate_only_every": "whole",
    "keep_activate_after_match": "none",
    "dont_activate_after_match": "none",
    "depth": "whole",
    "instruct_depth": "whole",
    "reverse_depth": "whole",
    "reverse_instruct_depth": "whole",
    "role": "role",
    "scan_depth": "whole",
    "instruct_scan_depth": "whole",
    "is_greeting": "whole",
    "position": "place",
    "ignore_on_max_context": "none",
    "additional_keys": "names",
    "exclude_keys": "names",
    "is_user_icon": "name",
    "activate": "none",
    "dont_activate": "none",
    "disable_ui_prompt": "prompt",
}
_CHOICES: Final[Mapping[Argument, frozenset[str]]] = {
    "role": frozenset({"assistant", "system", "user"}),
    "place": frozenset({"after_desc", "before_desc", "personality", "scenario"}),
    "prompt": frozenset({"post_history_instructions", "system_prompt"}),
}
_LINE: Final = re.compile(r"(@{2,}+)([A-Za-z_][A-Za-z0-9_-]*+)[ \t]*+([^\r\n]*)")
_BLANKS: Final = re.compile(r"[ \t\r\n]*+")
_WHOLE: Final = re.compile(r"\d{1,9}")
_REPEATED: Final = frozenset({"additional_keys"})
_FALLBACK: Final = 3  # "@@@name" counts where the decorator before it is not known


@dataclass(frozen=True, slots=True)
class Decorator:
    """A decorator line: ``level`` is the number of its signs, 2 for one that is no fallback."""

    name: str
    value: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Decorated:
    """The content of an entry, taken apart.

    ``known`` are the values by name (the first one of a name counts), ``unused`` the lines that do
    not count and why, ``lines`` all of them as they stand.
    """

    text: str
    known: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[tuple[Decorator, str], ...] = ()
    lines: tuple[Decorator, ...] = ()

    def has(self, name: str) -> bool:
        """Whether a decorator is there."""
        return name in self.known

    def whole(self, name: str) -> int | None:
        """The number of a decorator, or None."""
        value = self.known.get(name)
        return None if value is None else int(value)

    def names(self, name: str) -> tuple[str, ...]:
        """The list of a decorator; empty where it is not there."""
        return _split(self.known.get(name, ""))

    def every(self, name: str) -> list[tuple[str, ...]]:
        """The lists of a decorator that may stand there several times."""
        if name not in self.known:
            return []
        unused = {id(line) for line, _ in self.unused}
        counting = (line for line in self.lines if line.name == name and id(line) not in unused)
        return [names for line in counting if (names := _split(line.value))]


def _split(value: str) -> tuple[str, ...]:
    return tuple(part for part in (part.strip() for part in value.split(",")) if part)


def read_decorators(content: str) -> Decorated:
    """Take the decorators off the top of ``content``; blank lines between them go with them."""
    lines: list[Decorator] = []
    end = 0
    while True:
        match = _LINE.match(content, _BLANKS.match(content, end).end())  # type: ignore[union-attr]
        if match is None:
            break
        lines.append(Decorator(match[2].lower(), match[3].strip(), len(match[1])))
        end = match.end()
    if not lines:
        return Decorated(content)
    rest = content[end:].removeprefix("\r").removeprefix("\n")
    return _chosen(rest, lines)


def _chosen(text: str, lines: list[Decorator]) -> Decorated:
    known: dict[str, str] = {}
    unused: list[tuple[Decorator, str]] = []
    needed = False  # whether a fallback may still take the place of what stood before it
    for line in lines:
        if line.level >= _FALLBACK and not needed:
            unused.append((line, "what it stands in for is known"))
            continue
        trouble = argument_trouble(line)
        needed = trouble is not None
        if trouble is not None:
            unused.append((line, trouble))
        elif line.name in known and line.name in _REPEATED:
            continue
        elif line.name in known:
            unused.append((line, "there is one of that name before it"))
        else:
            known[line.name] = line.value
    return Decorated(text, known, tuple(unused), tuple(lines))


def argument_trouble(line: Decorator) -> str | None:
    """What is wrong with a decorator, or None."""
    argument = DECORATORS.get(line.name)
    if argument is None:
        return "it is not known"
    if argument == "whole" and not _WHOLE.fullmatch(line.value):
        return f"{line.value[:40]!r} is no whole number"
    if argument in ("name", "names") and not line.value:
        return "its value is missing"
    choices = _CHOICES.get(argument)
    if choices is not None and line.value not in choices:
        return f"{line.value[:40]!r} is none of {', '.join(sorted(choices))}"
    return None
