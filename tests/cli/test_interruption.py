"""Waits that a signal ends, and the lines of a pipe, however its pieces come."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import threading
from pathlib import Path
from typing import Any, TextIO

import pytest

from offbook.cli.interruption import PipedLines, signals_wake_the_loop

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
def heard(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A signal that somebody handles without doing anything."""
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    yield signal.SIGUSR1
    signal.signal(signal.SIGUSR1, before)


async def test_a_signal_that_was_attended_to_already_still_ends_the_next_sleep(heard, monkeypatch):
    selector: Any = asyncio.get_running_loop()._selector  # type: ignore[attr-defined]
    select, events = selector.select, list[int]()

    def counted(timeout: float | None = None) -> Any:
        found = select(timeout)
        events.append(len(found))
        return found

    monkeypatch.setattr(selector, "select", counted)
    with signals_wake_the_loop():
        signal.raise_signal(heard)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert sum(events) == 1, "it was woken, and once"
    signal.raise_signal(heard)
    await asyncio.sleep(0)
    assert sum(events) == 1
    assert signal.set_wakeup_fd(-1) == -1


async def test_a_loop_that_is_woken_already_is_left_as_it_is():
    with signals_wake_the_loop():
        outer = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(outer)
        with signals_wake_the_loop():
            assert signal.set_wakeup_fd(outer) == outer


def test_in_another_thread_there_are_no_signals():
    async def inside() -> int:
        with signals_wake_the_loop():
            return 1

    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(inside())))
    thread.start()
    thread.join()
    assert found == [1]
