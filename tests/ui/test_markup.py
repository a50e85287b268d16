"""Emphasis and quotations of replies; what is hostile stays text."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.ui.markup import Run, runs_of


def told(words: str) -> list[str]:
    """Each run with letters for how it is shown."""
    return [f"{_how(run)}:{words[run.start : run.end]}" for run in runs_of(words)]


def _how(run: Run) -> str:
    shown = (("s", run.is_strong), ("e", run.is_emphasis), ("q", run.is_quotation))
    return "".join(letter for letter, so in shown if so)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("plain", [":plain"]),
        ("*looks up* **Mind** it.", ["e:looks up", ": ", "s:Mind", ": it."]),
        ("_so_ a_b_c", ["e:so", ": a_b_c"]),
        ("***all***", ["se:all"]),
        ("**a *b* c**", ["s:a ", "se:b", "s: c"]),
        ('She said "no *way*" then', [":She said ", 'q:"', "q:no ", "eq:way", 'q:"', ": then"]),
        ("“Ja”, „nein“", ["q:“", "q:Ja", "q:”", ":, ", "q:„", "q:nein", "q:“"]),
        ("*waves “hi”*", ["e:waves ", "eq:“", "eq:hi", "eq:”"]),
        ("2 * 3 * 4", [":2 * 3 * 4"]),
        ("a*b*c", [":a*b*c"]),
        ("*open\nline*", [":*open\nline*"]),
        ('6" and 7"', [':6" and 7"']),
        ("****", [":****"]),
        ("", []),
        ("<b>x</b> *y*", [":<b>x</b> ", "e:y"]),
        ("[a](javascript:1)", [":[a](javascript:1)"]),
        ("![x](http://a/b.png) `code` # h", [":![x](http://a/b.png) `code` # h"]),
        ("*<img src=x onerror=1>*", ["e:<img src=x onerror=1>"]),
    ],
)
def test_what_is_shown_how(words, shown):
    assert told(words) == shown


@given(st.text(st.sampled_from('*_"“”„«»「」ab \n<>'), max_size=120))
def test_nothing_is_lost_but_marks_of_emphasis(words):
    runs = runs_of(words)
    assert all(run.start < run.end for run in runs)
    assert all(one.end <= next_.start for one, next_ in pairwise(runs))
    left = "".join(words[run.start : run.end] for run in runs)
    assert _without(left) == _without(words)


def _without(words: str) -> str:
    return words.replace("*", "").replace("_", "")


@pytest.mark.parametrize("piece", ["*", "**a ", '"a ', "“", "*a", "_a ", "***a", "**a*b "])
def test_marks_that_nobody_closes_take_time_linear_in_the_length(piece):
    def steps(times: int) -> float:
        begun = time.process_time()
        runs_of(piece * times)
        return time.process_time() - begun

    steps(10)
    assert steps(40_000) < 40 * max(steps(4_000), 0.01)
