"""The entry point: exit codes, one line on standard error, one JSON document on failure."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import offbook
from offbook.cli import main
from offbook.errors import (
    AnswerError,
    BudgetReached,
    ConfigurationError,
    IndexMissing,
    ModelError,
    OffbookError,
    StoreFailed,
    UsageError,
)
from offbook.registry import names
from tests.cli.shapes import ERROR, misfit
from tests.end_to_end.world import PROCESS, World
from tests.waiting import PATIENCE_SECONDS

COMMANDS = ["demo", "cast", "create", "ingest", "forget", "ask", "recall", "chat", "show", "list"]
COMMANDS += ["alias", "graph", "remember", "memories", "delete", "backup", "export", "import"]
COMMANDS += ["restore", "user"]
COMMANDS += [
    "reembed",
    "setup",
    "doctor",
    "config",
    "eval",
    "card",
    "key",
    "serve",
    "scene",
    "story",
]


def test_help_lists_every_command_and_no_other(offline: World):
    out = offline.done("--help").out
    listed = [line.split()[0] for line in out.partition("Commands:")[2].splitlines() if line]
    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(offline: World, command: str):
    outcome = offline.done(command, "--help")
    assert outcome.out.startswith(f"Usage: offbook {command}")
    assert outcome.err == ""
    if "--method" in outcome.out:
        *most, last = names("method")
        assert f"{', '.join(most)} or {last}." in " ".join(outcome.out.split())


def test_the_version_and_the_short_help(offline: World):
    assert offline.done("--version").out == f"offbook {offbook.__version__}\n"
    assert offline.done("-h").out == offline.done("--help").out
    assert offline.done("ask", "-h").out == offline.done("ask", "--help").out


@pytest.mark.parametrize("words", [[], ["config"]])
def test_without_a_command_the_help_is_shown_and_nothing_is_data(offline: World, words):
    outcome = offline.run(*words)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Commands:" in outcome.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["frobnicate"], "no such command 'frobnicate'; `offbook --help`"),
        (["ingst"], "did you mean 'ingest'"),
        (["config", "shw"], "did you mean 'show'"),
        (["list", "--frob"], "no such option: --frob"),
        (["ask"], "missing argument 'NAME'"),
        (["ask", "ada"], "missing argument 'QUESTION'"),
        (["list", "surplus"], "surplus"),
        (["ingest", "ada", "--budget-calls", "many"], "--budget-calls"),
        (["list", "--home"], "--home"),
        (["list", "--set"], "--set"),
        (["list", "--set", "method"], "'method' has no value"),
        # What is not built yet is absent.
        (["perform"], "no such command"),
        (["alias", "ada", "add", "A"], "takes A B, not 1 word"),
        (["alias", "ada", "rename", "A", "B"], "add, remove, undo"),
        (["alias", "ada", "undo", "1", "2"], "takes ID, not 2 words"),
        (["ask", "ada", "hello", "--voice", "deep"], "no such option"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_wrong_usage_ends_with_2_and_one_line(offline: World, words, expected, as_json):
    outcome = offline.run(*([words[0], "--json", *words[1:]] if as_json else words))
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("offbook: ")
    if as_json and words[-1] not in ("--home", "--set"):
        assert misfit(outcome.json, ERROR) is None
        assert outcome.error["kind"] == "usage"
    elif not as_json:
        assert outcome.out == ""
        assert expected in outcome.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OffbookError("it broke"), 1),
        (BudgetReached("spent"), 1),
        (StoreFailed("full"), 1),
        (UsageError("bad"), 2),
        (IndexMissing("none"), 2),
        (ConfigurationError("torn"), 3),
        (ModelError("gone"), 4),
        (AnswerError("rubbish"), 4),
    ],
)
def test_an_error_of_ours_has_its_exit_code_and_envelope(offline: World, monkeypatch, error, code):
    error.hint = "mend it\nlike this"

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("offbook.cli.character.with_offbook", fail)
    plain = offline.run("list")
    assert (plain.code, plain.out) == (code, "")
    assert plain.err == f"offbook: {error.message}; mend it like this\n"
    as_json = offline.run("list", "--json")
    assert as_json.code == code
    assert as_json.json == {
        "error": {"kind": error.kind, "message": error.message, "hint": error.hint}
    }


def test_what_nobody_foresaw_is_one_line_and_with_debug_a_traceback(offline: World, monkeypatch):
    def fail(*_: object) -> None:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr("offbook.cli.character.with_offbook", fail)
    short = offline.run("list")
    assert short.code == 1
    assert short.err == (
        "offbook: ZeroDivisionError: by nought; "
        "run it again with --debug and report the traceback\n"
    )
    long = offline.run("list", "--debug", "--json")
    assert long.code == 1
    assert "Traceback (most recent call last)" in long.err
    assert "ZeroDivisionError" in long.err
    assert misfit(long.json, ERROR) is None


def test_debug_shows_the_traceback_of_errors_of_ours_too(offline: World):
    assert "Traceback" in offline.run("show", "nobody", "--debug").err
    assert "Traceback" not in offline.run("show", "nobody").err


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, typer.Abort, EOFError])
def test_interruption_ends_with_130(offline: World, monkeypatch, interruption):
    def stop(*_: object) -> None:
        raise interruption

    monkeypatch.setattr("offbook.cli.character.with_offbook", stop)
    outcome = offline.run("list")
    assert outcome.code == 130
    assert outcome.out == ""
    assert outcome.err.endswith("offbook: interrupted; what was done is kept\n")


def test_an_interruption_says_how_to_go_on_where_a_command_can(offline: World, monkeypatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("offbook.cli.document.with_progress", stop)
    outcome = offline.run("ingest", "ada", "--json")
    assert outcome.code == 130
    assert misfit(outcome.json, ERROR) is None
    assert outcome.error["kind"] == "interrupted"
    assert "the same command continues from there" in outcome.error["hint"]
    assert outcome.error["hint"] in outcome.err
    assert "goes on" not in offline.run("list").err


def test_globals_stand_anywhere_and_the_last_of_their_kind_counts(offline: World):
    other = offline.folder / "other"
    offline.done("create", "Ada", "--home", str(other))
    assert offline.done("list", "--json").json == []
    for words in (
        ["--home", str(other), "list", "--json"],
        ["list", f"--home={other}", "--json"],
        ["list", "--json", "--home", str(other)],
    ):
        assert [row["name"] for row in offline.done(*words).json] == ["Ada"]
    shown = offline.done("config", "--set", "naive.k=5", "show", "--set=naive.k=7").out
    assert "naive.k = 7" in shown


def test_after_two_dashes_nothing_is_an_option(offline: World):
    offline.done("create", "Ada")
    outcome = offline.run("recall", "ada", "--method", "vanilla", "--", "--json")
    assert outcome.code == 0
    assert "nothing" in outcome.out
    assert offline.run("create", "--", "--home").err.startswith("created '--home' (id home)")


@pytest.mark.long
def test_a_reader_that_leaves_is_no_failure_worth_a_word(offline: World):
    offline.done("create", "Ada")
    long = offline.write("long.md", "".join(f"## Part {n}\n\nWord {n}.\n\n" for n in range(4000)))
    offline.done("ingest", "ada", long)
    shell = subprocess.run(
        ["bash", "-c", '"$@" show ada chunks | head -n 1', "-", *PROCESS],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert len(shell.stdout.splitlines()) == 1
    assert shell.stderr == ""


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("words", "code"), [("list", 1), ("list --json", 1), ("show nobody --json", 2)]
)
def test_output_for_which_there_is_no_room_is_one_line(offline: World, words: str, code: int):
    offline.done("create", "Ada")
    shell = subprocess.run(
        ["bash", "-c", f'"$@" {words} > /dev/full', "-", *PROCESS],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert (shell.returncode, shell.stderr.count("\n")) == (code, 1), shell.stderr
    assert ("has no room" in shell.stderr) == (code == 1)


@pytest.mark.long
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_standard_streams_may_be_closed(offline: World, closed: str):
    offline.done("create", "Ada")
    offline.done("ingest", "ada", offline.write("ada.md", "Ada keeps the light."))
    shell = subprocess.run(
        ["bash", "-c", f'"$@" chat ada {closed}', "-", *PROCESS],
        input="Who are you?\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert shell.returncode == 0, shell.stderr
    assert "Traceback" not in shell.stderr
    assert bool(shell.stdout) == (closed == "2>&-")


@pytest.mark.long
def test_a_terminal_without_the_letters_gets_their_codes(offline: World):
    offline.done("create", "王小明")
    process = offline.start(
        "list", "--json", environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, err) == (0, "")
    assert [row["name"] for row in json.loads(out)] == ["王小明"]


def test_run_leaves_with_the_exit_code(offline: World, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["offbook", "show", "nobody"])
    monkeypatch.delitem(sys.modules, "offbook.__main__", raising=False)
    with pytest.raises(SystemExit) as left:
        main.run()
    assert left.value.code == 2
    with pytest.raises(SystemExit) as left:
        main.run(["list"])
    assert left.value.code == 0
    with pytest.raises(SystemExit) as left:
        runpy.run_module("offbook", run_name="__main__")  # `python -m offbook show nobody`
    assert left.value.code == 2
