r"""A report's tables as LaTeX, in the style of ``booktabs``.

What a model or a document said cannot become a command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from offbook.evaluation.frames import require_pandas
from offbook.evaluation.report.material import NOTHING, counted, interval, number, one_line
from offbook.evaluation.report.tables import Number

if TYPE_CHECKING:
    from offbook.evaluation.report.tables import Entry, Table

_LONGEST: Final = 120
_COMMANDS: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "–": "--",
    "…": r"\ldots{}",
    "²": r"$^2$",
}


def write_latex(table: Table) -> str:
    """One table, with its mark in the caption."""
    caption = escaped(table.title)
    if table.mark:
        caption += rf". \textbf{{{escaped(table.mark)}}}"
    columns = [escaped(column) for column in table.columns]
    rows = [[_entry(entry) for entry in row] for row in table.rows]
    tabular = (
        require_pandas()
        .DataFrame(rows or [["nothing", *[""] * (len(columns) - 1)]], columns=columns, dtype=object)
        .to_latex(
            index=False,
            escape=False,
            column_format="".join("r" if numeric else "l" for numeric in table.numeric),
        )
    )
    label = re.sub(r"[^a-zA-Z0-9-]+", "-", table.name)
    lines = [
        "% needs booktabs and graphicx; letters beyond Latin need XeLaTeX or LuaLaTeX",
        f"% {one_line(table.mark or table.title, _LONGEST)}",
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{label}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        f"{tabular}}}",
    ]
    if table.note:
        lines += [rf"\par\smallskip{{\footnotesize {escaped(table.note, 400)}}}"]
    return "\n".join([*lines, r"\end{table}", ""])


def escaped(text: str, most: int = _LONGEST) -> str:
    """Text that is set as it is, in one line."""
    return "".join(_COMMANDS.get(letter, letter) for letter in one_line(text, most))


def _entry(entry: Entry) -> str:
    if not isinstance(entry, Number):
        # A bracket at the head of a row would be read as an option of the line break before it.
        text = escaped(entry)
        return f"{{{text}}}" if text.startswith(("[", "*")) else text
    shown = number(entry.estimate.mean, entry.unit)
    small = " ".join(filter(None, (interval(entry.estimate, entry.unit), counted(entry.estimate))))
    value = "--" if shown == NOTHING else escaped(shown).replace("-", "$-$")
    return rf"{value} {{\scriptsize {escaped(small)}}}"
