"""The summary of a cluster by rules: central sentences, as the passages have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.prompts.summaries import SUMMARIZE_CLUSTER, ClusterInputs
from offbook.rules.summaries import summarize_cluster
from offbook.text.tokens import count_tokens

LAMP = "Childhood\nTom Byrne taught Ada Byrne to trim the lamp. The kettle was blue."
GALE = "Tom Byrne drowned in the gale. Ada Byrne trimmed the lamp that night."


def summary(*passages: str) -> str:
    return summarize_cluster(ClusterInputs("Ada Byrne", passages)).summary


def test_it_says_what_passages_have_in_common_without_their_headings():
    told = summary(LAMP, GALE)
    assert "Tom Byrne taught Ada Byrne to trim the lamp." in told
    assert "Childhood" not in told


def test_of_much_the_central_sentences_are_kept_in_their_order():
    many = [
        f"In year {n} Tom Byrne trimmed the lamp with Ada Byrne and {n} others." for n in range(9)
    ]
    odd = [
        f"Kettle {n} was of copper, zinc and brass from somewhere quite far off." for n in range(60)
    ]
    told = summary(" ".join(odd[:30]), " ".join(many), " ".join(odd[30:]))
    assert count_tokens(told) <= 200
    assert "Tom Byrne" in told
    years = [int(part.split()[2]) for part in told.split(". ") if part.startswith("In year")]
    assert years == sorted(years)


def test_scripts_without_blanks_are_put_together_without_blanks():
    assert summary("诺拉在赫尔修钟。她的父亲是水手。", "她讨厌雨。") == (
        "诺拉在赫尔修钟。她的父亲是水手。她讨厌雨。"
    )


def test_where_no_sentence_is_short_enough_it_begins_as_the_first_passage_does():
    long = "lamp " * 2_000
    told = summary(long)
    assert told.startswith("lamp lamp")
    assert count_tokens(told) <= 200


@pytest.mark.parametrize("passages", [(), ("",), ("***",), ("# Heading\n",)])
def test_there_is_always_something(passages):
    assert summary(*passages).strip()


STORABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


@given(st.lists(st.text(STORABLE, max_size=300), max_size=6))
def test_any_passages_have_a_summary_that_can_be_written(passages):
    inputs = ClusterInputs("Ada", tuple(passages))
    found = summarize_cluster(inputs)
    assert SUMMARIZE_CLUSTER.answer.parse(SUMMARIZE_CLUSTER.answer.write(found)) == found
    assert SUMMARIZE_CLUSTER.check is not None
    SUMMARIZE_CLUSTER.check(inputs, found)
