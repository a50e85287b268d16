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
    from offbook.cli.running import print_json, say, table, write
    from offbook.settings import user_config_file

    settings = settings_for()
    rows = settings.rows()
    if as_json:
        print_json(
            {
                name: {"value": settings.plain(name), "origin": label}
                if origin
                else settings.plain(name)
                for name, _, label in rows
            }
        )
        return
    if not origin:
        write("".join(f"{name} = {value or '-'}\n" for name, value, _ in rows))
        return
    write(table([(name, f"= {value or '-'}", f"({label})") for name, value, label in rows]))
    own = user_config_file()
    say(f"your own settings file: {own}" + ("" if own.exists() else " (there is none yet)"))
