"""The entry point: commands by name, exit codes, and errors as one line or one JSON document.

Takes: ``sys.argv``.  Gives: an exit code: 0 done, 1 failed or budget reached, 2 usage or bad
input, 3 configuration, 4 the model endpoint failed for good, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli import (
    alias,
    ask,
    chat,
    config,
    create,
    delete,
    demo,
    doctor,
    export,
    forget,
    graph,
    ingest,
    key,
    list_characters,
    memories,
    own_process,
    recall,
    reembed,
    remember,
    serve,
    show,
    termination,
)
from offbook.cli.card.app import app as card_app
from offbook.cli.evaluation.app import app as evaluation_app
from offbook.cli.globals import GLOBALS, help_without_command, one_line
from offbook.errors import Interrupted, OffbookError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_GOES_ON = ("ingest", "remember", "reembed")
"""Commands that take up their work where an earlier run of the same left it."""
_ANYWHERE = {"--debug": 0, "--home": 1, "--set": 1}

app = typer.Typer(
    name="offbook",
    help="Turns texts about a character into a character one can talk to.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
)


def _version(wanted: bool) -> None:
    if wanted:
        from offbook import __version__

        sys.stdout.write(f"offbook {__version__}\n")
        raise typer.Exit


@app.callback()
def _globals(
    context: typer.Context,
    home: Annotated[str | None, typer.Option(help="Where the embedded database lives.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any setting; see `config show`."),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    del version
    GLOBALS.remember(home, set_ or [], debug=debug)
    GLOBALS.command = context.invoked_subcommand or ""
    help_without_command(context)


app.command("demo")(demo.command)
app.command("create")(create.command)
app.command("ingest")(ingest.command)
app.command("forget")(forget.command)
app.command("remember")(remember.command)
app.command("ask")(ask.command)
app.command("recall")(recall.command)
app.command("chat")(chat.command)
app.command("show")(show.command)
app.command("alias")(alias.command)
app.command("memories")(memories.command)
app.command("graph")(graph.command)
app.command("list")(list_characters.command)
app.command("delete")(delete.command)
app.command("export")(export.export_command)
app.command("import")(export.import_command)
app.command("reembed")(reembed.command)
app.command("key")(key.command)
app.command("serve")(serve.command)
app.command("doctor")(doctor.command)
app.add_typer(config.app, name="config")
app.add_typer(card_app, name="card")
app.add_typer(evaluation_app, name="eval")


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    own_process.set_up()
    termination.heed()
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows its code; in JSON that is the same letter.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(list(sys.argv[1:] if arguments is None else arguments)))


def _open_closed_streams() -> None:
    """A standard stream that whoever started the command had closed says nothing, and hears all."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # In this order each has its usual number, which nothing else may have.
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def main(arguments: list[str]) -> int:
    """Run the command line.

    Args:
        arguments: Without the program's name. The global options may stand anywhere.

    Returns:
        The exit code.
    """
    GLOBALS.forget()
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = "--json" in options
    try:
        code = _commands()(_globals_first(arguments), prog_name="offbook", standalone_mode=False)
    except OffbookError as error:
        return _fail(error, as_json)
    except (KeyboardInterrupt, typer.Abort, EOFError):
        return _stopped(as_json)
    except typer.TyperException as error:
        return _fail(_usage(error), as_json)
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:
        hint = "run it again with --debug and report the traceback"
        failure = OffbookError(f"{type(error).__name__}: {error}", hint)
        failure.__cause__ = error
        return _fail(failure, as_json)
    if code == termination.INTERRUPTED:  # a shell's way to say so: the parser saw Ctrl-C
        return _stopped(as_json)
    return code if isinstance(code, int) else 0


@cache
def _commands() -> Callable[..., Any]:
    """The tree of commands; whoever runs several in one process makes it once."""
    return typer.main.get_command(app)


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
        if name not in _ANYWHERE:
            rest.append(word)
            continue
        taken = 0 if equals else _ANYWHERE[name]
        if taken > len(queue):
            # Its value is missing; the parser says so when nothing stands behind it.
            return [*front, word]
        front += [word, *queue[:taken]]
        queue = queue[taken:]
    return front + rest


def _fail(error: OffbookError, as_json: bool) -> int:
    if GLOBALS.debug:
        import traceback

        traceback.print_exception(error)
    if as_json:
        import json

        sys.stdout.write(json.dumps(error.as_json(), ensure_ascii=False) + "\n")
    sys.stderr.write(one_line(error) + "\n")
    return error.exit_code


def _stopped(as_json: bool) -> int:
    kept = "what was done is kept"
    if GLOBALS.command in _GOES_ON:
        kept += ", and the same command goes on from there"
    _fail(Interrupted("interrupted", kept), as_json)
    return termination.exit_code()


def _usage(error: typer.TyperException) -> UsageError:
    """The parser's complaint as an error of ours: its suggestion, or the help, is the hint."""
    context: typer.Context | None = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "offbook"
    message, _, suggestion = error.format_message().rstrip(".").partition(". ")
    hint = suggestion or f"`{path} --help` lists what there is"
    return UsageError(message[:1].lower() + message[1:], hint[:1].lower() + hint[1:])


def _reader_left() -> int:
    """Whoever read standard output has gone, as ``head`` does; nobody is left to complain to."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
