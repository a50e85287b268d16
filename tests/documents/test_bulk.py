from __future__ import annotations

import gc

import pytest

from offbook.documents.acts import ACTSSplitter
from offbook.documents.bulk import collector_paused
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
