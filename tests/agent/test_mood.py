"""A mood moves with what is answered and comes back; no clock can break it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.agent.mood import Mood, Moods, temperament
from offbook.errors import ConfigurationError
from offbook.text.emotion_names import EMOTIONS

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
CALM = dict.fromkeys(EMOTIONS, 1.0)
ANGRY = {**CALM, "anger": 10}
LEVELS = st.fixed_dictionaries({name: st.floats(1, 10) for name in EMOTIONS})
MINUTES = st.floats(-1e7, 1e7)


def moods(**changes) -> Moods:
    return Moods(**{"temperament": CALM, "weight": 0.5, "half_life_minutes": 30, **changes})


def test_an_angry_answer_makes_angry_and_half_of_it_is_gone_after_a_half_life():
    angry = moods().after(None, ANGRY, NOON)
    assert angry.levels["anger"] == pytest.approx(5.5)
    later = moods().now(angry, NOON + timedelta(minutes=30))
    assert later.levels["anger"] == pytest.approx(3.25)
    assert moods().now(angry, NOON + timedelta(days=9)).levels["anger"] == pytest.approx(1)


def test_a_clock_that_goes_back_leaves_the_mood_and_lets_it_move():
    angry = moods().after(None, ANGRY, NOON)
    before = NOON - timedelta(days=400)
    assert moods().now(angry, before).levels == angry.levels
    moved = moods().after(angry, CALM, before)
    assert moved.levels["anger"] < angry.levels["anger"]
    assert moved.at == before
    later = moods().now(moved, before + timedelta(minutes=30))
    assert later.levels["anger"] < moved.levels["anger"]


def test_an_answer_that_is_scored_late_counts_as_much_as_is_left_of_it():
    now = moods().after(None, CALM, NOON)
    late = moods().after(now, ANGRY, NOON - timedelta(minutes=30))
    assert late.levels["anger"] == pytest.approx(1 + 0.25 * 9)
    assert late.at == now.at


@given(st.lists(st.tuples(LEVELS, MINUTES), max_size=8), LEVELS, MINUTES)
def test_levels_stay_between_1_and_10_whatever_the_clock_does(answers, rest, minutes):
    mood = None
    kept = moods(temperament=rest)
    for emotion, offset in answers:
        mood = kept.after(mood, emotion, NOON + timedelta(minutes=offset))
    found = kept.now(mood, NOON + timedelta(minutes=minutes))
    assert all(1 - 1e-9 <= level <= 10 + 1e-9 for level in found.levels.values())


@given(LEVELS)
def test_what_is_stored_is_read_back(levels):
    mood = Mood(levels, NOON)
    assert Mood.from_json(mood.as_json()) == mood


@pytest.mark.parametrize(
    "stored",
    [None, {}, {"levels": 3, "at": "x"}, {"levels": CALM, "at": "noon"},
     {"levels": {**CALM, "joy": 99}, "at": NOON.isoformat()},
     {"levels": {"joy": 2.0}, "at": NOON.isoformat()}],
)  # fmt: skip
def test_what_is_no_mood_is_none(stored):
    assert Mood.from_json(stored) is None


def test_a_temperament_is_told_or_the_mean_of_what_was_written():
    assert temperament(None, []) == CALM
    found = temperament(None, [ANGRY, CALM, {"anger": "very"}])
    assert found["anger"] == pytest.approx(5.5)
    assert temperament("joy=4, fear = 2.5", [ANGRY]) == {**CALM, "joy": 4.0, "fear": 2.5}


@pytest.mark.parametrize("told", ["bliss=3", "joy=11", "joy=0", "joy", "joy=x", "joy=-1", "", ","])
def test_a_temperament_that_cannot_be_is_refused(told):
    with pytest.raises(ConfigurationError, match=r"mood\.temperament"):
        temperament(told, [])
