"""Runs, cells and ratings as rows of the store, and back.

Takes: the values of ``evaluation.record``.  Gives: rows; a record of a newer version is refused, an
older one is read with what it did not know yet left at its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, replace
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.record import (
    Cell,
    CellKey,
    ModelNamed,
    Rating,
    RatingKey,
    Run,
    Variant,
)
from offbook.stores.evaluations import StoredRun
from offbook.stores.text_versions import memory_name
from offbook.types import ContextItem, Source, TaskUsage, Usage

FORMAT: Final = 1
"""Grows when a record can no longer be read by what was released before."""

Row = Mapping[str, Any]

_APART: Final = ("id", "created", "status")
"""Fields of a run that have columns of their own."""
_TOLD_OF: Final = ("cached_tokens", "reasoning_tokens")
"""Counts of usage that only some endpoints tell: none is stored where none was told."""
_REPLACEMENT: Final = "�"
"""In the place of a null character, which no engine keeps alike."""


# -- runs --------------------------------------------------------------------------------------


def run_row(run: Run) -> StoredRun:
    """A new run as it is stored."""
    record = {name: value for name, value in asdict(run).items() if name not in _APART}
    judge = run.models["judge"]
    return StoredRun(
        run.id,
        run.benchmark,
        run.created,
        run.status,
        FORMAT,
        record,
        {judge.model: judge.base_url},
        {},
    )


def run_of(stored: StoredRun) -> Run:
    """The run that a row holds.

    Raises:
        UsageError: the record is of a newer version, or lacks what a run cannot be without.
    """
    if stored.format > FORMAT:
        raise UsageError(
            f"the run {stored.id!r} is recorded in format {stored.format}; this offbook reads up to"
            f" {FORMAT}",
            "it was made by a newer offbook: pip install --upgrade offbook",
        )
    told = dict(stored.record)
    known = {field.name: field for field in fields(Run)}
    lacking = [
        name
        for name, field in known.items()
        if name not in told
        and name not in _APART
        and field.default is MISSING
        and field.default_factory is MISSING
    ]
    if lacking:
        raise UsageError(
            f"the record of the run {stored.id!r} lacks {', '.join(map(repr, lacking))}",
            f"another version of offbook made it; delete it: offbook eval delete {stored.id}",
        )
    values = {name: told[name] for name in known if name in told}
    values["metrics"] = tuple(values["metrics"])
    values["variants"] = tuple(_known(Variant, row) for row in values["variants"])
    values["models"] = {role: _known(ModelNamed, row) for role, row in values["models"].items()}
    return Run(id=stored.id, created=stored.created, status=stored.status, **values)


def judged_by(run: Run, judges: Mapping[str, str], judge: str | None) -> Run:
    """The run as another judge of it rated it.

    Raises:
        UsageError: that judge was never asked.
    """
    if judge is None or judge == run.models["judge"].model:
        return run
    if judge not in judges:
        known = ", ".join(map(repr, judges))
        raise UsageError(
            f"the run {run.id!r} has no ratings by {judge!r}",
            f"it has those by {known}; ask another: offbook eval score {run.id} --judge {judge}",
        )
    named = ModelNamed(judge, judges[judge])
    return replace(run, models={**run.models, "judge": named})


def _known(kind: type[Any], row: Row) -> Any:
    """A value of what a row holds; what this version does not know is left out."""
    names = {field.name for field in fields(kind)}
    return kind(**{name: value for name, value in row.items() if name in names})


# -- cells -------------------------------------------------------------------------------------


def cell_row(run: str, cell: Cell) -> dict[str, Any]:
    """A cell as it is stored."""
    return {
        "run_id": run,
        **_key(cell.key),
        "character_id": cell.character,
        "reply": None if cell.reply is None else storable(cell.reply),
        "error": None if cell.error is None else storable(cell.error),
        "verdict": cell.verdict,
        "fallback": cell.fallback,
        "forgotten": cell.forgotten,
        "finished": cell.finished,
        "usage": usage_row(cell.usage),
        "documents": sorted(rests_on(cell.context)),
        "context": [_item_row(item) for item in cell.context],
    }


def cell_of(row: Row) -> Cell:
    """The cell that a row holds."""
    return Cell(
        key=CellKey(row["subject"], row["question"], row["variant"], row["repeat"]),
        character=row["character_id"],
        reply=row["reply"],
        error=row["error"],
        context=tuple(_item_of(item) for item in row["context"]),
        verdict=row["verdict"],
        fallback=row["fallback"],
        usage=usage_of(row["usage"]),
        finished=row["finished"],
        forgotten=row["forgotten"],
    )


def rests_on(context: tuple[ContextItem, ...]) -> set[str]:
    """Ids of the documents that a context is from; its memories stand among them by a name."""
    ids = {source.document for item in context for source in item.sources}
    return ids | {memory_name(item.memory) for item in context if item.memory is not None}


def storable(text: str) -> str:
    """A model's text as every engine keeps it: null characters and half pairs are replaced."""
    return text.replace("\0", _REPLACEMENT).encode("utf-8", "replace").decode()


