import contextlib
import re
import time
from typing import Any

import pytest
from corvus_regex_ecma262 import MatchLimitError

from offbook.cards.keys import (
    PatternRefused,
    PatternTime,
    SafePattern,
    compile_key,
    is_delimited,
)
from tests.waiting import work_below


@pytest.mark.parametrize(
    ("key", "text", "span"),
    [
        ("/^b/m", "a\u2028b", (2, 3)),
        ("/a$/", "a\n", None),
        ("/a.b/s", "a\nb", (0, 3)),
        ("/a{2}b{,1}c{x}/", "aab{,1}c{x}", (0, 11)),
        ("/[]/", "a", None),
        ("/[^]/", "\n", (0, 1)),
        ("/[\\b]/", "\b", (0, 1)),
        ("/\\w+/", "é", None),
        ("/\\bé\\b/", "é", None),
        ("/\\x41\\u0042\\u{43}\\cX?/", "ABC", None),
        ("/\\x41\\u0042\\u{43}/u", "ABC", (0, 3)),
        ("/\\p{L}/u", "1ä", (1, 2)),
        ("/\\p{L}/", "p{L}", (0, 4)),
        ("/(?<=a)b(?<!x)/", "ab", (1, 2)),
        ("/(?<n>a)\\k<n>/", "aa", (0, 2)),
        ("A", "a", None),
        ("/\\L<x>\\m/", "L<x>m", (0, 5)),
        ("/\\2(a)\\k<n>/", "\x02ak<n>", (0, 6)),
        ("/(a)?\\1b/", "b", (0, 1)),
        ("/b/y", "ab", None),
        ("/" + "(" * 60 + "a" + ")" * 60 + "/", "a", (0, 1)),
    ],
)
def test_patterns_mean_what_they_mean_in_javascript(key, text, span):
    assert compile_key(key).search(text) == span


@pytest.mark.parametrize(
    "key",
    [
        "/(/",
        "/a++/",
        "/a{2,1}/",
        "/(?i)a/",
        "/(?P<n>a)/",
        "/a/ii",
        "/a/x",
        "/\\u{110000}/u",
        "/" + "a" * 3_000 + "/",
    ],
)
def test_what_is_wrong_in_javascript_is_refused(key):
    with pytest.raises(PatternRefused):
        compile_key(key)


def test_case_counts_where_the_key_has_no_flags():
    assert compile_key("A", ignore_case=True).search("a")
    assert compile_key("/A/", ignore_case=True).search("a") is None


def test_what_stands_between_slashes_is_a_pattern():
    assert [is_delimited(key) for key in ("/a/", " /a/gi ", "a", "/a", "/a/q", "//")] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a|aa)+$", "a" * 60 + "b"),
        ("(x+x+)+y", "x" * 2_000),
        ("(.*?,){25}P", "1," * 400),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 5_000),
        ("(a*)*b", "a" * 5_000),
        ("(?=(a+)+$)b", "a" * 999 + "!"),
        ("(a*)*\\1b", "a" * 5_000),
        ("(?:(?:a{1000}){1000}){1000}b", "a" * 5_000),
        ("(?<=a.*)b(?<=(a|aa)+$)", "ab" * 5_000),
    ],
)
def test_no_pattern_runs_for_long(pattern, text):
    compiled = compile_key(f"/{pattern}/")
    with work_below(1), contextlib.suppress(TimeoutError):
        assert compiled.search(text, 0.05) is None


@pytest.mark.parametrize("needed", [0.0, 0.03, 1.0])
def test_time_that_others_take_of_the_machine_fails_no_search(monkeypatch, needed):
    now, began = 100.0, 0

    class Slowed:
        """Others take three quarters of the machine's time."""

        def search(self, text, *, timeout):
            nonlocal now, began
            began += 1
            now += min(timeout / 4, needed)
            if timeout / 4 < needed:
                raise MatchLimitError
            return re.search("b+", text)

    monkeypatch.setattr(time, "thread_time", lambda: now)
    pattern: Any = SafePattern("/b+/", Slowed())  # type: ignore[arg-type]
    if needed < 1:
        assert pattern.search("abb", 0.05) == (1, 3)
    else:
        with pytest.raises(TimeoutError):
            pattern.search("abb", 0.05)
    assert began < 4


def test_a_clock_runs_while_something_is_searched_for_and_stands_still_between(monkeypatch):
    now = 100.0

    class Slow:
        def search(self, text, *, timeout):
            nonlocal now
            now += 2
            return re.search("b", text)

    monkeypatch.setattr(time, "thread_time", lambda: now)
    clock, pattern = PatternTime(3), SafePattern("/b/", Slow())  # type: ignore[arg-type]
    assert clock.finds(pattern, "abb")
    now += 500
    assert clock.seconds == 1
    assert clock.finds(pattern, "abb")
    with pytest.raises(TimeoutError):
        clock.finds(pattern, "abb")
