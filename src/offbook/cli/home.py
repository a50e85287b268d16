"""Commands for the whole home: ``config``, ``doctor``, ``backup``, ``restore``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from offbook.cli.completion import setting_names_beginning
from offbook.cli.options import (
    Json,
    Yes,
    command_group,
    confirm,
    settings_for,
    settings_of,
    with_options,
)
from offbook.cli.output import answer, counted, print_json, say, table, with_offbook, write
from offbook.errors import UsageError

if TYPE_CHECKING:
    from offbook.settings import Settings

config_app = command_group("Look at the settings, and write them.")


@config_app.command("show")
def show(
    origin: bool = typer.Option(False, "--origin", help="Where each value is from."),
    as_json: Json = False,
) -> None:
    """Show every setting."""
    from offbook.settings import user_config_file

    settings = settings_for()
    rows = settings.rows()
    if as_json:
        values = {name: settings.plain(name) for name, _, _ in rows}
        origins = {name: {"value": values[name], "origin": label} for name, _, label in rows}
        print_json(origins if origin else values)
        return
    if not origin:
        write("".join(f"{name} = {value or '-'}\n" for name, value, _ in rows))
        return
    write(table([(name, f"= {value or '-'}", f"({label})") for name, value, label in rows]))
    config_file = user_config_file()
    say(
        f"your own settings file: {config_file}"
        + ("" if config_file.exists() else " (there is none yet)")
    )


@with_options(settings=settings_of("model", "base_url"))
def doctor_command(settings: Settings, as_json: Json = False) -> int:
    """Check the database and the model endpoints."""
    checks = with_offbook(settings, lambda book: book.doctor())
    offline = settings.values.chat.model == "offline"
    if as_json:
        print_json({"offline": offline, "checks": [check.as_json() for check in checks]})
    else:
        for check in checks:
            write(check.in_words())
        if offline:
            say(
                "chat is the offline backend: rules, no language model; its replies are sentences"
                " of the documents. For a real model, here or hosted: offbook setup"
            )
    return max((check.exit_code for check in checks), default=0)


@config_app.command("set")
def set_(
    words: list[str] = typer.Argument(
        ..., metavar="KEY VALUE...", autocompletion=setting_names_beginning, help="Pairs of both."
    ),
    unset: bool = typer.Option(False, "--unset", help="Take the named settings out instead."),
    as_json: Json = False,
) -> None:
    """Write settings into your own settings file, whose comments stay."""
    from offbook.app.setup import changed_user_file
    from offbook.settings import user_config_file

    if not unset and len(words) % 2:
        raise UsageError(
            f"{words[-1]!r} has no value", "offbook config set KEY VALUE, or --unset KEY"
        )
    values = dict.fromkeys(words) if unset else dict(zip(words[::2], words[1::2], strict=True))
    file = user_config_file()
    changes = changed_user_file(file, values)
    lines = "\n".join(change.in_words() for change in changes) or "nothing is changed"
    document = {"file": str(file), "changes": [change.as_json() for change in changes]}
    answer(as_json, document, lines)


def backup_command(
    file: Path = typer.Argument(..., metavar="FILE"), yes: Yes = False, as_json: Json = False
) -> None:
    """Copy the whole database into one file, while it is in use.

    The copy is checked. `offbook restore FILE` goes back to it.
    """
    file = file.expanduser()
    if file.is_file():
        confirm(f"replace {str(file)!r} by a backup", yes=yes)
    size = with_offbook(settings_for(), lambda book: book.backup(file, replace=True))
    line = f"copied the database to {file} ({size:,} bytes)"
    answer(as_json, {"file": str(file), "bytes": size}, line)


def restore_command(
    file: Path = typer.Argument(..., metavar="FILE"), yes: Yes = False, as_json: Json = False
) -> None:
    """Put a backup in the place of the home's database, which nothing may be using.

    The backup is checked first; what the database holds now is gone, and what was forgotten since
    the backup is there again.
    """
    from offbook.app.home import database_url
    from offbook.stores.connection import SQLITE
    from offbook.stores.restore import restore

    file, url = file.expanduser(), database_url(settings_for())
    if not url.startswith(SQLITE):
        raise UsageError("the database is PostgreSQL", "restore it by pg_restore or psql")
    database = Path(url.removeprefix(SQLITE))
    if database.exists():
        confirm(f"replace {str(database)!r} by a backup", yes=yes)
    characters = restore(file, database)
    line = f"restored {database} from {file} ({counted(characters, 'character')})"
    document = {"file": str(file), "database": str(database), "characters": characters}
    answer(as_json, document, line)
