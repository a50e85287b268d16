"""The interpreter of a server: tuned while it runs, as before afterwards."""

from __future__ import annotations

import asyncio
import gc
import sys

import pytest

from offbook.server.interpreter import new_event_loop, tuned


@pytest.fixture
def usual():
    """The interpreter as it starts; tests have a collector of their own."""
    own, seconds = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(700, 10, 10)
    sys.setswitchinterval(0.005)
    yield
    sys.setswitchinterval(seconds)
    gc.set_threshold(*own)


@pytest.mark.usefixtures("usual")
def test_everything_is_as_before_afterwards():
    before = gc.get_threshold(), sys.getswitchinterval()
    with tuned():
        assert gc.get_freeze_count() > 10_000
        assert gc.get_threshold()[0] > before[0][0]
        assert sys.getswitchinterval() < before[1]
    assert (gc.get_threshold(), sys.getswitchinterval()) == before
    assert not gc.get_freeze_count()


def test_the_quicker_loop_is_taken_where_it_is_installed():
    make = new_event_loop()
    assert make is not None  # the extra `server` brings it
    with asyncio.Runner(loop_factory=make) as runner:
        assert type(runner.get_loop()).__module__.startswith("uvloop")


def test_without_it_the_usual_one_serves(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert new_event_loop() is None
