"""Loops of small models are seen; refrains, laughter and rows of dots are none."""

from __future__ import annotations

import pytest

from offbook.text.repetition import loop_start, runs_on, without_loop

SEA = "I am a man of the sea and the sea is a man of me, "


@pytest.mark.parametrize(
    "text", ["", "Well" + "." * 300, "ha" * 80, "Row, row, row your boat. " * 4]
)
def test_what_people_say_several_times_is_no_loop(text):
    assert loop_start(text) is None


def test_a_loop_begins_behind_what_was_said_once():
    text = "Hello. " + SEA * 6 + SEA[:11]
    assert loop_start(text) is not None
    assert text[: loop_start(text)] == "Hello. " + SEA[:-1] or SEA in text[: loop_start(text)]


def test_what_goes_on_behind_a_refrain_is_no_loop():
    assert loop_start(SEA * 6 + "and so we came home at last.") is None


def test_a_loop_of_a_long_paragraph_is_seen():
    paragraph = "".join(f"On day {n} we saw nothing of land. " for n in range(10))
    assert loop_start(paragraph * 6) is not None


def test_what_was_said_before_it_began_to_repeat_itself_is_left():
    assert without_loop("Hello. " + SEA * 9) == "Hello. " + SEA.rstrip()
    assert without_loop("Hello. " + SEA * 2) == "Hello. " + SEA * 2


def test_blanks_without_end_run_on_and_a_few_lines_do_not():
    assert runs_on('{"query":' + "\n" * 300)
    assert runs_on(SEA * 9)
    assert not runs_on("Hello.\n\n\n")
