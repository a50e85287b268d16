"""A report as Markdown: the record of each run, its tables, its pictures by their files.

Takes: a report, and the pictures that were drawn.  Gives: text in which nothing that a model or a
document said can become markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from offbook.evaluation.report.naming import one_line, printable, whole
from offbook.evaluation.report.run_record import record_rows
from offbook.evaluation.report.tables import Number, failed_table, joint_tables, tables_of

if TYPE_CHECKING:
    from offbook.evaluation.report.material import Report, ReportedRun
    from offbook.evaluation.report.pictures.picture import Picture
    from offbook.evaluation.report.tables import Entry, Table

FAILED_SHOWN: Final = 20
_LONGEST: Final = 300
_WHOLE: Final = 4_000
_BUSY: Final = frozenset("\\`*_[]|<>~&$#^")
"""What can be markup in the middle of a line of GitHub's Markdown."""


def write_markdown(report: Report, pictures: Sequence[Picture] = ()) -> str:
    """The report, whole."""
    lines = ["# Evaluation report", ""]
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
