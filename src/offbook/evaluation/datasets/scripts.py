"""Scripts: rows with the turns of one conversation each, to be said in order.

Source: ours; docs/datasets.md, "Scripts of many turns".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset
from offbook.evaluation.datasets import reading
from offbook.evaluation.datasets.collector import Collector, made_id
from offbook.evaluation.metrics.scales import SCALES

_COLUMNS: Final = {
    "id": ("id", "script"),
    "character": ("character", "subject", "role"),
    "turns": ("turns",),
}
_TURN: Final = {
    "said": ("say", "said", "text", "question"),
    "answers": ("answers", "answer", "expected"),
    "checks": ("checks", "check"),
    "kind": ("kind",),
    "scope": ("scope",),
}


def load_scripts(path: Path | None) -> Dataset:
    """Read rows of ``{"id", "character", "turns": [...]}``; a turn is a text, or an object.

    Raises:
        UnreadableDocument, UsageError: the file, a row or a turn cannot be read.
    """
    path = reading.needed(path, "scripts", "a file with a script a line")
    collector = Collector("scripts", licence="yours", source=str(path))
    columns = reading.Columns(_COLUMNS, collector.notes)
    turn_columns = reading.Columns(_TURN, collector.notes)
    names: set[str] = set()
    for row in reading.read_rows(path):
        fields = columns.of(row)
        turns = row.values.get("turns")
        if not isinstance(turns, list) or not turns:
            raise UsageError(f"{row.place} has no 'turns'", 'write {"turns": ["...", "..."]}')
        name = fields.text("id") or made_id(*map(str, turns))
        if name in names:
            raise UsageError(f"{row.place}: the script {name!r} is there already", "name it anew")
        names.add(name)
        for number, turn in enumerate(turns, 1):
            values: dict[str, Any] = turn if isinstance(turn, dict) else {"say": turn}
            parts = turn_columns.of(reading.Row(row.path, row.number, values))
            checks = parts.texts("checks")
            if odd := [check for check in checks if check not in SCALES]:
                raise UsageError(
                    f"{row.place}, turn {number}: no check {odd[0]!r}",
                    f"known: {', '.join(SCALES)}",
                )
            if not parts.text("said"):
                raise UsageError(f"{row.place}, turn {number} says nothing", "write what is said")
            collector.ask(
                parts.text("said"),
                place=f"{row.short_place}, turn {number}",
                id=f"{name}/{number:03}",
                subject=fields.text("character") or None,
                scope=collector.scope(parts.text("scope"), row.short_place),
                answers=parts.texts("answers"),
                kind=parts.text("kind"),
                script=name,
                turn=number,
                checks=checks,
            )
    return collector.dataset()
