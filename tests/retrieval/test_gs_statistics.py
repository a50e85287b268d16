"""How guided selection uses a character's chunks."""

from __future__ import annotations

import pytest

from offbook.retrieval.gs_statistics import GsStatistics, Used, over_characters, statistics
from offbook.retrieval.guided_selection import Selection
from tests.retrieval.test_guided_selection import passages


def test_rates_and_histogram():
    used = [Used(("a", "b"), failed=False), Used(("a", "c", "d"), failed=True, unjudged=2)]
    assert statistics(used, 8) == GsStatistics(2, 0.5, 0.5, {0: 4, 1: 3, 2: 1}, 2)


def test_a_chunk_is_used_once_a_question():
    assert statistics([Used(("a", "a"), failed=False)], 1).duplication == {1: 1}


def test_of_nothing_there_is_no_rate():
    none = statistics([], 0)
    assert (none.usage_rate, none.failure_rate, none.duplication) == (None, None, {})


def test_more_chunks_than_there_are_is_an_error():
    with pytest.raises(ValueError, match="2 chunks were used of 1"):
        statistics([Used(("a", "b"), failed=False)], 1)


def test_characters_weigh_the_same_and_questions_too():
    one = statistics([Used(("a",), failed=True)], 2)
    other = statistics([Used(("a",), failed=False)] * 3, 10)
    both = over_characters([one, other, statistics([], 0)])
    assert both.usage_rate == pytest.approx((0.5 + 0.1) / 2)
    assert both.failure_rate == pytest.approx(1 / 4)
    assert both.duplication == {0: 10, 1: 1, 3: 1}
    assert both.questions == 4
    assert both.as_json()["questions"] == 4


def test_a_selection_is_read():
    found = passages(3)
    selection = Selection(tuple(found[:2]), True, 3, 2, ((found[2], "rubbish"),))
    assert Used.of(selection) == Used(("c0", "c1"), failed=True, unjudged=1)
