"""What a run asks, in which order, and which cells are judged together.

Takes: a run and its dataset.  Gives: groups of cells, in an order that only the seed decides: a run
that stops early has asked a sample of the questions, each of all variants.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.evaluation.benchmark import limited
from offbook.evaluation.record import CellKey

if TYPE_CHECKING:
    from collections.abc import Hashable

    from offbook.evaluation.benchmark import Dataset, Question
    from offbook.evaluation.protocol import EvaluationProtocol
    from offbook.evaluation.record import Run


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Cells that are judged together."""

    keys: tuple[CellKey, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """All cells of a run, in the order in which they are asked."""

    groups: tuple[Group, ...]

    @property
    def cells(self) -> int:
        """How many replies the run asks for."""
        return sum(len(group.keys) for group in self.groups)

    def keys(self) -> Iterator[CellKey]:
        """The keys of all cells."""
        return (key for group in self.groups for key in group.keys)

    def left(self, done: Collection[CellKey]) -> int:
        """How many cells are not among ``done``."""
        return sum(key not in done for key in self.keys())


def questions_of(run: Run, dataset: Dataset, subject: str) -> tuple[Question, ...]:
    """The questions that a run puts to a subject: at most ``limit``, drawn by the seed."""
    return limited(tuple(dataset.asked(subject)), run.limit, run.seed)


def plan(run: Run, dataset: Dataset, protocol: EvaluationProtocol) -> Plan:
    """The cells of a run.

    Repeat by repeat; within one, questions in an order that the seed decides, each put to all
    variants before the next one comes. What is judged together follows where its first cell stands.
    """
    groups: dict[Hashable, list[CellKey]] = {}
    pairs = {
        (subject, question.id)
        for subject in run.subjects
        for question in questions_of(run, dataset, subject)
    }
    asked = sorted(pairs, key=lambda pair: _lot(run.seed, *pair))
    for repeat in range(run.repeats):
        for subject, question in asked:
            for variant in run.variants:
                key = CellKey(subject, question, variant.label, repeat)
                groups.setdefault(protocol.ready(key), []).append(key)
    return Plan(tuple(Group(tuple(keys)) for keys in groups.values()))


def _lot(seed: int, subject: str, question: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{subject}\n{question}".encode("utf-8", "replace")).digest()
