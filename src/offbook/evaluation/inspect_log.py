"""A run as a log of inspect_ai: its JSON form, version 2, with spec, results and samples.

Takes: a run with its scores, cells and ratings.  Gives: the log, written a sample at a time.  A
sample is a cell, an epoch a repeat; a missing rating is no score, and is named in the metadata.
Source: the public models of inspect_ai (``inspect_ai.log``: EvalLog, EvalSpec, EvalSample).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset, Question
    from offbook.evaluation.protocol import Score
    from offbook.evaluation.record import Cell, Rating, Run
    from offbook.types import Usage

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
    """Write the log.

    Args:
        run: The run.
        dataset: Its questions.
        scores: What the run comes to, by its own judge.
        cells: The cells, which are read as they are written.
        ratings: The ratings of a cell.
        out: Where to.
    """
    questions = {
        (subject, question.id): question
        for subject in run.subjects
        for question in dataset.asked(subject)
    }
    head = {
        "version": VERSION,
        "status": _STATUS.get(run.status, "started"),
        "eval": _spec(run, dataset, len(questions)),
    }
    out.write(_text(head)[:-1])
    out.write(', "samples": [')
    judge = run.models["judge"].model
    total = completed = 0
    for cell in cells:
        out.write(",\n" if total else "\n")
        asked = questions.get((cell.key.subject, cell.key.question))
        out.write(_text(_sample(run, cell, asked, ratings(cell), judge)))
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
    run: Run, cell: Cell, asked: Question | None, ratings: Sequence[Rating], judge: str
) -> dict[str, Any]:
    key = cell.key
    text = "" if asked is None else asked.text
    reply = cell.reply or ""
    messages: list[dict[str, Any]] = [{"role": "user", "content": text}]
    model = f"offbook/{run.models['actor'].model}"
    if cell.reply is not None:
        messages.append({"role": "assistant", "content": reply, "model": model})
    error = cell.error
    return {
        "id": f"{key.subject}/{key.question}/{key.variant}",
        "epoch": key.repeat + 1,
        "input": text,
        "target": list(asked.answers) if asked is not None else [],
        "messages": messages,
        "output": _output(model, reply) if cell.reply is not None else {"model": model},
        "scores": {
            _name(rating, judge): _score(rating, reply)
            for rating in ratings
            if rating.final is not None
        },
        "metadata": {
            "subject": key.subject,
            "question": key.question,
            "variant": key.variant,
            "character": cell.character,
            "scope": None if asked is None else asked.scope,
            "verdict": cell.verdict,
            "fallback": cell.fallback,
            "context": [{"kind": i.kind, "title": i.title, "text": i.text} for i in cell.context],
            "missing": {_name(r, judge): r.missing for r in ratings if r.final is None},
            "mark": run.mark,
        },
        "model_usage": {model: _usage(cell.usage)},
        "completed_at": cell.finished or None,
        "total_time": cell.usage.seconds,
        "error": None
        if error is None
        else {"message": error, "traceback": "", "traceback_ansi": ""},
    }


def _name(rating: Rating, judge: str) -> str:
    """The metric, with the judge where it is another than the run's, and the number of a batch."""
    key = rating.key
    batch = key.unit.rpartition("/")[2] if "/" in key.unit else ""
    parts = [key.metric]
    if batch.isdigit():
        parts.append(f"batch {batch}")
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


def _output(model: str, reply: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply, "model": model}
    choice = {"message": message, "stop_reason": "stop"}
    return {"model": model, "choices": [choice], "completion": reply}


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "total_cost": usage.cost_usd,
    }


def _result(score: Score) -> dict[str, Any]:
    found = score.estimate
    numbers = {"mean": found.mean, "low_95": found.low, "high_95": found.high}
    return {
        "name": f"{score.metric} ({score.variant}, {score.group})",
        "scorer": score.metric,
        "scored_samples": found.n,
        "unscored_samples": found.missing,
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
