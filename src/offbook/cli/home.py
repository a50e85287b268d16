"""Commands for the whole home: ``config``, ``doctor``, ``backup``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from offbook.cli.options import (
    Json,
    Yes,
    command_group,
    confirm,
    settings_for,
    settings_of,
    with_options,
)
from offbook.cli.output import answer, print_json, say, table, with_offbook, write

if TYPE_CHECKING:
    from offbook.settings import Settings

config_app = command_group("Look at the settings.")


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


_REAL_MODELS = """\
To use a real model, name it; nothing leaves this machine until you do:
  hosted   export OPENAI_API_KEY=...  OFFBOOK_CHAT_MODEL=gpt-4.1-mini
  Ollama   export OFFBOOK_CHAT_MODEL=qwen3:8b  OFFBOOK_CHAT_BASE_URL=http://localhost:11434/v1
  vLLM     export OFFBOOK_CHAT_MODEL=Qwen/Qwen3-8B  OFFBOOK_CHAT_BASE_URL=http://localhost:8000/v1
or write the same into {file} ([chat] model, base_url, api_key)."""


@with_options(settings=settings_of("model", "base_url"))
def doctor_command(settings: Settings, as_json: Json = False) -> int:
    """Check the database and the model endpoints."""
    from offbook.settings import user_config_file

    checks = with_offbook(settings, lambda book: book.doctor())
    offline = settings.values.chat.model == "offline"
    if as_json:
        print_json({"offline": offline, "checks": [check.as_json() for check in checks]})
    else:
        for check in checks:
            write(f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {check.detail}\n")
            if check.hint:
                write(f"     {check.hint}\n")
        if offline:
            say(
                "chat is the offline backend: rules, no language model; its replies are sentences"
                " of the documents.\n" + _REAL_MODELS.format(file=user_config_file())
            )
    return max((check.exit_code for check in checks), default=0)


def backup_command(
    file: Path = typer.Argument(..., metavar="FILE"), yes: Yes = False, as_json: Json = False
) -> None:
    """Copy the whole database into one file, while it is in use.

    The copy is checked. To go back to it, put it into an empty home folder as `offbook.db`.
    """
    file = file.expanduser()
    if file.is_file():
        confirm(f"replace {str(file)!r} by a backup", yes=yes)
    size = with_offbook(settings_for(), lambda book: book.backup(file, replace=True))
    line = f"copied the database to {file} ({size:,} bytes)"
    answer(as_json, {"file": str(file), "bytes": size}, line)
