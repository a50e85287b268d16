"""How many calls go out at once settles at what the endpoint takes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.models.pace import Pace


def rounds(pace: Pace, room: int, count: int) -> tuple[int, int]:
    """Rounds in which all allowed calls go out together; calls and refusals."""
    sent = refused = 0
    for _ in range(count):
        epoch, level = pace.epoch, pace.allowed
        sent += level
        for number in range(1, level + 1):
            if number <= room:
                pace.succeeded(number)
        for number in range(level, room, -1):
            refused += 1
            pace.refused(number, epoch)
    return sent, refused


@pytest.mark.parametrize("room", [1, 3, 8, 15])
def test_it_settles_at_the_room_that_there_is(room):
    pace = Pace(16)
    rounds(pace, room, 8)
    sent, refused = rounds(pace, room, 100)
    assert sent / (100 * room) >= 0.9, "room is not left unused"
    assert refused / sent <= 0.02, f"{refused} of {sent}"


def test_more_room_is_found():
    pace = Pace(16)
    rounds(pace, 4, 10)
    assert pace.allowed <= 5
    rounds(pace, 16, 120)
    assert pace.allowed == 16


def test_accidents_do_not_bring_it_to_a_stop():
    pace, draw = Pace(16), random.Random(5)
    for _ in range(150):
        epoch = pace.epoch
        for number in range(1, pace.allowed + 1):
            if draw.random() < 0.025:
                pace.refused(number, epoch)
            else:
                pace.succeeded(number)
    assert pace.allowed >= 6


def test_refusals_of_calls_that_were_out_together_halve_once():
    pace = Pace(16)
    epoch = pace.epoch
    for number in range(16, 0, -1):
        pace.refused(number, epoch)
    assert pace.allowed == 8


@given(
    st.integers(1, 40),
    st.lists(st.tuples(st.booleans(), st.integers(1, 40), st.booleans()), max_size=200),
)
def test_it_stays_between_one_and_what_is_wanted(most, events):
    pace = Pace(most)
    for good, level, late in events:
        if good:
            pace.succeeded(min(level, most))
        else:
            pace.refused(min(level, most), pace.epoch - late)
        assert 1 <= pace.allowed <= most
