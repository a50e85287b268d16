"""The entry point: commands by name, exit codes, and errors as one line or one JSON document.

Takes: ``sys.argv``.  Gives: an exit code: 0 done, 1 failed or budget reached, 2 usage or bad
input, 3 configuration, 4 the model endpoint failed for good, 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import click
import typer

from offbook.cli import (
    ask,
    chat,
    config,
    create,
    delete,
    demo,
    doctor,
    export,
    forget,
    ingest,
    list_characters,
    recall,
    reembed,
    show,
)
from offbook.cli.globals import GLOBALS
from offbook.errors import OffbookError

if TYPE_CHECKING:
    from collections.abc import Sequence

_ANYWHERE = {"--debug": 0, "--home": 1, "--set": 1}

app = typer.Typer(
    name="offbook",
    help="Turns texts about a character into a character one can talk to.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
)


@app.callback()
def _globals(
    home: Annotated[str | None, typer.Option(help="Where the embedded database lives.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any setting; see `config show`."),
    ] = None,
    debug: Annotated[bool, typer.Option(help="Show the traceback of an error.")] = False,
) -> None:
    GLOBALS.remember(home, set_ or [], debug=debug)


app.command("demo")(demo.command)
app.command("create")(create.command)
app.command("ingest")(ingest.command)
app.command("forget")(forget.command)
app.command("ask")(ask.command)
app.command("recall")(recall.command)
app.command("chat")(chat.command)
app.command("show")(show.command)
app.command("list")(list_characters.command)
app.command("delete")(delete.command)
app.command("export")(export.export_command)
app.command("import")(export.import_command)
app.command("reembed")(reembed.command)
app.command("doctor")(doctor.command)
app.add_typer(config.app, name="config")


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    sys.exit(main(list(sys.argv[1:] if arguments is None else arguments)))


def main(arguments: list[str]) -> int:
    """Run the command line.

    Args:
        arguments: Without the program's name. The global options may stand anywhere.

    Returns:
        The exit code.
    """
    arguments = _globals_first(arguments)
    as_json = "--json" in arguments
    try:
        code = app(arguments, prog_name="offbook", standalone_mode=False)
    except OffbookError as error:
        return _fail(error, as_json)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (KeyboardInterrupt, click.exceptions.Abort, EOFError):
        sys.stderr.write("interrupted; what was done is kept\n")
        return 130
    except click.ClickException as error:
        return _usage(error, as_json)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        if GLOBALS.debug:
            raise
        hint = "run it again with --debug and report the traceback"
        return _fail(OffbookError(f"{type(error).__name__}: {error}", hint), as_json)
    return code if isinstance(code, int) else 0


def _globals_first(arguments: list[str]) -> list[str]:
    """Global options in front of the command, wherever they were written."""
    if "--" in arguments:
        cut = arguments.index("--")
        return _globals_first(arguments[:cut]) + arguments[cut:]
    front: list[str] = []
    rest: list[str] = []
    queue = list(arguments)
    while queue:
        word = queue.pop(0)
        name, equals, _ = word.partition("=")
        if name in _ANYWHERE:
            front.append(word)
            if not equals:
                taken = _ANYWHERE[name]
                front += queue[:taken]
                queue = queue[taken:]
        else:
            rest.append(word)
    return front + rest


def _fail(error: OffbookError, as_json: bool) -> int:
    if GLOBALS.debug:
        import traceback

        traceback.print_exception(error)
    if as_json:
        import json

        sys.stdout.write(json.dumps(error.as_json(), ensure_ascii=False) + "\n")
    line = f"offbook: {error.message}" + (f"; {error.hint}" if error.hint else "")
    sys.stderr.write(" ".join(line.split()) + "\n")
    return error.exit_code


def _usage(error: click.ClickException, as_json: bool) -> int:
    if isinstance(error, click.UsageError) and error.ctx is not None and not as_json:
        sys.stderr.write(error.ctx.get_usage() + "\n")
    command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
    from offbook.errors import UsageError

    return _fail(
        UsageError(error.format_message(), f"see `{command or 'offbook'} --help`"), as_json
    )
