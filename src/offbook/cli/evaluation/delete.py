"""``offbook eval delete RUN``: a run with its cells and ratings, from the whole home folder.

Takes: a run.  Gives: nothing is left of it.
"""

from __future__ import annotations

from offbook.cli.evaluation.options import RunName
from offbook.cli.globals import Json, settings_for


def command(run: RunName, as_json: Json = False) -> None:
    """Delete a run with its replies and ratings.

    Answers of the judge stay in the call cache, as all calls do.
    """
    from offbook.cli.running import print_json, say, with_offbook

    with_offbook(settings_for(), lambda book: book.evaluation.delete(run))
    if as_json:
        print_json({"deleted": run})
        return
    say(f"deleted {run}")
