"""The rest of a reply that has begun."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from offbook.agent.continuing import Rest


def rest(begun: str, pieces: list[str]) -> str:
    taken = Rest(begun)
    return "".join([taken.feed(piece) for piece in pieces]) + taken.finish()


def test_an_answer_that_goes_on_is_left_as_it_is():
    assert rest("I will tell", [" you", " all."]) == " you all."


def test_a_beginning_that_is_said_again_is_taken_off():
    assert rest("I will tell", ["I wi", "ll te", "ll you all."]) == " you all."
    assert rest("  I will ", ["\n I will", " go."]) == " go."


def test_what_only_resembles_the_beginning_stays():
    assert rest("I will tell", ["I wi", "sh I could."]) == "I wish I could."
    assert rest("I will tell", ["I wi"]) == "I wi"


def test_without_a_beginning_nothing_is_held_back():
    taken = Rest("")
    assert taken.feed(" a") == " a"
    assert taken.finish() == ""


@given(st.text(max_size=20), st.text(max_size=20), st.integers(1, 5))
def test_whole_and_in_pieces_are_the_same(begun, answer, size):
    pieces = [answer[i : i + size] for i in range(0, len(answer), size)]
    assert rest(begun, pieces) == rest(begun, [answer])


@given(st.text(max_size=20), st.text(max_size=20))
def test_saying_the_beginning_again_adds_nothing(begun, answer):
    whole = begun.strip() + answer
    assert begun.strip() + rest(begun, [whole]) == whole
