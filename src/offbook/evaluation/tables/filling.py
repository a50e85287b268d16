"""A published table with our numbers beside the printed ones.

Takes: a table, and scores of ours by use and method, or by line.  Gives: a filled table. A number
of ours stands with its n and interval; where nothing was measured there is none, never a zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.metrics.typology import written
from offbook.evaluation.tables.published import PrintedRow, printed
from offbook.evaluation.tables.types import TYPOLOGIES, Types, compared, fold, types_of

if TYPE_CHECKING:
    from offbook.evaluation.protocol import Score
    from offbook.evaluation.tables.layout import Block, Column, Line, Table

Value = Estimate | str | None
"""A number with its n and interval, a type in letters, or nothing."""


@dataclass(frozen=True, slots=True)
class OurScores:
    """What one run says of one method.

    ``of`` is the model that answered; ``types`` are letters by character.
    """

    use: str
    method: str
    of: str
    run: str
    scores: Mapping[tuple[str, str], Estimate]
    types: Types = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OurRow:
    """Our values of a line; ``of`` says whose they are: a model, an embedder, raters."""

    of: str
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class FilledLine:
    """A line with our rows and the printed ones."""

    line: Line
    ours: tuple[OurRow, ...]
    printed: tuple[PrintedRow, ...]


@dataclass(frozen=True, slots=True)
class FilledBlock:
    """A block with its lines filled."""

    block: Block
    lines: tuple[FilledLine, ...]


@dataclass(frozen=True, slots=True)
class FilledTable:
    """The whole; ``runs`` are ids of the runs, ``notes`` say why numbers are not there.

    ``about`` names what ours rest on: preset, models, embedder.
    """

    table: Table
    blocks: tuple[FilledBlock, ...]
    runs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval table --json``."""
        table = self.table
        return {
            "table": table.name,
            "title": table.title,
            "source": table.source,
            "about": dict(self.about),
            "runs": list(self.runs),
            "blocks": [_block_json(block) for block in self.blocks],
            "differs": list(table.differs),
            "illegible": list(table.illegible),
            "notes": list(self.notes),
        }


def scores_of(
    use: str, method: str, of: str, run: str, scores: Sequence[Score], variant: str
) -> OurScores:
    """The scores of one variant of a run, by metric and group."""
    found = {
        (score.metric, _group(score.group)): score.estimate
        for score in scores
        if score.variant == variant
    }
    return OurScores(use, method, of, run, found)


def with_types(
    ours: OurScores, scores: Sequence[Score], variant: str, metric: str, labels: Types
) -> OurScores:
    """The same with types, and how far they are from the labels."""
    types = types_of(scores, variant, metric)
    more = {(name, "all"): e for name, e in compared(types, labels, TYPOLOGIES[metric][0]).items()}
    found = {**ours.scores, **more}
    return OurScores(ours.use, ours.method, ours.of, ours.run, found, types)


def fill(
    table: Table,
    ours: Sequence[OurScores] = (),
    *,
    rows: Mapping[str, Sequence[OurRow]] | None = None,
    labels: Types | None = None,
    notes: Iterable[str] = (),
    about: Mapping[str, str] | None = None,
) -> FilledTable:
    """Put our numbers beside the printed ones.

    Args:
        table: The table.
        ours: Scores of runs.
        rows: Rows of ours by line, for tables that rest on no run.
        labels: Our labels of types, where they are not those that the paper prints.
        notes: Why numbers are missing.
        about: What ours rest on.
    """
    by_place = {(each.use, each.method): each for each in ours}
    of_paper = printed(table.name)
    blocks = []
    for block in table.blocks:
        lines = []
        for line in block.lines:
            keys = {column.key for column in block.columns}
            theirs = tuple(r for r in of_paper if r.line == line.key and keys & set(r.values))
            mine = _rows(table, block, line, by_place, labels or {})
            lines.append(FilledLine(line, (*mine, *(rows or {}).get(line.key, ())), theirs))
        blocks.append(FilledBlock(block, tuple(lines)))
    return FilledTable(
        table,
        tuple(blocks),
        tuple(dict.fromkeys(each.run for each in ours)),
        tuple(dict.fromkeys(notes)),
        about or {},
    )


def _rows(
    table: Table,
    block: Block,
    line: Line,
    ours: Mapping[tuple[str, str], OurScores],
    labels: Types,
) -> tuple[OurRow, ...]:
    values: dict[str, Value] = {}
    of: dict[str, None] = {}
    for column in block.columns:
        if column.metric == "label":
            values[column.key] = _letters(labels, line.subject)
            continue
        method = table.line(column.line).method if column.line else line.method
        found = ours.get((column.use, method))
        values[column.key] = None if found is None else _value(found, column, line)
        if found is not None:
            of.setdefault(found.of)
    if all(value is None for value in values.values()):
        return ()
    return (OurRow(", ".join(of) or "labels", values),)


def _value(found: OurScores, column: Column, line: Line) -> Value:
    if column.metric == "type":
        return _letters(found.types, line.subject)
    told = found.scores.get((column.metric, _group(line.group or column.group)))
    # Undefined for every reply is no number that is missing.
    return None if told is None or not (told.n or told.missing) else told


def _letters(types: Types, subject: str) -> str | None:
    for name, letters in types.items():
        if fold(name) == fold(subject):
            return written(letters)
    return None


def _group(group: str) -> str:
    """A group as it is compared: names of subjects in whatever spelling."""
    if group.startswith("subject=") and "/" not in group:
        return f"subject={fold(group.removeprefix('subject='))}"
    return group


def _block_json(filled: FilledBlock) -> dict[str, Any]:
    return {
        "title": filled.block.title,
        "columns": [
            {"key": c.key, "title": c.title, "better": c.better} for c in filled.block.columns
        ],
        "lines": [
            {
                "key": each.line.key,
                "title": each.line.title,
                "method": each.line.method or None,
                "ours": [
                    {"of": row.of, "values": {k: _value_json(v) for k, v in row.values.items()}}
                    for row in each.ours
                ],
                "printed": [
                    {"of": row.of, "source": row.source, "values": dict(row.values)}
                    for row in each.printed
                ],
            }
            for each in filled.lines
        ],
    }


def _value_json(value: Value) -> Any:
    return value.as_json() if isinstance(value, Estimate) else value
