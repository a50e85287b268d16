"""A filled table as text: for a terminal, as Markdown, as LaTeX.

Ours stand above the printed ones of the same line, each with its interval and n; ``-`` where there
is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.report.latex import write_latex
from offbook.evaluation.report.tables import Table

if TYPE_CHECKING:
    from offbook.evaluation.tables.catalogue import Column, PrintedRow
    from offbook.evaluation.tables.filling import (
        FilledBlock,
        FilledTable,
        OurRow,
        Value,
    )

NONE: Final = "-"

Rows = list[list[str]]


def as_text(filled: FilledTable, table: Callable[[Sequence[Sequence[str]]], str]) -> str:
    """For a terminal; ``table`` puts rows into columns."""
    parts = [f"{filled.table.title} ({filled.table.source})\n"]
    for block in filled.blocks:
        head = f"{block.block.title}\n" if block.block.title else ""
        parts.append(head + table(_rows(block)))
    parts += [_listed(title, lines) for title, lines in _remarks(filled)]
    return "\n".join(parts)


def as_markdown(filled: FilledTable) -> str:
    """As a section of a Markdown document."""
    parts = [f"## {filled.table.title}\n\nPrinted in {filled.table.source}.\n"]
    for block in filled.blocks:
        head, *rows = [[cell.replace("|", "\\|") for cell in row] for row in _rows(block)]
        lines = [head, ["---"] * len(head), *rows]
        title = f"### {block.block.title}\n\n" if block.block.title else ""
        parts.append(title + "".join(f"| {' | '.join(row)} |\n" for row in lines))
    parts += [_listed(f"{title}\n", lines) for title, lines in _remarks(filled)]
    return "\n".join(parts)


def rows_of(filled: FilledTable) -> Rows:
    """The lines of all blocks, each behind the title of its block."""
    return [[block.block.title, *row] for block in filled.blocks for row in _rows(block)]


def as_latex(filled: FilledTable) -> str:
    """As a table for ``booktabs``, the remarks as comments and in the caption."""
    parts = ["".join(f"% {title} {line}\n" for title, lines in _remarks(filled) for line in lines)]
    for number, block in enumerate(filled.blocks, 1):
        head, *rows = [tuple(row) for row in _rows(block)]
        titles = filter(None, (filled.table.title, block.block.title))
        caption = f"{'. '.join(titles)} (printed in {filled.table.source})"
        name = f"{filled.table.name}-{number}"
        parts.append(write_latex(Table(name, caption, head, tuple(rows))))
    return "\n".join(parts)


def shown(value: Value, column: Column) -> str:
    """A value of ours as it is printed: the number, its interval and n; ``-`` for none."""
    if not isinstance(value, Estimate):
        return value or NONE
    if value.mean is None:
        return f"{NONE} (n = {value.n})"
    factor = 100.0 if column.percent else 1.0
    spec = f".{column.digits}f"
    number = format(value.mean * factor, spec)
    counted = f"n = {value.n}" + (f", {value.missing} missing" if value.missing else "")
    ends = value.interval
    if ends is None:
        return f"{number} ({counted})"
    low, high = (format(end * factor, spec) for end in ends)
    return f"{number} [{low}, {high}] ({counted})"


def _rows(filled: FilledBlock) -> Rows:
    columns = filled.block.columns
    rows: Rows = [["", "of", *(_title(column) for column in columns)]]
    for each in filled.lines:
        mine = [_ours(row, columns) for row in each.ours]
        mine = mine or [["ours", *[NONE] * len(columns)]]
        theirs = [_printed(row, columns) for row in each.printed]
        for place, row in enumerate((*mine, *theirs)):
            rows.append([each.line.title if place == 0 else "", *row])
    return rows


def _ours(row: OurRow, columns: Sequence[Column]) -> list[str]:
    return [f"ours: {row.of}", *(shown(row.values.get(c.key), c) for c in columns)]


def _printed(row: PrintedRow, columns: Sequence[Column]) -> list[str]:
    return [f"{row.of} ({row.source})", *(row.values.get(c.key, NONE) for c in columns)]


def _title(column: Column) -> str:
    arrow = {"higher": " (higher)", "lower": " (lower)", None: ""}[column.better]
    return f"{column.title}{arrow}"


def _remarks(filled: FilledTable) -> Iterator[tuple[str, Sequence[str]]]:
    about = [f"{name}: {value}" for name, value in filled.about.items()]
    runs = [f"runs: {', '.join(filled.runs)}"] if filled.runs else []
    for title, lines in (
        ("Ours:", [*about, *runs]),
        ("Notes:", filled.notes),
        ("Not as in the paper:", filled.table.differs),
        ("Of the printed numbers:", filled.table.illegible),
    ):
        if lines:
            # A remark may quote a message of several lines, which would leave a list or comment.
            yield title, [" ".join(line.split()) for line in lines]


def _listed(title: str, lines: Sequence[str]) -> str:
    return f"{title}\n" + "".join(f"- {line}\n" for line in lines)
