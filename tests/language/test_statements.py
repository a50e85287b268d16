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
        "My sister is called Ilse, and she never married.",
        "I never saw the sea, but Ilse did.",
        "Ilse, who never married, is my sister.",
        "Ilse, my sister, came.",
        "Ilse never married.",
        "May came yesterday.",
        "Grant came yesterday.",
        "No, Ilse came.",
        "MY SISTER IS CALLED ILSE",
        "My dog, Rex, loves me.",
        "Ole taught Ilse to swim.",
        "我的妹妹叫小红，她不喜欢茶。",
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


@pytest.mark.parametrize(
    "said",
    [
        "I have a question about Napoleon.",
        "I need information about Gudrun.",
        "I would like a story about Gudrun.",
        "I'd like some facts on Napoleon.",
        "I'm interested in Napoleon.",
        "The next topic is Napoleon.",
        "My next topic is Napoleon.",
        "My question is about Napoleon.",
        "Napoleon is next.",
        "More about Napoleon please.",
        "We should talk about Napoleon.",
        "관심은 나폴레옹에 대해 있습니다.",
        "我想知道小红的事。",
    ],
)
def test_a_request_or_a_topic_tells_nothing(said):
    assert told_sentences(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Holmes, describe Gudrun.",
        "holmes, describe gudrun",
        "Holmes, who is Gudrun",
        "who is Gudrun, and why",
        "My dear Holmes, remember Gudrun.",
        "Describe Grant.",
        "was Grant there",
        "Can Grant swim",
        "Will Grant come",
        "If Gudrun were here, all would be well.",
    ],
)
def test_whoever_is_spoken_to_may_stand_before_an_order_and_a_name_may_be_a_verb(said):
    assert not is_statement(said)


@pytest.mark.parametrize(
    "said",
    [
        "I have no idea who Gudrun is.",
        "I forgot who Gudrun is.",
        "Nobody has heard of Gudrun.",
        "No one here knows Gudrun.",
        "Gudrun is unknown to me.",
        "Gudrun does not exist.",
        "It isn't known who Gudrun was.",
        "I never met Holmes, Gudrun or Rose.",
        "我没听说过王小明。",
        "王さんを知らない。",
        "민수는 모르겠어요.",
    ],
)
def test_what_is_not_known_is_not_told(said):
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
        ("I have no friend called Rose.", "Rose", False),
        ("I have no sister, and no friend called Rose.", "Rose", False),
        ("I am old, and I never met Holmes, Gudrun or Rose.", "Gudrun", False),
        ("我很老，我没见过小红。", "小红", False),
        ("My sister is called Ilse, and she never married.", "Ilse", True),
        ("Ilse never married.", "Ilse", True),
        ("I am old, and my aunt Ilse does not drink.", "Ilse", True),
        ("我的妹妹叫小红，她不喜欢茶。", "小红", True),
        ("Dr Watson came.", "Dr. Watson", True),
    ],
)
def test_a_name_is_told_and_a_word_is_not(sentence, name, expected):
    assert names(sentence, name) is expected


@given(st.text(max_size=200), st.text(min_size=1, max_size=12))
def test_any_text_is_read(text, name):
    for sentence in told_sentences(text):
        assert sentence
        assert names(sentence, name) in (True, False)
