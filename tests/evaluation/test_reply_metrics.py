"""Which judgements replies need: by metric, question and what the reply rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offbook import registry
from offbook.evaluation.benchmark import Introduction, Question, Subject, SubjectDocument
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.protocols import QuestionsProtocol
from offbook.evaluation.record import RatingKey
from offbook.evaluation.reply_metrics import REPLY_METRICS, opening, rated, reply_judgements
from offbook.prompts.judging import (
    GroundedReply,
    RatingOrNone,
    ReplyWithAnswers,
    ReplyWithEvidence,
    Shown,
)
from tests.evaluation.made import JUDGE, cell, dataset, item, passage, run

ALL = ("ke", "kh", "uqr", "acc", "acc_l", "hs")
HATES = Question("q1", "What do you hate?", answers=("rain", "wet weather"), scope="in")
OPEN = Question("q2", "How are you?")


def asked_for(run_, dataset_, *cells):
    found = QuestionsProtocol().judgements(run_, dataset_, cells)
    return {judgement.keys[0].metric: judgement for judgement in found}


def test_every_metric_is_a_scale_and_every_protocol_is_registered():
    assert set(REPLY_METRICS) <= set(SCALES)
    for name in ("questions", "items", "open_interview"):
        assert hasattr(registry.load("protocol", name)(), "judgements")


def test_a_reply_with_an_answer_and_chunks_is_rated_by_all_metrics_of_the_run():
    found = asked_for(run(ALL), dataset(HATES), cell("q1", context=(passage("She hates rain."),)))
    assert tuple(found) == ALL
    assert found["ke"].inputs == ReplyWithEvidence(
        "Nora Vey", "A clockmaker in Hull.", "What do you hate?", "Rain.", ("rain", "wet weather")
    )
    assert found["acc"].inputs == ReplyWithAnswers(
        "Nora Vey", "What do you hate?", "Rain.", ("rain", "wet weather")
    )
    assert found["hs"].inputs == GroundedReply(
        "Nora Vey",
        "What do you hate?",
        "Rain.",
        ("rain", "wet weather"),
        (Shown("knowledge", "Life\nShe hates rain."),),
    )


def test_without_a_right_answer_there_is_none_to_compare_with():
    found = asked_for(run(ALL), dataset(OPEN), cell("q2", context=(passage("She is well."),)))
    assert tuple(found) == ("ke", "kh", "uqr")


@pytest.mark.parametrize("kind", ["entity", "relation", "memory", "profile"])
def test_hallucinations_are_judged_against_all_that_the_actor_was_given(kind):
    other = replace(passage("She hates rain."), kind=kind)
    found = asked_for(run(ALL), dataset(HATES), cell("q1", context=(other,)))
    assert found["hs"].inputs.context == (Shown(kind, "Life\nShe hates rain."),)
    assert "hs" not in asked_for(run(ALL), dataset(HATES), cell("q1"))


def test_that_a_reply_cannot_be_judged_is_no_score():
    (judgement,) = asked_for(run(("ke",)), dataset(HATES), cell("q1")).values()
    (rating,) = judgement.read(RatingOrNone(analysis="Nothing speaks of it.", rating=None))
    assert (rating.value, rating.unjudged) == (None, True)
    assert not replace(rating, person=4.0).unjudged


def test_a_failed_cell_is_not_judged_nor_one_whose_question_is_gone():
    assert not asked_for(run(ALL), dataset(HATES), cell("q1", None), cell("q9"))


def test_ratings_carry_the_judge_the_run_names_and_the_documents_the_reply_rests_on():
    context = (passage("She hates rain.", document="d1"), passage("And fog.", "c2", "d2"))
    found = asked_for(run(ALL), dataset(HATES), cell("q1", context=context, repeat=2))
    assert found
    for judgement in found.values():
        (key,) = judgement.keys
        assert (key.judge, key.unit, key.repeat, key.variant) == (JUDGE, "q1", 2, "naive")
        assert judgement.documents == {"nora-vey/d1", "nora-vey/d2"}


def test_a_value_off_the_scale_would_be_missing():
    key = RatingKey("Nora Vey", "naive", 0, "ke", "q1", JUDGE)
    rating = rated(key, 11, "It fits.")
    assert rating.value is None
    assert rating.missing is not None
    assert "1 to 10" in rating.missing


def test_who_a_character_is_may_be_told_by_the_opening_of_its_document():
    text = "# Nora\n\nNora Vey repairs clocks.\n\n## Youth\nShe was born in Hull.\n\n" + "x" * 1200
    subject = Subject("Nora Vey", documents=(SubjectDocument("nora.md", text),))
    found = asked_for(run(("ke",)), dataset(HATES, subjects=(subject,)), cell("q1"))
    assert found["ke"].inputs.description == "Nora Vey repairs clocks.\nShe was born in Hull."
    assert found["ke"].documents == {"nora-vey/nora-md"}
    assert len(opening("y" * 9000)) == 1200


def test_who_a_character_is_may_be_told_by_the_character_and_only_where_a_judge_is_told():
    data = dataset(HATES, subjects=(Subject("Nora Vey"),))
    told = {"Nora Vey": Introduction("Nora mends clocks.", ("nora-md", "more-md"))}
    found = asked_for(run(("ke", "acc")), replace(data, introductions=told), cell("q1"))
    assert found["ke"].inputs.description == "Nora mends clocks."
    assert found["ke"].documents == {"nora-vey/nora-md", "nora-vey/more-md"}
    assert found["acc"].documents == frozenset()
    assert replace(data, introductions=told).checksum == data.checksum
    own = asked_for(run(("ke",)), replace(dataset(HATES), introductions=told), cell("q1"))
    assert own["ke"].inputs.description == "A clockmaker in Hull.", "the dataset goes first"


def test_an_item_is_held_against_its_chunks_without_a_right_answer():
    protocol = QuestionsProtocol()
    asked = protocol._places(dataset(item(1, "E/I"))).exchanges(
        [cell("i1", context=(passage("She is shy."),))]
    )
    (judgement,) = reply_judgements(run(("hs",)), asked[0])
    assert judgement.inputs.answers == ()
