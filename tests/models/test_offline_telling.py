"""Which sentences are told, and how they are put together."""

from __future__ import annotations

from typing import Any

import pytest

from offbook.language.names import learn_names
from offbook.language.questions import read_question
from offbook.models.offline.editorial import is_editorial, without_editorial
from offbook.models.offline.evidence import gather
from offbook.models.offline.telling import Telling, Wanted, is_said
from offbook.types import ContextItem


def tell(text: str, question: str, said: str = "", **more: Any) -> list[str]:
    evidence = gather([ContextItem("knowledge", "", text, 1.0)])
    names = learn_names("Nora Vey", [], [text, "Nora Vey is a smith. She works."])
    asked = read_question(question, names.words)
    wanted = Wanted(about_self=not asked.names, **more)
    return Telling(evidence, names).answer(evidence.hits(asked), said, wanted)


def test_a_sentence_that_leans_on_the_one_before_brings_it_along():
    text = "Nora built a great clock. It struck thirteen at noon."
    assert tell(text, "What struck thirteen?") == [
        "I built a great clock.",
        "It struck thirteen at noon.",
    ]


def test_a_short_answer_goes_on_with_the_next_sentence_about_the_character():
    text = "Nora hates rain. She stays at home then. The baker does not."
    assert tell(text, "Do you hate rain?") == ["I hate rain.", "I stay at home then."]


def test_it_does_not_go_on_with_what_is_not_about_the_character():
    assert tell("Nora hates rain. The baker likes it.", "Do you hate rain?") == ["I hate rain."]


def test_half_a_quotation_is_not_told():
    text = 'Nora shouted at the miller "you owe me. You never paid" and left the mill.'
    assert tell(text, "Did you shout at the miller?") == []


def test_what_was_said_is_worth_as_much_as_is_wished():
    text = "Nora hates rain in spring.\n\nNora left town for the rain."
    asked, said = "What of the rain?", "I hate rain in spring."
    both = ["I hate rain in spring.", "I left town for the rain."]
    assert tell(text, asked, said, worth_again=1.0) == both
    assert tell(text, asked, said, worth_again=0.4) == both[1:]
    assert tell(text, asked, said, more=True) == both[1:]
    assert tell(text, asked, " ".join(both), worth_again=0.4) == both
    assert tell(text, asked, " ".join(both), more=True) == []


def test_a_sentence_is_known_again_without_its_link():
    assert is_said("However, I sold it.", "I sold it.")
    assert is_said("I sold it.", "In the end I was poor. I sold it.")
    assert not is_said("I sold it.", "I kept it.")
    assert not is_said("", "I kept it.")


def test_the_same_thing_is_not_told_twice():
    text = "Nora hates cold rain in spring. In spring Nora hates cold rain. She sells clocks."
    told = tell(text, "Do you hate the cold rain in spring?")
    assert sum("rain" in sentence for sentence in told) == 1


def test_who_did_it_to_the_character_is_not_what_the_character_did():
    text = (
        "Nora taught piano to the daughters of the mayor.\n\nAn uncle from York taught Nora Latin."
    )
    evidence = gather([ContextItem("knowledge", "", text, 1.0)])
    question = read_question("Who taught you?")
    assert question.done_to_you == "taught"
    told = Telling(evidence, learn_names("Nora", [], [text])).answer(
        evidence.hits(question), "", Wanted(done_to_me=question.done_to_you)
    )
    assert told[-1] == "An uncle from York taught me Latin."
    assert len(told) == 1


def test_the_order_is_that_of_the_text():
    text = "Nora feared storms on the reef. Years went by. Nora loved the storms of autumn."
    # The second fits the question better, and is told second all the same.
    assert tell(text, "Which storms did you love?") == [
        "I feared storms on the reef.",
        "I loved the storms of autumn.",
    ]


def test_a_link_to_a_sentence_that_is_not_told_is_dropped():
    text = "The year was wet. However, Nora loved the storms over the harbour and the long nights."
    assert tell(text, "Did you love the storms?")[0].startswith("I loved the storms")


def test_a_sentence_of_certain_meaning_goes_before_a_doubtful_one():
    text = (
        "When Ada met Nora she was tired of the mill.\n\n"
        "Nora was tired of the mill in the end, and she sold it to a miller from York."
    )
    assert tell(text, "Were you tired of the mill?")[0].startswith("I was tired of the mill")


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("I was born in Hull [1][citation needed].", "I was born in Hull."),
        ("- **I hate rain.**", "I hate rain."),
        ("I (/nɔːrə/ NOR-a) was born.", "I was born."),
        ("I (born 1871; died (it is said) 1940) was a smith.", "I was a smith."),
        ("I sold it (which I regret) to Tom.", "I sold it (which I regret) to Tom."),
        ("According to the records, I was poor.", "I was poor."),
        ("It is said that I was poor.", "I was poor."),
        ("Some historians believe that I was poor.", "I was poor."),
        ("Smith states that I was poor.", "I was poor."),
        ("I was, according to Smith, poor.", "I was poor."),
    ],
)
def test_editorial_parts_are_taken_off(written, spoken):
    assert without_editorial(written) == spoken


def test_a_heading_about_works_weighs_less_than_one_about_the_life():
    items = [
        ContextItem("knowledge", "Nora Vey, In popular culture", "Nora hates rain and fog.", 1.0),
        ContextItem("knowledge", "Nora Vey, Youth", "Nora hates rain and mud at home.", 0.9),
    ]
    evidence = gather(items)
    names = learn_names("Nora Vey", [], ["Nora Vey is a smith. She works."])
    asked = read_question("Do you hate rain?")
    told = Telling(evidence, names).answer(evidence.hits(asked), "", Wanted())
    assert told[0] == "I hate rain and mud at home."


def test_talk_about_works_and_sources_is_known():
    assert is_editorial("I am a fictional character in a novel.")
    assert is_editorial("Smith has suggested that I was poor.")
    assert is_editorial("Smith and John Brown assert that I was poor.")
    assert is_editorial("Pliny the Elder reports in his History that I was poor.")
    assert is_editorial("It is unclear if I was poor.")
    assert is_editorial("The author revealed that my shop was one of the films.")
    assert not is_editorial("Tom and I argue about clocks.")
    assert not is_editorial("The miller said that he was poor.")
    assert not is_editorial("I was poor and sold clocks.")
