"""List prices count where a model answers at its provider and nobody has set a price."""

from __future__ import annotations

from itertools import pairwise

from offbook.settings.loading import LIST_PRICE, load_settings
from offbook.settings.prices import AS_OF, list_price

OPENAI = "https://api.openai.com/v1"


def settings(**flags):
    return load_settings({name.replace("__", "."): value for name, value in flags.items()}, {})


def price(found, model="gpt-4.1-mini"):
    row = found.values.prices.get(model)
    return None if row is None else (row.prompt, row.completion)


def test_a_model_at_its_provider_has_a_price_that_says_its_date():
    listed = settings(chat__model="gpt-4.1-mini")
    assert price(listed) == tuple(list_price(OPENAI, "gpt-4.1-mini").values())
    assert listed.origin("prices.gpt-4.1-mini.prompt") == LIST_PRICE
    assert LIST_PRICE.label.endswith(AS_OF)


def test_the_same_name_elsewhere_has_none():
    here = settings(chat__model="gpt-4.1-mini", chat__base_url="http://127.0.0.1:1/v1")
    assert price(here) is None
    assert list_price("http://api.openai.com/v1", "gpt-4.1-mini") == {}


def test_what_somebody_sets_comes_first():
    flags = {"prices.gpt-4.1-mini.prompt": 7, "prices.gpt-4.1-mini.completion": 8}
    assert price(load_settings({"chat.model": "gpt-4.1-mini", **flags}, {})) == (7, 8)


def test_a_list_price_goes_with_its_model():
    listed = settings(chat__model="gpt-4.1-mini")
    other = listed.overlaid({"chat.base_url": "http://127.0.0.1:1/v1"})
    assert other.values.prices == {}
    assert price(listed.overlaid({"judge.model": "gpt-4.1"}), "gpt-4.1") is not None


def test_offline_nothing_has_a_price():
    assert settings().values.prices == {}


def test_an_answer_token_costs_no_less_than_a_prompt_token():
    for model in ("gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano"):
        assert list_price(OPENAI, model)["completion"] > list_price(OPENAI, model)["prompt"]
    prompts = [list_price(OPENAI, f"gpt-4.1{size}")["prompt"] for size in ("", "-mini", "-nano")]
    assert all(large > small for large, small in pairwise(prompts))
