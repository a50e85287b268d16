"""What waits for something waits in vain for a while only, and what works too much is noticed."""

from __future__ import annotations

import time

import pytest

from tests import waiting


def test_who_waits_in_vain_is_told(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE_SECONDS", 0.01)
    with pytest.raises(AssertionError, match="the lamp did not come about"):
        waiting.until(lambda: False, "the lamp")


async def test_who_waits_in_vain_in_a_loop_is_told(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE_SECONDS", 0.01)
    with pytest.raises(AssertionError, match="the lamp did not come about"):
        await waiting.eventually(lambda: False, "the lamp")


def work(seconds: float) -> None:
    ends = time.thread_time() + seconds
    while time.thread_time() < ends:
        pass


@pytest.mark.long
def test_work_counts_and_sleep_does_not():
    with waiting.work_below(0.05):
        time.sleep(0.06)
    assert waiting.least_work(lambda: work(0.03)) >= 0.02
    with pytest.raises(AssertionError, match="processor"), waiting.work_below(0.05):
        work(0.06)


def test_an_error_in_a_block_stays_what_it_is():
    with pytest.raises(ZeroDivisionError), waiting.work_below(0.0):
        raise ZeroDivisionError