def _key(key: CellKey) -> dict[str, Any]:
    return {
        "subject": key.subject,
        "question": key.question,
        "variant": key.variant,
        "repeat": key.repeat,
    }


def _item_row(item: ContextItem) -> dict[str, Any]:
    # By hand: `asdict` copies everything it meets, and takes ten times as long.
    return {
        "kind": item.kind,
        "title": item.title,
        "text": item.text,
        "score": item.score,
        "sources": [
            {"document": s.document, "chunk": s.chunk, "start": s.start, "end": s.end}
            for s in item.sources
        ],
        "memory": item.memory,
        "emotion": None if item.emotion is None else dict(item.emotion),
    }


def _item_of(row: Row) -> ContextItem:
    return ContextItem(
        row["kind"],
        row["title"],
        row["text"],
        row["score"],
        tuple(_known(Source, source) for source in row["sources"]),
        row.get("memory"),
        row.get("emotion"),
    )


# -- usage -------------------------------------------------------------------------------------


def usage_row(usage: Usage) -> dict[str, Any]:
    """What something cost as it is stored."""
    row = {name: getattr(usage, name) for name in Usage.__slots__}
    for name in _TOLD_OF:
        if row[name] is None:
            del row[name]
    row["by_task"] = {
        name: {
            "calls": task.calls,
            "prompt_tokens": task.prompt_tokens,
            "completion_tokens": task.completion_tokens,
        }
        for name, task in usage.by_task.items()
    }
    return row


def usage_of(row: Row) -> Usage:
    """What something cost; nothing where nothing is noted."""
    tasks = {name: _known(TaskUsage, task) for name, task in row.get("by_task", {}).items()}
    found: Usage = _known(Usage, {**row, "by_task": tasks})
    return found


def summed(one: Usage, other: Usage) -> Usage:
    """What two stretches of work cost together; without a price of either, no price of both."""
    tasks = {
        name: _task_sum(one.by_task.get(name), other.by_task.get(name))
        for name in sorted({*one.by_task, *other.by_task})
    }
    spent = [part for part in (one, other) if part.calls or part.embed_calls]
    costs = [part.cost_usd for part in spent]
    known = [cost for cost in costs if cost is not None]
    return Usage(
        calls=one.calls + other.calls,
        cached_calls=one.cached_calls + other.cached_calls,
        # Stretches of work follow one another.
        round_trips=one.round_trips + other.round_trips,
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        embed_calls=one.embed_calls + other.embed_calls,
        cost_usd=sum(known) if spent and len(known) == len(costs) else None,
        seconds=one.seconds + other.seconds,
        by_task=tasks,
        cached_tokens=_sum_told(one.cached_tokens, other.cached_tokens),
        reasoning_tokens=_sum_told(one.reasoning_tokens, other.reasoning_tokens),
    )


def _sum_told(*counts: int | None) -> int | None:
    """The sum of those that were told; None where none was."""
    told = [count for count in counts if count is not None]
    return sum(told) if told else None


def _task_sum(one: TaskUsage | None, other: TaskUsage | None) -> TaskUsage:
    a, b = one or TaskUsage(), other or TaskUsage()
    return TaskUsage(
        a.calls + b.calls,
        a.prompt_tokens + b.prompt_tokens,
        a.completion_tokens + b.completion_tokens,
    )


# -- ratings -----------------------------------------------------------------------------------


def rating_row(
    run: str, character: str, rating: Rating, documents: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """A rating as it is stored; ``documents`` are ids of those whose text the judge read."""
    return {
        "run_id": run,
        **asdict(rating.key),
        "character_id": character,
        "value": rating.value,
        "missing": None if rating.missing is None else storable(rating.missing),
        "person": rating.person,
        "person_name": rating.person_name,
        "person_note": rating.person_note,
        "documents": sorted(documents),
        "analysis": storable(rating.analysis),
    }


def rating_of(row: Row) -> Rating:
    """The rating that a row holds."""
    return Rating(
        key=RatingKey(
            row["subject"],
            row["variant"],
            row["repeat"],
            row["metric"],
            row["unit"],
            row["judge"],
            row["sample"],
        ),
        value=row["value"],
        analysis=row["analysis"],
        missing=row["missing"],
        person=row["person"],
        person_name=row["person_name"],
        person_note=row["person_note"],
    )
