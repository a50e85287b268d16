"""``offbook eval show RUN``: a run and its scores, as they are stored.

Takes: a run.  Gives: the scores by the judge that it names, or by another that rated it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.evaluation.options import DataPath, RatedBy, RunName
from offbook.cli.globals import Json, settings_for


def command(
    run: RunName,
    judge: RatedBy = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="Also by kind, dimension and character.")
    ] = False,
    path: DataPath = None,
    as_json: Json = False,
) -> None:
    """Show a run with its scores; no model is asked."""
    from offbook.cli.evaluation.printing import print_report
    from offbook.cli.running import with_offbook

    report = with_offbook(
        settings_for(), lambda book: book.evaluation.show(run, judge=judge, path=path)
    )
    print_report(report, as_json, groups=groups)
