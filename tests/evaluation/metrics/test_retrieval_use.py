"""How a method uses a character's chunks."""

from __future__ import annotations

import json

import pytest

from offbook.evaluation.metrics.retrieval_use import (
    CharacterUse,
    Used,
    character_use,
    over_characters,
)
from offbook.types import ContextItem, Source


def test_rates_and_histogram():
    used = [Used(("a", "b"), failed=False), Used(("a", "c", "d"), failed=True, unjudged=2)]
    use = character_use(used, 8)
    assert use == CharacterUse(2, 8, 4, (False, True), {0: 4, 1: 3, 2: 1}, 2)
    assert (use.usage_rate, use.failure_rate) == (0.5, 0.5)


def test_a_chunk_is_used_once_a_question():
    assert character_use([Used(("a", "a"))], 1).duplication == {1: 1}


def test_of_nothing_there_is_no_rate():
    none = character_use([], 0)
    assert (none.usage_rate, none.failure_rate, none.duplication) == (None, None, {})
    both = over_characters([none])
    assert str(both.usage_rate) == "- (n = 0, 1 missing)"
    assert str(both.failure_rate) == "- (n = 0)"


def test_more_chunks_than_there_are_is_an_error():
    with pytest.raises(ValueError, match="2 chunks were used of 1"):
        character_use([Used(("a", "b"))], 1)


def test_a_method_that_does_not_select_has_no_failure_rate():
    use = over_characters([character_use([Used(("a",)), Used(("b",))], 4)])
    assert use.usage_rate.mean == 0.5
    assert use.failure_rate.mean is None
    assert use.failure_rate.missing == 0


def test_characters_weigh_the_same_and_questions_too():
    one = character_use([Used(("a",), failed=True)], 2)
    other = character_use([Used(("a",), failed=False)] * 3, 10)
    both = over_characters([one, other, character_use([], 0)])
    assert both.usage_rate.mean == pytest.approx((0.5 + 0.1) / 2)
    assert (both.usage_rate.n, both.usage_rate.missing) == (2, 1)
    assert both.failure_rate.mean == pytest.approx(1 / 4)
    assert both.failure_rate.n == 4
    assert both.duplication == {0: 10, 1: 1, 3: 1}
    assert both.questions == 4
    assert json.loads(json.dumps(both.as_json()))["characters"] == 3


def test_one_character_has_rates_and_no_interval():
    alone = over_characters([character_use([Used(("a",), failed=True), Used((), failed=False)], 2)])
    assert alone.usage_rate.interval is None
    assert alone.failure_rate.interval is None
    assert alone.failure_rate.mean == 0.5


def test_a_recall_is_read_by_the_chunks_whose_text_it_holds():
    def item(kind, *chunks):
        return ContextItem(kind, "", "", 1.0, tuple(Source("d", chunk, 0, 1) for chunk in chunks))

    context = [item("profile", "p"), item("knowledge", "b"), item("knowledge", "a", "b")]
    assert Used.of_context(context, failed=True) == Used(("b", "a"), failed=True)
    inferred = [*context, item("attribute", "c")]
    assert Used.of_context(inferred, kinds=("attribute",)) == Used(("c",))
