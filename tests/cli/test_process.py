"""Signals, standard input and the process of a command."""

from __future__ import annotations

import asyncio
import io
import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

import pytest

from offbook import __main__ as program
from offbook.cli import process as interruption
from offbook.cli.process import (
    INTERRUPTED,
    TERMINATED,
    PipedLines,
    ending_in_time,
    exit_code,
    heeding_signals,
    patience,
    terminable,
)
from tests.end_to_end.world import World, ended
from tests.waiting import PATIENCE_SECONDS, until

TEXT = "Où est Tom ?\r\nWho\rwas Ines?\n\nA last one"
LINES = ["Où est Tom ?\n", "Who\n", "was Ines?\n", "\n", "A last one"]


async def lines_of(opened: TextIO) -> list[str]:
    """All lines of a stream, which is closed then."""
    with opened as stream:
        piped = PipedLines.of(stream)
        assert piped is not None
        found = []
        while (line := await piped.next()) is not None:
            found.append(line)
        assert await piped.next() is None
        return found


@pytest.mark.parametrize("piece", [1, 2, 7, 100])
async def test_a_pipe_gives_its_lines_however_its_pieces_come(piece: int):
    reading, writing = os.pipe()
    data = TEXT.encode()
    found = asyncio.create_task(lines_of(os.fdopen(reading, encoding="utf-8")))
    for start in range(0, len(data), piece):
        os.write(writing, data[start : start + piece])
        await asyncio.sleep(0)
    os.close(writing)
    assert await found == LINES


async def test_a_file_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # Where the event loop rests on kqueue, the end of a file does not wake it; a device is refused.
    monkeypatch.setattr(asyncio.get_running_loop(), "add_reader", None)
    file = tmp_path / "said.txt"
    file.write_bytes(TEXT.encode())
    for path, lines in ((file, LINES), (Path(os.devnull), [])):
        assert await lines_of(path.open(encoding="utf-8")) == lines


async def test_what_goes_on_behind_goes_on_while_a_pipe_says_nothing():
    reading, writing = os.pipe()
    found = asyncio.create_task(lines_of(os.fdopen(reading, encoding="utf-8")))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not found.done()
    os.close(writing)
    assert await found == []


def test_a_terminal_and_what_is_no_stream_of_the_system_are_left_to_others():
    assert PipedLines.of(io.StringIO("Hello\n")) is None
    ours, theirs = os.openpty()
    with os.fdopen(ours, "rb", buffering=0), os.fdopen(theirs, encoding="utf-8") as terminal:
        assert PipedLines.of(terminal) is None


@pytest.fixture
def ctrl_c() -> Iterator[int]:
    """Ctrl-C, which a handler takes note of and does nothing about."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    yield signal.SIGINT
    signal.signal(signal.SIGINT, before)


async def test_a_signal_that_was_attended_to_already_still_ends_the_next_sleep(ctrl_c, monkeypatch):
    selector: Any = asyncio.get_running_loop()._selector  # type: ignore[attr-defined]
    select, woken = selector.select, asyncio.Event()

    def noticed(timeout: float | None = None) -> Any:
        events = select(timeout)
        if events:
            woken.set()
        return events

    monkeypatch.setattr(selector, "select", noticed)
    with ending_in_time(print), patience(math.inf), heeding_signals():
        signal.raise_signal(ctrl_c)
        # Nothing else would end the sleep.
        await asyncio.wait_for(woken.wait(), PATIENCE_SECONDS)
    assert signal.set_wakeup_fd(-1) == -1


def test_the_second_ends_at_once_and_one_that_was_heeded_is_forgotten(ctrl_c, capsys):
    numbers: list[int] = []
    with ending_in_time(numbers.append), patience(3600):
        signal.raise_signal(ctrl_c)
        interruption.note(0)
        signal.raise_signal(ctrl_c)
        interruption.note(0)
        assert not numbers
        for _ in range(2):
            signal.raise_signal(ctrl_c)
        until(lambda: numbers == [signal.SIGINT])
    assert "stopping ... (Ctrl-C again ends at once)" in capsys.readouterr().err


def test_a_change_of_patience_counts_for_the_signals_that_come_after_it(capsys):
    numbers: list[int] = []
    watcher = interruption._Watcher(numbers.append)
    watcher.be_patient(math.inf)
    for _ in range(2):
        watcher.note(signal.SIGINT)
    watcher.be_patient(3600)
    watcher.start()  # it reads all of it now, as on a machine that is busy
    watcher.stop()
    assert numbers == []
    assert capsys.readouterr().err == ""


def test_what_does_not_stop_is_ended(ctrl_c):
    numbers: list[int] = []
    with ending_in_time(numbers.append), patience(0.01):
        signal.raise_signal(ctrl_c)
        until(lambda: numbers == [signal.SIGINT])


COMPUTES = """
import sys
from offbook.app import Offbook
from offbook.cli.main import run

