"""A file of the user's own: questions with gold answers, scopes, items and labels, a row each.

Takes: JSON Lines, JSON or CSV with the columns of docs/datasets.md, in a file, or as a text where
they were sent and lie in none.  Gives: a `Dataset`; columns that are not known are noted, and so is
everything that is left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset, Item
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.columns import Columns, Fields
from offbook.evaluation.datasets.folders import needed
from offbook.evaluation.datasets.labels import read_labels
from offbook.evaluation.datasets.reading import read_rows, rows_of

COLUMNS: Final = {
    "question": ("question", "query", "text", "prompt", "instruction"),
    "answers": ("answers", "answer", "gold", "references", "reference", "expected"),
    "id": ("id", "question_id"),
    "character": ("character", "subject", "role", "persona"),
    "scope": ("scope",),
    "kind": ("kind", "type", "category", "topic", "attribute"),
    "language": ("language", "lang"),
    "questionnaire": ("questionnaire",),
    "number": ("number", "item"),
    "dimension": ("dimension",),
    "key": ("key", "keyed", "sign"),
    "statement": ("statement",),
}
"""Meaning -> the names that a column may have."""

_SIGNS: Final = {
    **dict.fromkeys(("+", "+1", "1", "plus", "positive"), 1),
    **dict.fromkeys(("-", "-1", "minus", "negative"), -1),
}


ROWS: Final = "rows"
"""The option that holds the questions themselves."""
_SENT: Final = "questions"


def load(
    path: Path | None, *, labels: str = "", licence: str = "the user's own", rows: str = ""
) -> Dataset:
    """Read the questions.

    Args:
        path: The file; None where ``rows`` are given.
        labels: A file of labels, with ``character`` and ``mbti``, ``sloan`` or ``dimension``.
        licence: What the run's record is to say of it.
        rows: The questions themselves, in JSON Lines; a run's record keeps them.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file and line.
    """
    if rows:
        read, name, source = rows_of(rows, _SENT), _SENT, "the questions that were sent"
    else:
        path = needed(path, "file", "a file of questions (JSON Lines, JSON or CSV)")
        if path.is_dir():
            raise UsageError(f"{str(path)!r} is a folder", "name the file of questions in it")
        read, name, source = read_rows(path), path.stem, str(path)
    found = Collector(name, version="1", licence=licence, source=source)
    columns = Columns(COLUMNS, found.notes)
    for row in read:
        fields = columns.of(row)
        place = f"line {row.number}"
        found.ask(
            fields.text("question"),
            place=place,
            id=fields.text("id"),
            subject=fields.text("character") or None,
            scope=found.scope(fields.text("scope"), place),
            answers=fields.texts("answers"),
            kind=fields.text("kind"),
            item=_item(fields),
            language=fields.text("language"),
        )
    if labels:
        labelled = read_labels(read_rows(Path(labels)), found.notes)
        for name, each in labelled.labels.items():
            found.subject(name, names=labelled.names.get(name, ()), labels=each)
    return found.dataset()


def _item(fields: Fields) -> Item | None:
    """The item that a row words, where it names a dimension."""
    dimension = fields.text("dimension")
    if not dimension:
        return None
    sign = _SIGNS.get(fields.text("key").casefold())
    if sign is None:
        raise UsageError(
            f"{fields.row.place} has the key {fields.text('key')!r}",
            "an item is keyed + (speaks for the first pole, or for the trait) or -",
        )
    return Item(
        fields.text("questionnaire") or fields.row.path.stem,
        fields.text("number") or str(fields.row.number),
        dimension,
        sign,
        fields.text("statement"),
    )
