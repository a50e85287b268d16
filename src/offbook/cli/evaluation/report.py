"""``offbook eval report RUN... -o DIR``: scores, pictures and replies of runs as files.

Takes: runs of one judge, and a folder.  Gives: Markdown, CSV, LaTeX, pictures and one page of HTML.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offbook.cli.evaluation.options import DataPath, RatedBy
from offbook.cli.globals import Json, settings_for


def command(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids of runs.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="The folder; made where it is missing."),
    ],
    judge: RatedBy = None,
    path: DataPath = None,
    pictures: Annotated[
        bool, typer.Option(help="Pictures; they need the extra `eval` (matplotlib).")
    ] = True,
    embed: Annotated[
        bool,
        typer.Option("--embed", help="Let the embedding endpoint embed questions, for similarity."),
    ] = False,
    examples: Annotated[
        int,
        typer.Option(min=0, max=50, help="Worst and best replies shown, by metric and method."),
    ] = 2,
    as_json: Json = False,
) -> None:
    """Write a report of runs; no chat model is asked."""
    from offbook.app.evaluation.report_files import write_report
    from offbook.cli.running import print_json, say, with_offbook

    written = with_offbook(
        settings_for(),
        lambda book: write_report(
            book,
            runs,
            output,
            judge=judge,
            path=path,
            with_pictures=pictures,
            embed=embed,
            examples=examples,
        ),
    )
    if as_json:
        print_json(written.as_json())
        return
    for note in written.notes:
        say(note)
    if written.mark:
        say(f"its scores are marked: {written.mark}")
    say(f"wrote {len(written.files)} files to {written.folder}; begin with report.html")
