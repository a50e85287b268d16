"""The order of the wrappers, fixed in one place."""

from __future__ import annotations

import subprocess
import sys

import pytest

from offbook.errors import ConfigurationError
from offbook.models.caching import CallCache
from offbook.models.limits import Limiter
from offbook.models.metering import Meter
from offbook.models.prices import Price
from offbook.models.wrappers import wrap
from tests.models.fakes import Scripted


def layers(model: object) -> list[str]:
    names = []
    while model is not None:
        names.append(type(model).__name__)
        model = getattr(model, "_inner", None)
    return names


def test_building_models_loads_nothing_heavy():
    code = (
        "import sys, offbook.models.wrappers, offbook.models.openai_compatible\n"
        "import offbook.models.embedders, offbook.models.recording\n"
        "heavy = {'openai', 'numpy', 'sqlalchemy', 'pydantic', 'jinja2', 'json_repair'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_metered_is_outside_then_the_cache_then_the_limits(sqlite_store):
    cache = CallCache(sqlite_store)
    model = wrap(Scripted(), meter=Meter(), limiter=Limiter(), cache=cache)
    assert layers(model) == ["Metered", "Cached", "Limited", "Scripted"]
    assert (model.name, model.base_url) == ("m", Scripted.base_url)


def test_without_a_store_there_is_no_cache():
    assert layers(wrap(Scripted(), meter=Meter(), limiter=Limiter()))[1] == "Limited"


def test_the_offline_backend_is_left_as_it_is():
    offline = Scripted()
    offline.base_url = "offline:"
    assert wrap(offline, meter=Meter(budget_usd=1.0), limiter=Limiter()) is offline


def test_a_budget_in_money_needs_a_price():
    with pytest.raises(ConfigurationError, match="'m' has no price"):
        wrap(Scripted(), meter=Meter(budget_usd=1.0), limiter=Limiter())
    wrap(Scripted(), meter=Meter({"m": Price(1, 1)}, budget_usd=1.0), limiter=Limiter())