async def computes(self, *words, **more):
    sys.stderr.write("computing\\n")
    while True:
        pass

Offbook.ingest = Offbook.ask = computes
run()
"""
"""A command line whose commands never look at anything else."""


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("as_json", [True, False])
def test_a_command_that_computes_is_ended_and_says_what_is_kept(
    offline: World, number: signal.Signals, as_json: bool
):
    words = ["ingest", "nobody", *(["--json"] if as_json else [])]
    process = offline.start(*words, command=(sys.executable, "-c", COMPUTES))
    assert process.stderr is not None
    assert process.stderr.readline() == "computing\n"
    process.send_signal(number)
    outcome = ended(process)
    assert outcome.code == 128 + number
    first, last = outcome.err.splitlines()
    assert first.startswith("stopping ...")
    assert last == (
        "offbook: interrupted; what was done is kept, and the same command continues from there"
    )
    if as_json:
        assert outcome.error["kind"] == "interrupted"


@pytest.mark.long
def test_an_interrupted_purge_goes_on_when_the_home_is_next_opened(ada: World):
    database = ada.home / "offbook.db"
    ada.done("ask", "ada-byrne", "Do you know the word quincunx?", "--session", "evening")
    assert ada.leaks("quincunx")

    def purges() -> bool:
        with closing(sqlite3.connect(database)) as other:
            return bool(other.execute("PRAGMA user_version").fetchone()[0] > 0)

    with closing(sqlite3.connect(database)) as reader:
        # As long as somebody reads what was there, a purge waits: for 15 seconds.
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM characters").fetchone()
        process = ada.start("delete", "ada-byrne", "-y")
        until(purges)
        process.send_signal(signal.SIGINT)
        outcome = ended(process)
        assert outcome.code == 130
        assert "text that was deleted leaves the file when the home is next opened" in outcome.err
        assert purges()
    assert ada.done("list", "--json").json == []
    assert not purges()
    assert not ada.leaks("quincunx")


IN_PROCESS = (
    "import signal\n"
    "from offbook.cli.main import run\n"
    "def handlers():\n"
    "    of_each = {n: signal.getsignal(n) for n in signal.valid_signals()}\n"
    "    descriptor = signal.set_wakeup_fd(-1)\n"
    "    signal.set_wakeup_fd(descriptor)\n"
    "    return of_each, descriptor\n"
    "before = handlers()\n"
    "for words in (['list'], ['show', 'nobody'], ['ask', 'ada-byrne', 'Who drowned?'],\n"
    "              ['chat', 'ada-byrne'], ['--help']):\n"
    "    try:\n"
    "        run(words)\n"
    "    except SystemExit as left:\n"
    "        assert handlers() == before, words\n"
    "        print(words[0], left.code)\n"
)


@pytest.mark.long
def test_whoever_runs_commands_in_process_finds_the_handlers_as_before(ada: World):
    program = (sys.executable, "-W", "error", "-c", IN_PROCESS)
    outcome = ended(ada.start(command=program), "Who drowned?\n")
    assert outcome.code == 0, outcome.err
    lines = outcome.out.splitlines()
    for line in ("list 0", "show 2", "ask 0", "chat 0", "--help 0"):
        assert line in lines


def test_a_signal_of_one_command_is_not_the_next_ones():
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with terminable():
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
            assert exit_code() == TERMINATED
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert exit_code() == INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_handler_of_somebody_elses_stays():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with terminable():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


PROGRAM = """
import os, sys
from offbook.cli.main import run
assert "numpy" not in sys.modules, "it is told too late"
try:
    run(["--version"])
finally:
    print(os.environ["OPENBLAS_NUM_THREADS"])
"""


@pytest.mark.long
@pytest.mark.parametrize(("said", "kept"), [(None, "1"), ("3", "3")])
def test_a_command_computes_on_one_core_unless_it_is_told_otherwise(said, kept):
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    if said is not None:
        environment["OPENBLAS_NUM_THREADS"] = said
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] == kept


def test_ctrl_c_before_the_command_line_runs_ends_as_any_other(monkeypatch, capsys):
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("offbook.cli.main.run", interrupt)
    monkeypatch.setattr(sys, "argv", ["offbook", "list", "--json"])
    with pytest.raises(SystemExit) as left:
        program.main()
    assert left.value.code == INTERRUPTED
    printed = capsys.readouterr()
    assert json.loads(printed.out)["error"]["kind"] == "interrupted"
    assert printed.err == "offbook: interrupted; nothing was begun\n"
