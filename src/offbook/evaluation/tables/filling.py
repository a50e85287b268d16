"""A published table with our numbers beside the printed ones.

The printed numbers (``published.json``) are facts, copied from the papers' text; what the
extraction of the text has damaged is left out, and the table says so. A number of ours stands with
its n and interval; where nothing was measured there is none, never a zero.
Paper: AMADEUS (002), tables 2, 4 and 5; (003), tables 2 to 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import fold
from offbook.evaluation.datasets.collector import read_labels
from offbook.evaluation.datasets.reading import Columns, Notes, read_rows
from offbook.evaluation.metrics.agreement import human_study
from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.metrics.typology import TYPOLOGIES, Letters, Tie, Typology, compare, written
from offbook.evaluation.personality import typology_labels
from offbook.evaluation.tables.catalogue import PrintedRow, printed, published_types
from offbook.ingestion.reports import counted

if TYPE_CHECKING:
    from offbook.evaluation.datasets.reading import Fields
    from offbook.evaluation.record import Score
    from offbook.evaluation.tables.catalogue import Block, Column, Line, Table


_PRINTED: Final = {"mbti_item": "amadeus-mbti", "bigfive_item": "amadeus-sloan"}

Types = Mapping[str, Letters]
"""Letters by character."""


def types_of(scores: Iterable[Score], variant: str, metric: str, tie: Tie) -> dict[str, Letters]:
    """The letters of each character that a variant answered for; None for a dimension unrated."""
    typology = TYPOLOGIES[metric]
    letters_of: dict[str, dict[str, str | None]] = {}
    for score in scores:
        if score.metric != f"{metric}.score" or score.variant != variant:
            continue
        subject, _, name = score.group.removeprefix("subject=").rpartition("/dimension=")
        letters_of.setdefault(subject, {})[name] = typology.letter(name, score.estimate.mean, tie)
    return {
        subject: tuple(letters.get(dimension.name) for dimension in typology.dimensions)
        for subject, letters in letters_of.items()
    }


def labels_of(metric: str, file: Path | None) -> dict[str, Letters]:
    """Labels by character: those of a file of the user's, or those that the papers print.

    Raises:
        UnreadableDocument: the file cannot be read.
        UsageError: it has no label of this test.
    """
    typology = TYPOLOGIES[metric]
    if file is None:
        return {
            name: typology.letters(text) for name, text in published_types(_PRINTED[metric]).items()
        }
    letters_by_name = {
        name: typology_labels(subject, typology)
        for name, subject in read_labels(read_rows(file), Notes()).items()
    }
    known = {name: letters for name, letters in letters_by_name.items() if any(letters)}
    if not known:
        raise UsageError(
            f"{str(file)!r} has no label of {typology.name}",
            f"columns: character, and {typology.name} with a type a character",
        )
    return known


def compared(types: Types, labels: Types, typology: Typology) -> dict[str, Estimate]:
    """Sum |d|, accuracy and average F1 of the characters that were asked and have a label."""
    by_fold = {fold(name): letters for name, letters in labels.items()}
    labelled = {name: by_fold[fold(name)] for name in types if fold(name) in by_fold}
    if not labelled:
        return {}
    table = compare({name: types[name] for name in labelled}, labelled, typology)
    return {
        "sum_d": Estimate(float(table.wrong), table.accuracy.n, table.accuracy.missing),
        "accuracy": table.accuracy,
        "avg_f1": table.average_f1,
    }


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
    estimates = {
        (score.metric, _group(score.group)): score.estimate
        for score in scores
        if score.variant == variant
    }
    return OurScores(use, method, of, run, estimates)


def with_types(
    ours: OurScores, scores: Sequence[Score], variant: str, metric: str, labels: Types, tie: Tie
) -> OurScores:
    """The same with types, and how far they are from the labels."""
    types = types_of(scores, variant, metric, tie)
    more = {(name, "all"): e for name, e in compared(types, labels, TYPOLOGIES[metric]).items()}
    return replace(ours, scores={**ours.scores, **more}, types=types)


def fill(
    table: Table,
    ours: Sequence[OurScores] = (),
    *,
    rows: Mapping[str, Sequence[OurRow]] | None = None,
    labels: Types | None = None,
    notes: Iterable[str] = (),
    about: Mapping[str, str] | None = None,
) -> FilledTable:
    """Put our numbers beside the printed ones."""
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
        scores = ours.get((column.use, method))
        values[column.key] = None if scores is None else _value(scores, column, line)
        if scores is not None:
            of.setdefault(scores.of)
    if all(value is None for value in values.values()):
        return ()
    return (OurRow(", ".join(of) or "labels", values),)


def _value(ours: OurScores, column: Column, line: Line) -> Value:
    if column.metric == "type":
        return _letters(ours.types, line.subject)
    estimate = ours.scores.get((column.metric, _group(line.group or column.group)))
    # Undefined for every reply is no number that is missing.
    return None if estimate is None or not (estimate.n or estimate.missing) else estimate


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
    shown = ("key", "title", "better")
    return {
        "title": filled.block.title,
        "columns": [{k: getattr(each, k) for k in shown} for each in filled.block.columns],
        "lines": [
            {
                "key": each.line.key,
                "title": each.line.title,
                "method": each.line.method or None,
                "ours": [asdict(row) for row in each.ours],
                "printed": [
                    {"of": row.of, "source": row.source, "values": dict(row.values)}
                    for row in each.printed
                ],
            }
            for each in filled.lines
        ],
    }


COLUMNS: Final = "questionnaire (BFI or MBTI), sample, rater, rating (1 to 5)"
_NAMES: Final = {
    "questionnaire": ("questionnaire", "test"),
    "sample": ("sample", "sample_id", "id"),
    "rater": ("rater", "rater_id", "person"),
    "rating": ("rating", "score", "value"),
}
_KNOWN: Final = {"bfi": "bfi", "bigfive": "bfi", "big_five": "bfi", "mbti": "mbti"}
_LOW, _HIGH = 1.0, 5.0


def needs_ratings() -> UsageError:
    """What to say where no file was named."""
    return UsageError(
        "the table 'amadeus-human' is made of people's ratings, and no file of them was named",
        f"--ratings FILE (CSV or JSON Lines) with the columns {COLUMNS}",
    )


def human_rows(path: Path) -> tuple[dict[str, list[OurRow]], list[str]]:
    """Rows of the table by questionnaire, and notes.

    Raises:
        UnreadableDocument: the file cannot be read.
        UsageError: a row lacks a column, a rating is none, or a pair is rated twice.
    """
    notes = Notes()
    columns = Columns(_NAMES, notes)
    by_line: dict[str, dict[str, dict[str, float | None]]] = {}
    rows = read_rows(path)
    for row in rows:
        fields = columns.of(row)
        test, sample, rater = (fields.text(name) for name in ("questionnaire", "sample", "rater"))
        line = _KNOWN.get(test.casefold())
        if line is None or not sample or not rater:
            raise UsageError(f"{fields.row.place} lacks a column", f"columns: {COLUMNS}")
        by_rater = by_line.setdefault(line, {}).setdefault(sample, {})
        if rater in by_rater:
            raise UsageError(
                f"{fields.row.place} rates the sample {sample!r} a second time for {rater!r}",
                "give each rater's rating of a sample once",
            )
        by_rater[rater] = _rating(fields)
    return {line: [_row(samples)] for line, samples in by_line.items()}, list(
        notes.listed(len(rows))
    )


def _rating(fields: Fields) -> float | None:
    text = fields.text("rating")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not _LOW <= value <= _HIGH:
        raise UsageError(
            f"{fields.row.place} has the rating {text!r}",
            "a rating is a number from 1 to 5, or empty",
        )
    return value


def _row(samples: dict[str, dict[str, float | None]]) -> OurRow:
    raters = sorted({rater for by_rater in samples.values() for rater in by_rater})
    study = human_study(
        [[by_rater.get(rater) for rater in raters] for by_rater in samples.values()]
    )
    values = {name: getattr(study, name) for name in ("mean", "deviation", "median", "alpha")}
    return OurRow(counted(len(raters), "rater"), values)
