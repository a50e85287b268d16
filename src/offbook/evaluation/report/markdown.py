"""A report as Markdown, with the record of each run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from offbook.evaluation.report.material import one_line, printable, whole
from offbook.evaluation.report.tables import Number, failed_table, joint_tables, tables_of

if TYPE_CHECKING:
    from offbook.evaluation.record import Variant
    from offbook.evaluation.report.material import Report, ReportedRun
    from offbook.evaluation.report.picture import Picture
    from offbook.evaluation.report.tables import Entry, Table
    from offbook.types import Usage


_LONGEST: Final = 300


def record_rows(report: ReportedRun) -> list[tuple[str, str]]:
    """Name and value, one a line; nothing is left out that decides a number."""
    run, counts = report.run, report.counts
    options = ", ".join(f"{name}={_short(value)}" for name, value in run.options.items())
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
        *([("options of the dataset", options)] if options else []),
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


def _short(value: str) -> str:
    """An option as it is shown: questions that were sent are one, and the checksum tells them."""
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."


def _variant(variant: Variant) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in sorted(variant.settings.items()))
    extra = f"; {settings}" if settings else ""
    return f"{variant.label} ({variant.method}, preset {variant.preset}{extra})"


FAILED_SHOWN: Final = 20
_WHOLE: Final = 4_000
_BUSY: Final = frozenset("\\`*_[]|<>~&$#^")
"""What can be markup in the middle of a line of GitHub's Markdown."""


def write_markdown(report: Report, pictures: Sequence[Picture] = ()) -> str:
    """The report, whole."""
    lines = ["# Evaluation report", ""]
    lines += [line for said in report.headlines for line in (escaped(said, _WHOLE), "")]
    if report.mark:
        lines += [f"**{escaped(report.mark)}**", ""]
    for joint in report.joint:
        lines += [f"## {escaped(', '.join(joint.runs))}", ""]
        for table in joint_tables(joint):
            lines += [*_table(table, 3), ""]
        lines += _pictures(pictures, joint.name)
    for each in report.runs:
        lines += _run(each, pictures)
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str, most: int = _LONGEST) -> str:
    """Text that shows as it is, in one line, within a table or outside."""
    line = one_line(text, most)
    shown = "".join(f"\\{c}" if c in _BUSY else c for c in line)
    # At the head of a line these begin a list or a heading; a bare address becomes a link.
    shown = re.sub(r"^([-+=])(?=[-+=\s]|$)", r"\\\1", shown)
    shown = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", shown)
    return re.sub(r"(?i)(https?|ftp|www)([:.])", r"\1&#8203;\2", shown)


def _run(report: ReportedRun, pictures: Sequence[Picture]) -> Iterator[str]:
    yield from (f"## Run {escaped(report.run.id)}", "")
    for name, value in record_rows(report):
        yield f"- {escaped(name)}: {escaped(value, _WHOLE)}"
    yield ""
    for note in report.notes:
        yield f"> {escaped(note)}"
        yield ""
    tables = tables_of(report)
    if not tables:
        yield from ("Nothing has been measured in this run.", "")
    for table in tables:
        yield from (*_table(table, 3), "")
    yield from _pictures(pictures, report.run.id)
    if report.failed:
        yield from (*_table(failed_table(report.failed, FAILED_SHOWN, report.mark), 3), "")


def _table(table: Table, level: int) -> Iterator[str]:
    yield f"{'#' * level} {escaped(table.title)}"
    yield ""
    if table.mark:
        yield from (f"*{escaped(table.mark)}*", "")
    yield _row(escaped(column) for column in table.columns)
    yield _row("---:" if numeric else "---" for numeric in table.numeric)
    for row in table.rows:
        yield _row(_entry(entry) for entry in row)
    if table.note:
        yield from ("", escaped(table.note))


def _row(entries: Iterator[str]) -> str:
    return "| " + " | ".join(entries) + " |"


def _entry(entry: Entry) -> str:
    if isinstance(entry, Number):
        return escaped(whole(entry.estimate, entry.unit))
    return escaped(printable(entry))


def _pictures(pictures: Sequence[Picture], run: str) -> Iterator[str]:
    for picture in pictures:
        if picture.run == run:
            yield f"![{escaped(picture.title)}](pictures/{picture.name}.svg)"
            yield ""
            for note in picture.notes:
                yield from (escaped(note), "")
