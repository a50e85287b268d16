"""Memories that a question means: what is asked for comes first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from offbook.models.builtin import embed_texts
from offbook.prompts.emotion import read_memory, write_memory, write_told
from offbook.retrieval.memories import MemoryIndex
from offbook.retrieval.memory_search import (
    Meant,
    Ranked,
    is_of_asker,
    rank,
    tells_nothing,
    told_item,
    with_felt,
)
from offbook.retrieval.search import encode_terms
from offbook.stores.memories import BankState
from offbook.text.emotion_names import names_feeling
from offbook.types import MemoryFragment

CALM, FURIOUS = [1.0] * 8, [1.0] * 6 + [10.0, 1.0]
TOLD = (
    "My sister sells apples at the market.",
    "The bridge was painted green.",
    "A thief has robbed us, and I am furious!",
    "There was snow in the valley.",
    "The baker closes early on Mondays.",
    "We heard the bells at night.",
    "The ferry was late again.",
    "Somebody lost a glove.",
)


def index(*texts: str, **more: object) -> MemoryIndex:
    size = len(texts)
    made = MemoryIndex(
        BankState(),
        "set",
        tuple(f"m{place}" for place in range(size)),
        tuple(range(size)),
        tuple(f"t{place}" for place in range(size)),
        (None,) * size,
        tuple(map(encode_terms, texts)),
        matrix=embed_texts(list(texts)),
        emotions=np.array([FURIOUS if "furious" in text else CALM for text in texts], np.float32),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def ranked(question: str, of: MemoryIndex, emotion: list[float] | None = None) -> list[str]:
    meant = Meant(question, embed_texts([question])[0], emotion)
    return [one.id for one in rank(of, meant, 99)]


def test_what_is_asked_for_comes_before_what_is_only_felt_alike():
    assert ranked("What does my sister sell?", index(*TOLD), FURIOUS)[0] == "m0"
    assert ranked("What is it?", index(*TOLD), FURIOUS)[0] == "m2"


def test_what_was_felt_as_the_question_comes_behind_the_first_that_it_means():
    made = index(*TOLD)
    order = (0, 1, 3, 4, 5, 6, 2, 7)
    plain = [Ranked(f"m{row}", 1 - place / 10, 1.0) for place, row in enumerate(order)]
    felt = with_felt(made, FURIOUS, plain, 3, 8)
    assert [one.id for one in felt[:4]] == ["m0", "m1", "m3", "m2"]
    assert sorted(felt) == sorted(plain)
    # What lies beyond the pool is not looked at, and few memories have no further places.
    assert with_felt(made, FURIOUS, plain, 3, 6)[6].id == "m2"
    assert with_felt(made, FURIOUS, plain, 9, 8) == plain


def test_a_question_names_a_feeling():
    for question in (
        "How angry were you?", "What did you feel then?", "Warst du traurig?",
        "Что ты чувствовал?", "你什么时候最害怕？",
    ):  # fmt: skip
        assert names_feeling(question), question
    for question in ("What is your job?", "Wo wohnst du?", "Где ты живёшь?", "你吃什么？"):
        assert not names_feeling(question), question


def test_of_equal_ones_the_later_comes_first():
    texts = ("I drive a van.", *TOLD[1:], "I drive a van.")
    assert ranked("What van do you know?", index(*texts))[:2] == ["m8", "m0"]


def test_words_that_stand_for_those_of_the_question_count():
    texts = ("My daughter plays the harp.", *TOLD[1:])
    assert ranked("Have I any children?", index(*texts))[0] == "m0"


def test_who_asks_of_themselves_is_told_what_they_told():
    texts = ("I was robbed of my boat.", *TOLD[1:7], "Somebody lost a boat.")
    authored = (None, *(f"t{place}" for place in range(1, 8)))
    assert ranked("Was my boat lost?", index(*texts, turns=authored))[0] == "m7"
    for question in ("What is my job?", "Where do I live?", "Which food is bad for me?"):
        assert is_of_asker(question)
    for question in ("What is your job?", "Tell me about your sister.", "Who is Ilse?"):
        assert not is_of_asker(question)


def test_a_distilled_turn_is_not_among_them_and_what_is_superseded_counts_for_the_later():
    kinds = ("fact", "fact", *(None,) * 6)
    made = index(*TOLD, kinds=kinds, retired={"m0": "m1", "m2": None})
    found = ranked("What does my sister sell?", made)
    assert found[0] == "m1"
    assert not {"m0", "m2"} & set(found)
    assert len(found) == 6
    # Where the later is not seen, as before a point of the story, the earlier counts.
    gone = index(*TOLD, kinds=kinds, retired={"m0": "elsewhere"})
    assert ranked("What does my sister sell?", gone)[0] == "m0"


@pytest.mark.parametrize("kind", ["fact", None])
def test_a_memory_is_told_without_its_old_answer(kind):
    authored = MemoryFragment("m", "Who?", "I.")
    assert told_item(authored, 1.0).text == write_memory("Who?", "I.")
    talked = replace(authored, said="I am Nora.", session="s", turn="t", kind=kind)
    assert read_memory(told_item(talked, 1.0).text) == ("I am Nora.", "")
    own = replace(authored, said="", session="s", turn="t", kind="own_word")
    assert told_item(own, 1.0).text == write_told("", "I.")
    assert read_memory(write_told("", "I.", ["We."])) == ("", "I.")


def test_a_turn_of_questions_tells_nothing_unless_it_tells_by_the_way():
    def turn(said: str) -> MemoryFragment:
        return MemoryFragment("m", said, "So.", session="s", turn="t")

    assert tells_nothing(turn("Who are you? And where?"))
    assert not tells_nothing(turn("Do you know my sister Ilse?"))
    assert not tells_nothing(turn("Who are you? I am Nora."))
    assert not tells_nothing(MemoryFragment("m", "Who are you?", "I."))
