"""``offbook eval export RUN -o FILE``: a run as JSON Lines, or as a log of inspect_ai.

Takes: a run, and a file whose suffix is the format.  Gives: the file.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.evaluation.options import DataPath, RunName
from offbook.cli.globals import Json, settings_for


def command(
    run: RunName,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to: .jsonl (a cell a line) or .eval.json (a log of inspect_ai).",
        ),
    ],
    path: DataPath = None,
    as_json: Json = False,
) -> None:
    """Write a run into a file: its record, its cells, the ratings of all judges."""
    from offbook.cli.running import print_json, say, with_offbook

    file = with_offbook(settings_for(), lambda book: book.evaluation.export(run, output, path=path))
    if as_json:
        print_json({"run": run, "file": str(file)})
        return
    say(f"exported {run} to {file}")
