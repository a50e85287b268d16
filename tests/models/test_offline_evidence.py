"""Which sentences bear on a question: cutting the context, and the time that it takes."""

from __future__ import annotations

from time import perf_counter

from offbook.language.questions import read_question
from offbook.models.offline.evidence import gather
from offbook.types import ContextItem


def texts(*contents: str) -> list[str]:
    items = [ContextItem("knowledge", "", content, 1.0) for content in contents]
    return [sentence.text for sentence in gather(items).sentences]


def test_a_sentence_goes_on_to_the_end_of_its_brackets():
    text = "Nora (b. in Hull, lit. Honour; d. in York) was a smith. She sang."
    assert texts(text) == ["Nora (b. in Hull, lit. Honour; d. in York) was a smith.", "She sang."]


def test_a_bracket_that_is_never_closed_keeps_no_sentence_back():
    assert texts("Nora (a smith. She sang. She left.") == [
        "Nora (a smith.",
        "She sang.",
        "She left.",
    ]


def test_a_sentence_of_two_items_counts_once():
    assert texts("Nora sang. She left.", "Nora sang. She stayed.") == [
        "Nora sang.",
        "She left.",
        "She stayed.",
    ]


def test_the_time_of_scoring_grows_with_the_length_only():
    def seconds(number: int) -> float:
        text = " ".join(f"Nora sold clock{n} to miller{n}." for n in range(number))
        evidence = gather([ContextItem("knowledge", "", text, 1.0)])
        question = read_question("Who bought clock7 from you?")
        start = perf_counter()
        evidence.hits(question)
        return perf_counter() - start

    seconds(500)
    small = max(min(seconds(1_000) for _ in range(3)), 0.002)
    assert min(seconds(8_000) for _ in range(3)) < 24 * small  # 8 for linear, 64 for quadratic
