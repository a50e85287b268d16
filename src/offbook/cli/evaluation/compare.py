"""``offbook eval compare RUN [RUN]``: differences on the same questions, with their intervals.

Takes: two runs, or one whose methods are compared.  Gives: a difference a metric.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.evaluation.options import DataPath, RatedBy, RunName
from offbook.cli.globals import Json, settings_for


def command(
    run: RunName,
    other: Annotated[
        str | None,
        typer.Argument(metavar="[RUN]", help="Another; none: the methods of the one."),
    ] = None,
    judge: RatedBy = None,
    path: DataPath = None,
    as_json: Json = False,
) -> None:
    """Compare two runs of the same questions, or the methods of one run.

    Runs with different judges are not compared.
    """
    from offbook.cli.evaluation.printing import print_comparison
    from offbook.cli.running import with_offbook

    found = with_offbook(
        settings_for(),
        lambda book: book.evaluation.compare(run, other or run, judge=judge, path=path),
    )
    print_comparison(found, as_json)
