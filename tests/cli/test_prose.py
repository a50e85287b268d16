"""Replies on a terminal: whole words in lines that fit, emphasis, names; else the words alone."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.cli.output import width_of
from offbook.cli.prose import Prose, columns, filled
from tests.cli.texts import Keyboard

CODES = re.compile("\x1b\\[[0-9;]*m")


def shown(pieces: list[str], name: str = "", wide: int = 30) -> str:
    """What a terminal of so many columns shows."""
    terminal = Keyboard()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", terminal)
        patch.setenv("COLUMNS", str(wide))
        patch.setenv("TERM", "xterm")
        prose = Prose(name)
        for piece in pieces:
            prose.write(piece)
        prose.end()
    return terminal.getvalue()


def test_lines_break_between_words_and_begin_with_the_name():
    text = CODES.sub(
        "", shown(["The keeper of the li", "ght is old, and he does not sleep."], "Ada")
    )
    assert text == "Ada: The keeper of the light\nis old, and he does not sleep.\n"


@given(
    st.text(st.characters(exclude_characters="*_", exclude_categories=["C", "Z"]) | st.just(" "))
)
def test_words_stay_and_lines_fit(text: str):
    out = shown([text])
    assert out.split() == text.split() or width_of(text) != len(text)
    assert "".join(out.split()) == "".join(text.split())
    longest = max(map(width_of, text.split()), default=0)
    assert all(width_of(line) <= max(30, longest) for line in out.split("\n"))


@given(st.text(), st.integers(1, 7))
def test_pieces_are_shown_as_the_whole_is(text: str, size: int):
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert shown(pieces) == shown([text])


def test_scripts_without_blanks_break_between_letters():
    assert shown(["王" * 20]) == "王" * 15 + "\n" + "王" * 5 + "\n"


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("*He bows.* No.", "\x1b[22;23m\x1b[3mHe bows.\x1b[22;23m No."),
        ("a **bold** word", "a \x1b[22;23m\x1b[1mbold\x1b[22;23m word"),
        ("(_so_)", "(\x1b[22;23m\x1b[3mso\x1b[22;23m)"),
        ("2 * 3 and snake_case_x", "2 * 3 and snake_case_x"),
    ],
)
def test_emphasis_is_shown_and_what_is_none_stays(text: str, out: str):
    assert shown([text], wide=80) == f"{out}\n"


def test_emphasis_ends_with_its_paragraph():
    assert shown(["*so\nno"]).count("\x1b[22;23m\n") == 1


def test_what_is_no_terminal_gets_the_words_alone(capsys):
    prose = Prose("Ada")
    prose.write("*Well*, a line that is longer than any terminal is wide, " * 3)
    prose.end()
    assert capsys.readouterr().out == (
        "*Well*, a line that is longer than any terminal is wide, " * 3 + "\n"
    )
    named = Prose("Ada", is_data=False)
    named.write("Well.")
    named.end()
    assert capsys.readouterr().out == "Ada: Well.\n"


def test_no_text_gives_orders_to_the_terminal():
    assert "\x1b[31m" not in shown(["\x1b[31mred"])


def test_a_paragraph_is_as_wide_as_the_terminal_and_no_wider_than_prose_is(monkeypatch):
    terminal = Keyboard()
    assert columns(sys.stdout) is None
    monkeypatch.setenv("COLUMNS", "24")
    lines = filled("one two three four five six", "  ", stream=terminal).split("\n")
    assert lines == ["  one two three four", "  five six"]
    monkeypatch.setenv("COLUMNS", "400")
    assert columns(terminal) == 100
