"""A file of people's ratings for the human-study table.

Takes: JSON Lines, JSON or CSV with the columns questionnaire, sample, rater, rating.  Gives: the
four numbers of the table for each questionnaire. An empty rating is missing.
Paper: AMADEUS (002), table 2; (003), table 2.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from offbook.errors import UsageError
from offbook.evaluation.datasets.columns import Columns, Notes
from offbook.evaluation.datasets.reading import read_rows
from offbook.evaluation.metrics.human_study import human_study
from offbook.evaluation.tables.filling import OurRow
from offbook.ingestion.reports import counted

if TYPE_CHECKING:
    from offbook.evaluation.datasets.columns import Fields

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
    found: dict[str, dict[str, dict[str, float | None]]] = {}
    rows = read_rows(path)
    for row in rows:
        fields = columns.of(row)
        test, sample, rater = (fields.text(name) for name in ("questionnaire", "sample", "rater"))
        line = _KNOWN.get(test.casefold())
        if line is None or not sample or not rater:
            raise UsageError(f"{fields.row.place} lacks a column", f"columns: {COLUMNS}")
        own = found.setdefault(line, {}).setdefault(sample, {})
        if rater in own:
            raise UsageError(
                f"{fields.row.place} rates the sample {sample!r} a second time for {rater!r}",
                "give each rater's rating of a sample once",
            )
        own[rater] = _rating(fields)
    return {line: [_row(samples)] for line, samples in found.items()}, list(notes.told(len(rows)))


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
    raters = sorted({rater for own in samples.values() for rater in own})
    study = human_study([[own.get(rater) for rater in raters] for own in samples.values()])
    return OurRow(
        counted(len(raters), "rater"),
        {
            "mean": study.mean,
            "deviation": study.deviation,
            "median": study.median,
            "alpha": study.alpha,
        },
    )
