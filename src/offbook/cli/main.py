"""The entry point: commands by name, exit codes, and errors as one line or one JSON document.

Takes: ``sys.argv``.  Gives: an exit code: 0 done, 1 failed or budget reached, 2 usage or bad
input, 3 configuration, 4 the model endpoint failed for good, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import typer

from offbook.cli import (
    book,
    character,
    chat,
    document,
    graph,
    home,
    memory,
    process,
    question,
    scene,
    server,
    setup,
    story,
)
from offbook.cli.cards import app as card_app
from offbook.cli.completion import assignments_beginning
from offbook.cli.evaluation import reports, runs
from offbook.cli.options import GLOBALS, command_group, help_without_command, one_line
from offbook.cli.process import ending_in_time, say_stopping
from offbook.cli.user import user_app
from offbook.errors import NO_ROOM, Interrupted, OffbookError, UsageError, hide_passwords

if TYPE_CHECKING:
    from collections.abc import Sequence

_GOES_ON = ("ingest", "remember", "reembed", "eval")
"""Commands that take up their work where an earlier run of the same left it."""
_PURGES = ("delete", "forget", "memories", "import", "user")
"""Commands that remove what was deleted from the database's file."""
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


def _version(is_set: bool) -> None:
    if is_set:
        from offbook import __version__

        sys.stdout.write(f"offbook {__version__}\n")
        raise typer.Exit


@app.callback()
def _globals(
    context: typer.Context,
    home: str | None = typer.Option(None, help="Where the embedded database lives."),
    set_: list[str] | None = typer.Option(
        None,
        "--set",
        metavar="NAME=VALUE",
        autocompletion=assignments_beginning,
        help="Any setting; see `config show`.",
    ),
    version: bool = typer.Option(
        False, "--version", help="Show the version.", callback=_version, is_eager=True
    ),
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
) -> None:
    del version
    GLOBALS.remember(home, set_ or [], debug=debug)
    GLOBALS.command = context.invoked_subcommand or ""
    help_without_command(context)


_COMMANDS: Final[Mapping[str, Callable[..., Any]]] = {
    "demo": character.demo_command,
    "cast": book.cast_command,
    "story": story.story_command,
    "create": character.create_command,
    "ingest": document.ingest_command,
    "forget": document.forget_command,
    "remember": memory.remember_command,
    "ask": question.ask_command,
    "recall": question.recall_command,
    "chat": chat.chat_command,
    "scene": scene.scene_command,
    "show": character.show_command,
    "alias": graph.alias_command,
    "memories": memory.memories_command,
    "graph": graph.graph_command,
    "list": character.list_command,
    "delete": character.delete_command,
    "export": character.export_command,
    "import": character.import_command,
    "backup": home.backup_command,
    "restore": home.restore_command,
    "reembed": document.reembed_command,
    "key": server.key_command,
    "serve": server.serve_command,
    "setup": setup.setup_command,
    "doctor": home.doctor_command,
}
_EVALUATION: Final[Mapping[str, Callable[..., Any]]] = {
    "list": runs.list_runs,
    "estimate": runs.estimate,
    "run": runs.run,
    "import": runs.import_run,
    "score": runs.score,
    "show": runs.show,
    "compare": reports.compare,
    "report": reports.report,
    "table": reports.table,
    "check-judge": reports.check_judge,
    "pairwise": reports.pairwise,
    "export": reports.export_run,
    "fetch": runs.fetch,
    "delete": runs.delete,
}
evaluation_app = command_group("Run benchmarks, score and compare the replies.")
for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)
for _name, _command in _EVALUATION.items():
    evaluation_app.command(_name)(_command)
evaluation_app.add_typer(reports.app, name="review")
app.add_typer(home.config_app, name="config")
app.add_typer(user_app, name="user")
app.add_typer(card_app, name="card")
app.add_typer(evaluation_app, name="eval")


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    process.set_up()
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows its code; in JSON that is the same letter.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    with process.terminable(), ending_in_time(_end_at_once):
        code = main(list(sys.argv[1:] if arguments is None else arguments))
        if code in (process.INTERRUPTED, process.TERMINATED):
            # All is closed; taking a large index apart, object by object, may take seconds.
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
    sys.exit(code)


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
    as_json = GLOBALS.as_json = "--json" in options
    try:
        code = _commands()(_globals_first(arguments), prog_name="offbook", standalone_mode=False)
    except OffbookError as error:
        return _fail(error, as_json)
    except (KeyboardInterrupt, typer.Abort, EOFError):
        return _stopped(as_json)
    except typer.TyperException as error:
        return _fail(_usage(error), as_json)
    except BrokenPipeError:  # whoever read has gone, as `head` does: nobody is left to complain to
        _silence(sys.stdout)
        return 1
    except Exception as error:
        return _fail(_unforeseen(error), as_json)
    if code == process.INTERRUPTED:  # a shell's way to say so: the parser saw Ctrl-C
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

        _tell(sys.stderr, hide_passwords("".join(traceback.format_exception(error))))
    if as_json:
        _tell(sys.stdout, json.dumps(error.as_json(), ensure_ascii=False) + "\n")
    _tell(sys.stderr, one_line(error) + "\n")
    return error.exit_code


def _tell(stream: TextIO, text: str) -> None:
    """Write where that is possible; where it is not, the exit code has to do."""
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        _silence(stream)


def _silence(stream: TextIO) -> None:
    """Let go what a stream holds: it would be written once more as the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _unforeseen(error: Exception) -> OffbookError:
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        hint = "make room, or have it written elsewhere"
        failure = OffbookError(f"what is written has no room: {error.strerror}", hint)
    else:
        hint = "run it again with --debug and report the traceback"
        failure = OffbookError(f"{type(error).__name__}: {error}", hint)
    failure.__cause__ = error
    return failure


def _stopped(as_json: bool) -> int:
    say_stopping()
    _fail(_interruption(), as_json)
    return process.exit_code()


def _interruption() -> Interrupted:
    """What is said of a command that was told to end."""
    hint = "what was done is kept"
    if GLOBALS.command in _GOES_ON:
        hint += ", and the same command continues from there"
    if GLOBALS.command in _PURGES:
        hint += ", and text that was deleted leaves the file when the home is next opened"
    return Interrupted("interrupted", hint)


def _end_at_once(number: int) -> None:
    """Leave the process, past Python's own streams: the main thread may be holding them."""
    error = _interruption()
    show_cursor = "\r\x1b[K\x1b[?25h" if os.isatty(2) else ""  # a progress bar hides it
    answer = json.dumps(error.as_json()) + "\n" if GLOBALS.as_json else ""
    for stream, text in ((2, show_cursor + one_line(error) + "\n"), (1, answer)):
        with suppress(OSError):
            blocking = os.get_blocking(stream)  # shared with whoever else writes there
            os.set_blocking(stream, False)  # nobody may be reading
            try:
                os.write(stream, text.encode())
            finally:
                os.set_blocking(stream, blocking)
    os._exit(128 + number)


def _usage(error: typer.TyperException) -> UsageError:
    """The parser's complaint as an error of ours: its suggestion, or the help, is the hint."""
    context: typer.Context | None = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "offbook"
    message, _, suggestion = error.format_message().rstrip(".").partition(". ")
    hint = suggestion or f"`{path} --help` lists what there is"
    return UsageError(message[:1].lower() + message[1:], hint[:1].lower() + hint[1:])
