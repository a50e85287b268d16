"""The offline judge is a stub: on the scale, always alike, and marked."""

from __future__ import annotations

from offbook.prompts.interviewing import (
    Pole,
)
from offbook.prompts.judging import ReplyWithAnswers
from offbook.rules import judging

ABOUT = "Nora Vey, born in 1851, repairs clocks in Hull."
POLES = (Pole("E", "talkative, seeks company"), Pole("I", "quiet, alone"))


def test_replies_that_differ_are_rated_apart():
    def quality(reply):
        inputs = ReplyWithAnswers("Nora Vey", "Where do you work?", reply, ("a shop in Hull",))
        return judging.answer_quality(inputs).rating

    assert quality("In a shop in Hull.") > quality("In Hull.") > quality("York.")
