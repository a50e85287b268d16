"""What commands that change a character say they did.

Takes: names and counts.  Gives: the JSON shapes that ``--json`` prints.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from offbook.types import Usage

AliasStatus = Literal["recorded", "unchanged", "withdrawn", "overruled"]


@dataclass(frozen=True, slots=True)
class CharacterInfo:
    """A character in a list."""

    id: str
    name: str
    created: str
    documents: int
    chars: int

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What forgetting a document took along, what rests on it still, and what it cost.

    ``messages`` say what was put aside when the graph was brought up to date.
    """

    character: str
    document: str
    chunks: int
    cached_calls: int
    turns: int
    memories: int
    messages: tuple[str, ...]
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``forget --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}


@dataclass(frozen=True, slots=True)
class Known:
    """An entity that bears one of two names now."""

    name: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AliasReport:
    """A person's word on two names, and who bears them now.

    ``status`` is ``recorded`` (also where it replaces the contrary), ``unchanged`` (it stood
    already), ``withdrawn`` (a person's word was taken back) or ``overruled`` (a decision of a
    model or a rule, by the word ``id``). ``undone`` is the id of the decision that was undone.
    """

    character: str
    status: AliasStatus
    id: str
    a: str
    b: str
    same: bool
    evidence: tuple[str, ...]
    undone: str | None
    entities: tuple[Known, ...]
    messages: tuple[str, ...]
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``alias --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}
