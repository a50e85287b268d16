"""``offbook config show``: the settings in force.

Takes: nothing.  Gives: names, values (secrets masked) and, with ``--origin``, where each is from.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.globals import Json, help_without_command, settings_for

app = typer.Typer(help="Look at the settings.", invoke_without_command=True, rich_markup_mode=None)


@app.callback()
def _group(context: typer.Context) -> None:
    """Look at the settings."""
    help_without_command(context)


@app.command("show")
def show(
    origin: Annotated[bool, typer.Option("--origin", help="Where each value is from.")] = False,
    as_json: Json = False,
) -> None:
    """Show every setting."""
    from offbook.cli.running import print_json, write

    rows = settings_for().rows()
    if as_json:
        print_json(
            {name: {"value": value, "origin": label} for name, value, label in rows}
            if origin
            else {name: value for name, value, _ in rows}
        )
        return
    for name, value, label in rows:
        write(f"{name} = {value}" + (f"  ({label})" if origin else "") + "\n")
