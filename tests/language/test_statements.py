"""What a person tells, and what they only ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.language.statements import is_statement, names, told_sentences


@pytest.mark.parametrize(
    "said",
    [
        "My sister is called Ilse.",
        "my sister is called ilse",
        "Ilse is my sister.",
        "I'm Sam",
        "Call me Sam.",
        "My father asked Ilse to marry him.",
        "When I was young, my brother Ole drowned.",
        "Will is my brother.",
        "We had two cats, Pim and Pom.",
        "Well, my sister came.",
        "我的妹妹叫小红。",
        "私の妹は花子です。",
        "제 동생은 민수입니다.",
    ],
)
def test_what_tells(said):
    assert is_statement(said)
    assert told_sentences(said) == [said]


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Gudrun.",
        "Who is Gudrun?",
        "who is Gudrun",
        "When did Gudrun come",
        "Do you know Gudrun",
        "Is Gudrun tall",
        "Gudrun, who is that",
        "What about Gudrun",
        "Tell me about Gudrun.",
        "Please describe Gudrun.",
        "Remember Gudrun!",
        "I want to know about Gudrun.",
        "I was wondering who Gudrun is.",
        "I asked about Gudrun.",
        "Let's talk about Gudrun.",
        "I don't know Gudrun.",
        "You met Gudrun in Paris.",
        "Your sister is called Gudrun.",
        "你认识小红吗？",
        "小红是谁",
        "花子を知っていますか",
        "민수는 누구입니까",
    ],
)
def test_what_asks_wishes_or_speaks_of_you_tells_nothing(said):
    assert told_sentences(said) == []


def test_of_several_sentences_those_that_tell():
    said = "Hello Ada. My sister is called Ilse. Do you like her?"
    assert told_sentences(said) == ["My sister is called Ilse."]


def test_a_question_tells_whose_somebody_is():
    assert told_sentences("Do you remember my little sister Ilse Berg?") == [
        "my little sister Ilse Berg"
    ]


@pytest.mark.parametrize(
    ("sentence", "name", "expected"),
    [
        ("My sister is called Ilse.", "Ilse", True),
        ("my sister is called ilse", "Ilse", True),
        ("my sister is called grace", "Grace", True),
        ("I met Ilse Berg.", "ilse", True),
        ("Ilse is my sister.", "Ilse", True),
        ("I have an iPhone.", "iphone", True),
        ("我的妹妹叫小红。", "小红", True),
        ("I have a smartphone.", "smartphone", False),
        ("Smartphones are fine.", "Smartphones", False),
        ("I saw Ilsebill.", "Ilse", False),
        ("I saw nobody.", "Ilse", False),
        ("我的妹妹叫小红。", "小明", False),
    ],
)
def test_a_name_is_told_and_a_word_is_not(sentence, name, expected):
    assert names(sentence, name) is expected


@given(st.text(max_size=200), st.text(min_size=1, max_size=12))
def test_any_text_is_read(text, name):
    for sentence in told_sentences(text):
        assert sentence
        assert names(sentence, name) in (True, False)
