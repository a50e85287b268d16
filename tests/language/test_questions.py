"""What a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.text.questions import read_question
from tests.tables import cases


@pytest.mark.parametrize(("text", "kind"), cases(__file__, "the kind is read from"))
def test_the_kind_is_read_from_its_words(text, kind):
    assert read_question(text).kind == kind


@pytest.mark.parametrize(("text", "courtesy"), cases(__file__, "small talk is told from"))
def test_small_talk_is_told_from_questions(text, courtesy):
    own = frozenset(("ludwig", "beethoven"))
    assert read_question(text, own).courtesy == courtesy


def test_a_feeling_is_named():
    assert read_question("I'm really anxious about tomorrow.").feeling == "anxious"


def test_names_are_found_and_the_character_s_own_is_not_among_them():
    question = read_question(
        "Beethoven, did Joseph Haydn and the Archduke of Austria meet you?",
        frozenset(["beethoven"]),
    )
    assert question.names == ("Joseph Haydn", "Archduke of Austria")
    assert all(term.term != "beethoven" for term in question.terms)


def test_a_sign_that_belongs_to_a_name_is_kept():
    assert read_question("I want to learn C++, could you help?").names == ("C++",)


def test_initials_are_one_name():
    question = read_question("What is S.P.E.W.?")
    assert question.names == ("S.P.E.W.",)
    assert not question.follow_up


def test_names_weigh_more_than_things_and_things_more_than_general_words():
    question = read_question("What did Haydn say about your telescope and your life?")
    weights = {term.word: term.weight for term in question.terms}
    assert weights["Haydn"] > weights["telescope"] > weights["life"]


@pytest.mark.parametrize(
    "text", ["Why?", "Tell me more.", "And then?", "What did he say?", "How so?"]
)
def test_a_question_that_leans_on_the_turn_before_is_marked(text):
    assert read_question(text).follow_up


def test_a_question_of_its_own_is_not_a_follow_up():
    assert not read_question("Who taught you the piano?").follow_up


@pytest.mark.parametrize(("text", "term"), cases(__file__, "a turn of phrase stands for"))
def test_a_turn_of_phrase_stands_for_what_it_asks(text, term):
    assert term in {one.word for one in read_question(text).terms}


@given(st.text(max_size=120))
def test_anything_said_can_be_read(text):
    assert read_question(text, frozenset(["nora"])).text == text
