r"""A report's tables as LaTeX, in the style of ``booktabs``.

Takes: tables.  Gives: one file for each; ``\input`` it where ``booktabs`` and ``graphicx`` are
loaded. What a model or a document said cannot become a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from offbook.evaluation.report.naming import NOTHING, counted, interval, number, one_line
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
    columns = "".join("r" if numeric else "l" for numeric in table.numeric)
    caption = escaped(table.title)
    if table.mark:
        caption += rf". \textbf{{{escaped(table.mark)}}}"
    lines = [
        "% needs booktabs and graphicx; letters beyond Latin need XeLaTeX or LuaLaTeX",
        f"% {_comment(table.mark or table.title)}",
        r"\begin{table}[htbp]",
        r"  \centering",
        rf"  \caption{{{caption}}}",
        rf"  \label{{tab:{_label(table.name)}}}",
        r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        "    " + " & ".join(map(escaped, table.columns)) + r" \\",
        r"    \midrule",
        *_rows(table),
        r"    \bottomrule",
        r"  \end{tabular}}",
    ]
    if table.note:
        lines += [rf"  \par\smallskip{{\footnotesize {escaped(table.note, 400)}}}"]
    return "\n".join([*lines, r"\end{table}", ""])


def escaped(text: str, most: int = _LONGEST) -> str:
    """Text that is set as it is, in one line."""
    return "".join(_COMMANDS.get(letter, letter) for letter in one_line(text, most))


def _rows(table: Table) -> Iterator[str]:
    for row in table.rows:
        yield "    " + " & ".join(_entry(entry) for entry in row) + r" \\"
    if not table.rows:
        yield rf"    \multicolumn{{{len(table.columns)}}}{{l}}{{nothing}} \\"


def _entry(entry: Entry) -> str:
    if not isinstance(entry, Number):
        # A bracket at the head of a row would be read as an option of the line break before it.
        text = escaped(entry)
        return f"{{{text}}}" if text.startswith(("[", "*")) else text
    shown = number(entry.estimate.mean, entry.unit)
    small = " ".join(filter(None, (interval(entry.estimate, entry.unit), counted(entry.estimate))))
    value = "--" if shown == NOTHING else escaped(shown).replace("-", "$-$")
    return rf"{value} {{\scriptsize {escaped(small)}}}"


def _label(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9-]+", "-", name)


def _comment(text: str) -> str:
    return one_line(text, _LONGEST)
