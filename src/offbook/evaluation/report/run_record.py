"""The record of a run for people: what decided its numbers, and what it cost.

Takes: a run as it was collected.  Gives: names and values, in the order in which they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from offbook.evaluation.record import Variant
    from offbook.evaluation.report.material import ReportedRun
    from offbook.types import Usage

_LONGEST: Final = 300


def record_rows(report: ReportedRun) -> list[tuple[str, str]]:
    """Name and value, one a line; nothing is left out that decides a number."""
    run, counts = report.run, report.counts
    rows = [("mark", run.mark)] if run.mark else []
    rows += [
        ("benchmark", f"{run.benchmark}, version {run.benchmark_version}"),
        ("dataset", f"{run.dataset}, version {run.dataset_version}"),
        ("checksum", f"sha256 {run.dataset_checksum}"),
        ("licence", run.licence or "not stated"),
        ("protocol", run.protocol),
        ("status", run.status),
        ("cells", _cells(report)),
        ("subjects", ", ".join(run.subjects) or "none"),
        ("methods", "; ".join(map(_variant, run.variants)) or "none"),
    ]
    rows += [(f"{role} model", f"{m.model} at {m.base_url}") for role, m in run.models.items()]
    rows += [
        ("judges that were asked", ", ".join(report.judges) or "none"),
        ("embedder", run.embedder),
        ("prompts", ", ".join(f"{name} v{v}" for name, v in sorted(run.prompts.items()))),
        ("seed", str(run.seed)),
        ("repeats", str(run.repeats)),
        ("limit", "none" if run.limit is None else f"{run.limit} questions a subject"),
        *_options(report),
        *usage_rows(report.usage),
        ("begun", run.created),
        ("offbook", run.offbook),
    ]
    if counts.forgotten:
        what = f"{counts.forgotten} pieces of context are of documents that are forgotten since"
        rows.append(("forgotten", what))
    return rows


def usage_rows(usage: Usage) -> Iterator[tuple[str, str]]:
    """Calls, tokens, cost and time of a whole run."""
    yield "calls", f"{usage.calls} ({usage.cached_calls} more from the cache)"
    yield "tokens", f"{usage.prompt_tokens} of prompts, {usage.completion_tokens} of completions"
    yield "embedding calls", str(usage.embed_calls)
    yield (
        "cost",
        "no price is configured" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD",
    )
    yield "time", f"{usage.seconds:.1f} s"


def _cells(report: ReportedRun) -> str:
    counts = report.counts
    failed = f", {counts.failed} of them without a reply" if counts.failed else ""
    return f"{counts.cells} of {counts.planned}{failed}"


def _options(report: ReportedRun) -> Iterator[tuple[str, str]]:
    if report.run.options:
        options = report.run.options.items()
        told = ", ".join(f"{name}={_short(value)}" for name, value in options)
        yield "options of the dataset", told


def _short(value: str) -> str:
    """An option as it is shown: questions that were sent are one, and the checksum tells them."""
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."


def _variant(variant: Variant) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in sorted(variant.settings.items()))
    extra = f"; {settings}" if settings else ""
    return f"{variant.label} ({variant.method}, preset {variant.preset}{extra})"
