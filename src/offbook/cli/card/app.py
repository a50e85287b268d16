"""``offbook card``: the group of commands around character cards; one file a command.

Takes: the command's name.  Gives: the command.
"""

from __future__ import annotations

import typer

from offbook.cli.card import attach, convert, export, lint, show
from offbook.cli.globals import help_without_command

app = typer.Typer(
    help="Character cards and lorebooks: look into, check, convert, attach, export.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@app.callback()
def _group(context: typer.Context) -> None:
    """Character cards and lorebooks: look into, check, convert, attach, export."""
    help_without_command(context)


app.command("show")(show.command)
app.command("lint")(lint.command)
app.command("convert")(convert.command)
app.command("attach")(attach.command)
app.command("export")(export.command)
