"""What tests of leases need: a clock that is set, and processes that are alive or not."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from offbook.stores import evaluations, leases, queue


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time of leases; set ``now``."""
    set_time = SimpleNamespace(now=1_000.0)
    for module in (evaluations, leases, queue):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: set_time.now))
    return set_time


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Say whether the processes of this machine are alive; they are until then."""

    def say(*, answer: bool) -> None:
        monkeypatch.setattr(leases, "is_running", lambda _: answer)

    say(answer=True)
    return say
