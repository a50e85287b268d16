import contextlib
import re
import time

import pytest

from offbook.cards.javascript_regex import (
    PatternRefused,
    SafePattern,
    Stopwatch,
    compile_key,
    is_delimited,
)
from tests.waiting import work_below


@pytest.mark.parametrize(
    ("key", "text", "span"),
    [
        ("/b+?/", "abb", (1, 2)),
        ("/^b/m", "a\u2028b", (2, 3)),
        ("/^b/", "a\nb", None),
        ("/a$/", "a\n", None),
        ("/a$/m", "a\nb", (0, 1)),
        ("/a.b/", "a\nb", None),
        ("/a.b/s", "a\nb", (0, 3)),
        ("/a{2}b{,1}c{x}/", "aab{,1}c{x}", (0, 11)),
        ("/a{1,}b{0,2}?/", "aab", (0, 2)),
        ("/}]/", "}]", (0, 2)),
        ("/[]/", "a", None),
        ("/[^]/", "\n", (0, 1)),
        ("/[a\\-z]+/", "m-z", (1, 3)),
        ("/[-a]+/", "-a", (0, 2)),
        ("/[a-]+/", "a-", (0, 2)),
        ("/[\\b]/", "\b", (0, 1)),
        ("/[\\d\\s]+/", "x1 2", (1, 4)),
        ("/[\\D]+/", "12ab", (2, 4)),
        ("/[^\\W]+/", "- ab_9", (2, 6)),
        ("/[\\S]+/", "\u3000ab", (1, 3)),
        ("/\\D\\W\\S/", "a-b", (0, 3)),
        ("/\\w+/", "é", None),
        ("/\\bé\\b/", "é", None),
        ("/\\Bb/", "ab", (1, 2)),
        ("/\\x41\\u0042\\u{43}\\cX?/", "ABC", None),
        ("/\\x41\\u0042\\u{43}/u", "ABC", (0, 3)),
        ("/\\0\\t\\n\\v\\f\\r/", "\0\t\n\v\f\r", (0, 6)),
        ("/\\p{L}/u", "1ä", (1, 2)),
        ("/\\p{L}/", "p{L}", (0, 4)),
        ("/(a)(?:b)(?=c)(?!d)\\1?/", "abc", (0, 2)),
        ("/(?<=a)b(?<!x)/", "ab", (1, 2)),
        ("/(?<n>a)\\k<n>/", "aa", (0, 2)),
        ("/\\/\\.\\-\\]/", "/.-]", (0, 4)),
        ("/a|b/gimsy", "B", (0, 1)),
        ("A", "a", None),
        ("[[:alpha:]]", "a", None),
        ("/\\L<x>\\m/", "L<x>m", (0, 5)),
    ],
)
def test_patterns_mean_what_they_mean_in_javascript(key, text, span):
    assert compile_key(key).search(text) == span


@pytest.mark.parametrize(
    "key",
    [
        "/(/",
        "/)/",
        "/a**/",
        "/a++/",
        "/*/",
        "/a{2,1}/",
        "/[z-a]/",
        "/[a/",
        "/(?i)a/",
        "/(?P<n>a)/",
        "/\\2(a)/",
        "/\\k<n>/",
        "/(?>a)/",
        "/a/ii",
        "/a/x",
        "a\\",
        "/\\u{110000}/u",
        "/\\p{Nonsense}/u",
        "/(?<n>a)(?<n>b)/",
        "/" + "a" * 3_000 + "/",
        "/" + "(" * 60 + ")" * 60 + "/",
        "/" + "()" * 200 + "/",
        "/(a{99}){99}/",
        "/a|(?R)/",
    ],
)
def test_what_is_wrong_or_not_translated_is_refused(key):
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
    ],
)
def test_no_pattern_runs_for_long(pattern, text):
    compiled = compile_key(f"/{pattern}/")
    with work_below(1), contextlib.suppress(TimeoutError):
        assert compiled.search(text, 0.05) is None


@pytest.mark.parametrize("needed", [0.0, 0.03, 1.0])
def test_time_that_other_threads_of_the_process_take_fails_no_search(monkeypatch, needed):
    now, began = 100.0, 0

    class Slowed:
        """Others take three quarters of the process's time."""

        def search(self, text, *, timeout, concurrent):
            nonlocal now, began
            began += 1
            now += min(timeout / 4, needed)
            if timeout / 4 < needed:
                raise TimeoutError
            return re.search("b+", text)

    monkeypatch.setattr(time, "thread_time", lambda: now)
    pattern = SafePattern("/b+/", Slowed())
    if needed < 1:
        assert pattern.search("abb", 0.05) == (1, 3)
    else:
        with pytest.raises(TimeoutError):
            pattern.search("abb", 0.05)
    assert began < 4


def test_a_stopwatch_runs_while_something_is_searched_for_and_stands_still_between():
    now = 100.0

    def search(seconds, fails=False):
        nonlocal now
        now += seconds
        if fails:
            raise TimeoutError
        return "found"

    watch = Stopwatch(3, clock=lambda: now)
    assert watch.timed(lambda: search(1)) == "found"
    now += 500
    assert watch.left == 2
    with pytest.raises(TimeoutError):
        watch.timed(lambda: search(4, fails=True))
    assert watch.left == -2


def test_a_stopwatch_counts_work_and_not_what_others_take_of_the_machine():
    watch = Stopwatch(0.2)
    watch.timed(lambda: time.sleep(0.25))
    assert 0 < watch.left <= 0.2

    def work():
        ends = time.thread_time() + 0.25
        while time.thread_time() < ends:
            pass

    watch.timed(work)
    assert watch.left < 0
