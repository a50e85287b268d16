"""A run in a file: JSON Lines, a cell a line, or a log of inspect_ai (its JSON form, version 2).

In the log a sample is a cell, an epoch a repeat; a missing rating is no score, and is named in the
metadata. Source: the public models of inspect_ai (``inspect_ai.log``: EvalLog, EvalSpec).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from offbook.errors import StoreFailed, UsageError
from offbook.evaluation import storage
from offbook.evaluation.reply_metrics import Places
from offbook.evaluation.storage import cell_row, rating_row

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset, Question
    from offbook.evaluation.record import Cell, Rating, Run, Score
    from offbook.protocols import Store


LINES: Final = ".jsonl"
INSPECT: Final = ".eval.json"

RatingsOf = Callable[["Cell"], "list[Rating]"]


def check_file(file: Path) -> None:
    """Refuse a file that cannot be written, before anything is read.

    Raises:
        UsageError: another suffix, or there is no folder for the file.
    """
    if not file.name.endswith((LINES, INSPECT)):
        raise UsageError(
            f"{file.name!r} says no format that a run can be exported to",
            f"end it with {LINES} (a cell a line) or {INSPECT} (inspect_ai)",
        )
    if not file.parent.is_dir():
        raise UsageError(f"there is no folder {str(file.parent)!r}", "make it first")


async def export_run(
    store: Store, run: Run, dataset: Dataset, scores: Iterable[Score], file: Path
) -> Path:
    """Write a run; ratings are those of all judges.

    Raises:
        UsageError: as `check_file`.
        StoreFailed: the file cannot be written.
    """
    check_file(file)
    if file.name.endswith(INSPECT):
        write: Callable[..., None] = partial(write_log, run, dataset, list(scores))
    else:
        write = partial(_write_lines, run, dataset)
    part = file.with_name(f"{file.name}.part")

    def whole(cells: Iterator[Cell], ratings: Iterator[Rating]) -> None:
        # Of a run of 20,000 cells the ratings are some 10 MB: they are held, the cells are not.
        with _replacing(part, file) as out:
            write(cells, by_cell(dataset, ratings), out)

    await storage.with_stream(store, run, whole, of_all=True)
    return file


def by_cell(dataset: Dataset, ratings: Iterable[Rating]) -> RatingsOf:
    """A function that gives the ratings of a cell: those of its own, and of batches it is in."""
    dimensions = {q.id: q.item.dimension if q.item else None for q in dataset.questions}
    by_place: dict[tuple[str, str, int], dict[str, list[Rating]]] = {}
    for rating in ratings:
        key = rating.key
        units = by_place.setdefault((key.subject, key.variant, key.repeat), {})
        # The unit of a batch is ``dimension/number``, of any other rating a question's id.
        unit = key.unit if key.unit in dimensions else key.unit.rpartition("/")[0]
        units.setdefault(unit, []).append(rating)

    def of(cell: Cell) -> list[Rating]:
        key = cell.key
        units = by_place.get((key.subject, key.variant, key.repeat), {})
        dimension = dimensions.get(key.question)
        batch = [] if dimension is None else units.get(dimension, [])
        return [*units.get(key.question, []), *batch]

    return of


def _write_lines(
    run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: RatingsOf, out: IO[str]
) -> None:
    """The run on the first line, then a cell on each, with its question and ratings."""
    places = Places(dataset)
    out.write(_text({"type": "run", **run.as_json()}) + "\n")
    for cell in cells:
        question = places.question(cell.key)
        row = {
            **cell_row(run.id, cell),
            "type": "cell",
            "mark": run.mark,
            "text": None if question is None else question.text,
            "answers": [] if question is None else list(question.answers),
            "scope": None if question is None else question.scope,
            "ratings": [_rating(rating) for rating in ratings(cell)],
        }
        out.write(_text(row) + "\n")


def _rating(rating: Rating) -> dict[str, Any]:
    row = rating_row("", "", rating)
    apart = ("run_id", "character_id", "documents", "subject", "variant", "repeat")
    return {name: value for name, value in row.items() if name not in apart}


@contextmanager
def _replacing(part: Path, file: Path) -> Iterator[IO[str]]:
    try:
        with part.open("w", encoding="utf-8") as out:
            yield out
        part.replace(file)
    except OSError as error:
        raise StoreFailed(
            f"{str(file)!r} cannot be written: {error.strerror or error}",
            "name a file in a folder that exists and has room",
        ) from error
    finally:
        part.unlink(missing_ok=True)


VERSION: Final = 2
_STATUS: Final = {
    "finished": "success",
    "running": "started",
    "stopped": "cancelled",
    "failed": "error",
}


def write_log(
    run: Run,
    dataset: Dataset,
    scores: Sequence[Score],
    cells: Iterable[Cell],
    ratings: Callable[[Cell], list[Rating]],
    out: IO[str],
) -> None:
    """Write the log."""
    places = Places(dataset)
    questions = sum(len(places.of(subject).questions) for subject in run.subjects)
    head = {
        "version": VERSION,
        "status": _STATUS.get(run.status, "started"),
        "eval": _spec(run, dataset, questions),
    }
    out.write(_text(head)[:-1])
    out.write(', "samples": [')
    judge = run.models["judge"].model
    total = completed = 0
    for cell in cells:
        out.write(",\n" if total else "\n")
        question = places.question(cell.key)
        out.write(_text(_sample(run, cell, question, ratings(cell), judge)))
        total += 1
        completed += cell.error is None
    results = {
        "total_samples": total,
        "completed_samples": completed,
        "scores": [_result(score) for score in scores if score.estimate.mean is not None],
        "metadata": {"mark": run.mark},
    }
    out.write(f'\n], "results": {_text(results)}}}\n')


def _spec(run: Run, dataset: Dataset, questions: int) -> dict[str, Any]:
    actor = run.models["actor"]
    return {
        "eval_id": run.id,
        "run_id": run.id,
        "created": run.created,
        "task": f"offbook/{run.benchmark}",
        "task_id": run.id,
        "task_version": run.benchmark_version,
        "dataset": {
            "name": dataset.name,
            "location": run.path or None,
            "samples": questions,
            "shuffled": True,
        },
        "model": f"offbook/{actor.model}",
        "model_base_url": actor.base_url,
        "config": {"limit": run.limit, "epochs": run.repeats},
        "packages": {"offbook": run.offbook},
        "metadata": run.as_json(),
    }


def _sample(
    run: Run, cell: Cell, question: Question | None, ratings: Sequence[Rating], judge: str
) -> dict[str, Any]:
    key = cell.key
    text = "" if question is None else question.text
    reply = cell.reply or ""
    messages: list[dict[str, Any]] = [{"role": "user", "content": text}]
    model = f"offbook/{run.models['actor'].model}"
    output: dict[str, Any] = {"model": model}
    if cell.reply is not None:
        messages.append({"role": "assistant", "content": reply, "model": model})
        choice = {"message": messages[-1], "stop_reason": "stop"}
        output |= {"choices": [choice], "completion": reply}
    error, used = cell.error, cell.usage
    return {
        "id": f"{key.subject}/{key.question}/{key.variant}",
        "epoch": key.repeat + 1,
        "input": text,
        "target": list(question.answers) if question is not None else [],
        "messages": messages,
        "output": output,
        "scores": {
            _name(rating, key.question, judge): _score(rating, reply)
            for rating in ratings
            if rating.final is not None
        },
        "metadata": {
            "subject": key.subject,
            "question": key.question,
            "variant": key.variant,
            "character": cell.character,
            "scope": None if question is None else question.scope,
            "verdict": cell.verdict,
            "fallback": cell.fallback,
            "context": [{"kind": i.kind, "title": i.title, "text": i.text} for i in cell.context],
            "missing": {
                _name(each, key.question, judge): each.missing
                for each in ratings
                if each.final is None
            },
            "mark": run.mark,
        },
        "model_usage": {
            model: {
                "input_tokens": used.prompt_tokens,
                "output_tokens": used.completion_tokens,
                "total_tokens": used.prompt_tokens + used.completion_tokens,
                "total_cost": used.cost_usd,
            }
        },
        "completed_at": cell.finished or None,
        "total_time": used.seconds,
        "error": None
        if error is None
        else {"message": error, "traceback": "", "traceback_ansi": ""},
    }


def _name(rating: Rating, question: str, judge: str) -> str:
    """The metric, with the judge where it is another than the run's, and the number of a batch."""
    key = rating.key
    parts = [key.metric]
    if key.unit != question:
        parts.append(f"batch {key.unit.rpartition('/')[2]}")
    if key.sample:
        parts.append(f"sample {key.sample}")
    name = ", ".join(parts)
    return name if key.judge == judge else f"{name} by {key.judge}"


def _score(rating: Rating, reply: str) -> dict[str, Any]:
    return {
        "value": rating.final,
        "answer": reply,
        "explanation": rating.analysis,
        "metadata": {
            "judge": rating.key.judge,
            "judged": rating.value,
            "person": rating.person,
            "person_name": rating.person_name,
            "person_note": rating.person_note,
        },
    }


def _result(score: Score) -> dict[str, Any]:
    estimate = score.estimate
    numbers = {"mean": estimate.mean, "low_95": estimate.low, "high_95": estimate.high}
    return {
        "name": f"{score.metric} ({score.variant}, {score.group})",
        "scorer": score.metric,
        "scored_samples": estimate.n,
        "unscored_samples": estimate.missing,
        "params": {"variant": score.variant, "group": score.group},
        "metrics": {
            name: {"name": name, "value": value}
            for name, value in numbers.items()
            if value is not None
        },
        "metadata": {"better": score.better, "unit": score.unit},
    }


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
