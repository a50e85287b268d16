from __future__ import annotations

import gc
import weakref

import pytest

from offbook.documents.acts import ACTSSplitter
from offbook.documents.bulk import MANY, collector_paused
from tests.documents.texts import document


def test_the_collector_is_back_after_the_block_even_after_an_error():
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="x"), collector_paused():
        raise ValueError("x")
    assert gc.isenabled()
    ACTSSplitter().split(document("# A\ntext"))
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


class Node:
    """Refers to itself: only the collector can free it."""

    def __init__(self) -> None:
        self.me = self


def test_much_that_was_made_is_not_visited_at_once_but_is_collected_later():
    gc.collect()
    before = gc.get_stats()
    with collector_paused():
        made = [[number] for number in range(2 * MANY)]
        cycle = weakref.ref(Node())
    assert [now["collections"] for now in gc.get_stats()] == [
        then["collections"] for then in before
    ]
    assert len(made) == 2 * MANY
    assert cycle() is not None
    gc.collect()
    assert cycle() is None


def test_what_is_frozen_stays_frozen():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with collector_paused():
            made = [[number] for number in range(2 * MANY)]
        assert gc.get_freeze_count() <= frozen
        assert gc.get_freeze_count() > frozen // 2
        assert len(made) == 2 * MANY
    finally:
        gc.unfreeze()
