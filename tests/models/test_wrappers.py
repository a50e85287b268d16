"""The order of the wrappers, fixed in one place."""

from __future__ import annotations

from typing import Any

from offbook.models.caching import CallCache
from offbook.models.limits import Limiter
from offbook.models.metering import Meter
from offbook.models.wrappers import wrap
from offbook.types import EMBEDDED
from tests.models.fakes import Scripted


def layers(model: object) -> list[str]:
    names = []
    while model is not None:
        names.append(type(model).__name__)
        model = getattr(model, "_inner", None)
    return names


def test_metered_is_outside_then_the_cache_then_the_limits(sqlite_store):
    cache = CallCache(sqlite_store)
    model = wrap(Scripted(), meter=Meter(), limiter=Limiter(), cache=cache)
    assert layers(model) == ["Metered", "Cached", "Limited", "Scripted"]
    assert (model.name, model.base_url) == ("m", Scripted.base_url)


def test_the_offline_backend_is_left_as_it_is():
    offline: Any = Scripted()
    offline.traits = EMBEDDED
    assert wrap(offline, meter=Meter(budget_usd=1.0), limiter=Limiter()) is offline
