"""TimeChara: questions at a point of a story, on what is past or to come, and on who was there.

Source: TimeChara (Ahn et al. 2024; github ahnjaewoo/timechara, Hugging Face ahnpersie/timechara).
The kinds are its ``data_type``: future, past-absence, past-presence, past-only.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset, Scope
from offbook.evaluation.datasets import reading
from offbook.evaluation.datasets.collector import Collector

_COLUMNS: Final = {
    "question": ("question",),
    "character": ("character",),
    "period": ("character_period",),
    "kind": ("data_type",),
    "temporal": ("temporal_label",),
    "spatial": ("spatial_label",),
    "series": ("series",),
}
_IGNORED: Final = ("question_period", "participants")
_SCOPES: Final[dict[str, Scope]] = {"future": "out", "past-presence": "in", "past-only": "in"}
NONE: Final = "-"
"""What stands in a label that there is not."""


def load_timechara(path: Path | None, *, points: str = "", series: str = "") -> Dataset:
    """Read rows as published, from JSON Lines, JSON or CSV.

    ``points``: a JSON file with the point in the story (``--as-of``) of each ``character_period``,
    perhaps of ``character: character_period`` alone; without it the period stands before the
    question, and nothing bounds what is recalled. ``series``: only this one.

    Raises:
        UnreadableDocument, UsageError: the file cannot be read; or a period has no point.
    """
    path = reading.needed(path, "timechara", "the validation or test set as JSON Lines")
    file = reading.required(
        path, ("timechara*.jsonl", "*.jsonl", "*.json", "*.csv"), "TimeChara file"
    )
    known = json.loads(reading.read_text(Path(points).expanduser())) if points else {}
    collector = Collector("timechara", licence="non-commercial research (README)", source=str(file))
    columns = reading.Columns(_COLUMNS, collector.notes, _IGNORED)
    for place, row in enumerate(reading.read_rows(file), 1):
        fields = columns.of(row)
        if series and fields.text("series") != series:
            continue
        character, period = fields.text("character"), fields.text("period")
        as_of = str(known.get(f"{character}: {period}", known.get(period, "")))
        if points and not as_of:
            raise UsageError(
                f"{row.place}: {points!r} has no point for {period!r} of {character!r}",
                'write {"1st-year, on Halloween": "chapter-10.md"}',
            )
        labels = (fields.text("temporal"), fields.text("spatial"))
        collector.ask(
            fields.text("question") if as_of else f"(It is {period}.) {fields.text('question')}",
            place=row.short_place,
            id=f"tc-{place:05}",
            subject=character or None,
            scope=_SCOPES.get(fields.text("kind")),
            kind=fields.text("kind"),
            as_of=as_of,
            facts=tuple(label for label in labels if label not in ("", NONE)),
        )
    if not points:
        collector.notes.say("no points are given: the period is told, and bounds nothing (points=)")
    return collector.dataset()
