import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.cards import MacroValues, expand
from tests.sizes import examples
from tests.waiting import work_below

NOW = datetime(2026, 3, 1, 9, 5, tzinfo=UTC)
VALUES = MacroValues("Mira", "Sam", "a sailor", "base", NOW, seed="s")


def made(text, values=VALUES):
    return expand(text, values).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{char}} {{CHAR}} {{ Char }} <BOT> <char>", "Mira Mira Mira Mira Mira"),
        ("{{user}} <USER> <user>", "Sam Sam Sam"),
        ("{{persona}}/{{original}}", "a sailor/base"),
        ("{{time}} {{date}} {{weekday}}", "09:05 March 1, 2026 Sunday"),
        ("a{{newline}}b{{noop}}c", "a\nbc"),
        ("a\n\n{{trim}}\n\nb\n{{trim}}", "ab"),
        ("{{// a note }}x{{comment: y}}", "x"),
        ("{{reverse:abc}} {{reverse:{{char}}}}", "cba ariM"),
        ("{{random:a\\,b}}", "a,b"),
        ("{{random::a,b}}", None),
        ("{{user}}'s <b>{{char}}</b>", "Sam's <b>Mira</b>"),
        (
            "{{unknown}} {{getvar::x}} {{roll:x}} {{roll:0}}",
            "{{unknown}} {{getvar::x}} {{roll:x}} {{roll:0}}",
        ),
        ("{{ {{user}} }} }} {{", "{{ Sam }} }} {{"),
        ("no macros", "no macros"),
    ],
)
def test_macros_are_replaced(text, expected):
    if expected is None:
        assert made(text) in ("a", "b")
    else:
        assert made(text) == expected


def test_what_is_put_in_is_not_read_again():
    values = MacroValues("{{user}}", "<char>{{random:x}}")
    assert made("{{char}} {{user}}", values) == "{{user}} <char>{{random:x}}"


def test_hidden_keys_are_for_searches_alone():
    expanded = expand("a{{hidden_key: lighthouse}}b", VALUES)
    assert (expanded.text, expanded.hidden_keys) == ("ab", ("lighthouse",))


def test_choices_follow_from_the_seed():
    text = "{{random:a,b,c,d}}{{pick:a,b,c,d}}{{roll:d20}}"
    assert made(text) == made(text)
    seen = {made("{{random:a,b,c}}", MacroValues("M", seed=str(n))) for n in range(40)}
    assert seen == {"a", "b", "c"}
    picks = {made("{{pick:a,b,c}}", MacroValues("M", seed="s", turn=str(n))) for n in range(40)}
    assert len(picks) == 1
    turns = {made("{{random:a,b,c}}", MacroValues("M", seed="s", turn=str(n))) for n in range(40)}
    assert len(turns) == 3


@pytest.mark.parametrize(
    ("dice", "least", "most"), [("6", 1, 6), ("d20", 1, 20), ("2d4", 2, 8), ("1d1", 1, 1)]
)
def test_dice_stay_within_their_sides(dice, least, most):
    text = "{{roll:" + dice + "}}"
    rolls = {int(made(text, MacroValues("M", seed=str(n)))) for n in range(200)}
    assert min(rolls) >= least
    assert max(rolls) <= most
    assert len(rolls) >= min(6, most - least + 1)


@settings(max_examples=examples(150))
@given(st.text(st.sampled_from("{}<>:,/ acharuseronm\n"), max_size=60))
def test_any_text_can_be_expanded(text):
    expanded = expand(text, VALUES)
    if "{{" not in text and not re.search("<(?:char|bot|user)>", text):
        assert expanded.text == text


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 100_000,
        "{{random:" * 50_000,
        "}}" * 100_000,
        "{{reverse:" * 9 + "a" * 10**6 + "}}" * 9,
        "{{trim}}" + "\n" * 300_000,
        "{{x}}" * 100_000,
        "<" * 300_000,
    ],
)
def test_a_hostile_text_takes_little_time(text):
    with work_below(5):
        expanded = expand(text, VALUES)
    assert len(expanded.unknown) <= 200
