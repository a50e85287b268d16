"""What an ingestion says of itself: an estimate before, progress, a report at the end.

Takes: counts.  Gives: the JSON shapes of the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from offbook.types import DocumentStatus, TaskUsage, Usage


def counted(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is."""

    stage: str
    done: int
    total: int


ProgressListener = Callable[[Progress], None]


def unheard(event: Progress) -> None:
    """A listener for when nobody listens."""
    del event


@dataclass(slots=True)
class Steps:
    """Tells a listener how far a stage is whose size is known when it begins.

    Args:
        stage: Its name.
        progress: Who is told; of a stage without any steps nothing is told.
    """

    stage: str
    progress: ProgressListener
    _total: int = 0
    _done: int = 0

    def begin(self, total: int) -> None:
        """Say how many steps there are."""
        self._total, self._done = total, 0
        self._tell()

    def add(self, steps: int) -> None:
        """Count steps that are done."""
        self._done = min(self._total, self._done + steps)
        self._tell()

    def end(self) -> None:
        """Say that the stage is over, also where something of it was put aside."""
        if self._done < self._total:
            self.add(self._total)

    def _tell(self) -> None:
        if self._total:
            self.progress(Progress(self.stage, self._done, self._total))


@dataclass(slots=True)
class DocumentReport:
    """What became of one document."""

    id: str
    name: str
    status: DocumentStatus
    chunks: int = 0
    quarantined: int = 0
    messages: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The shape of ``ingest --json``."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingestion did and what it cost."""

    character: str
    character_id: str
    method: str
    documents: tuple[DocumentReport, ...]
    unknown_files: tuple[str, ...]
    entities: int
    relations: int
    aliases: int
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``ingest --json``."""
        return {
            "character": self.character,
            "character_id": self.character_id,
            "method": self.method,
            "documents": [row.as_json() for row in self.documents],
            "unknown_files": list(self.unknown_files),
            "entities": self.entities,
            "relations": self.relations,
            "aliases": self.aliases,
            "usage": self.usage.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an ingestion would cost; no call was made to find out.

    ``messages`` say what it would not read, and why.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    embed_calls: int = 0
    by_task: Mapping[str, TaskUsage] = field(default_factory=dict)
    messages: tuple[str, ...] = ()

    def in_words(self) -> str:
        """The same for a person, in one line."""
        parts = []
        if self.calls:
            parts.append(
                f"{counted(self.calls, 'call')} with about {self.prompt_tokens} prompt and "
                f"{self.completion_tokens} completion tokens"
            )
        if self.embed_calls:
            parts.append(counted(self.embed_calls, "embedding call"))
        if not parts:
            return "no calls"
        money = "no price is set" if self.cost_usd is None else f"{self.cost_usd:.4f} USD"
        return ", ".join([*parts, money])

    def as_json(self) -> dict[str, Any]:
        """The shape of ``ingest --estimate --json``."""
        return asdict(self)
