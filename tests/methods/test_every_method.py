"""What holds of every method: what it needs, and that a failure never becomes a finding."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from offbook import registry
from offbook.errors import ConfigurationError, EmbedderMismatch, ModelError
from offbook.settings import SettingsModel
from offbook.settings.presets import PRESETS
from offbook.types import IndexRequirements
from tests.graph.world import Trigrams
from tests.methods import compared, questions, revealing
from tests.methods.everything import Whole
from tests.methods.keyworded import keyworded

STORIES = (("a.md", questions.STORY), ("b.md", questions.LATER))
WORLDS: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "rolerag": lambda store: questions.Asked(store, questions.QuestionModel()).create(*STORIES),
    "lightrag": lambda store: keyworded(store, *STORIES),
    "amadeus": lambda store: revealing.Kept(store, revealing.Revealer("waited")).made(),
    "ensemble": lambda store: Whole(store).made(),
    "crag": lambda store: compared.Asked(store, compared.Told(), "crag").made(),
    "adaptive": lambda store: compared.Asked(store, compared.Told(), "adaptive").made(),
}
BY_WORDS = {"retrieval": {"mode": "lexical"}}
TREE = IndexRequirements(("acts",), vectors=True, summaries=True)
GRAPH = IndexRequirements(("graph",), vectors=True, profile=True, graph=True)
WHOLE = IndexRequirements(
    ("graph", "acts"), profile=True, graph=True, memories=True, statements=True, story=True
)
WHOLE_INDEXED = replace(WHOLE, chunkings=("graph",), traits=True)
MENTIONS = IndexRequirements(("graph",), vectors=False, mentions=True)


@pytest.fixture(params=WORLDS)
async def world(request, sqlite_store):
    made = await WORLDS[request.param](sqlite_store)
    made.tested = request.param
    return made


async def test_an_endpoint_that_fails_for_good_is_an_error(world):
    class Down:
        name, base_url = "down", "offline"

        async def complete(self, request: Any) -> Any:
            raise ModelError("down")

    world.model = Down()
    with pytest.raises(ModelError, match="down"):
        await world.recall("Who taught you to trim the lamp?")


async def test_without_a_model_it_says_what_it_lacks(world):
    method = registry.load("method", world.tested)()
    with pytest.raises(ConfigurationError, match="asks a model about the question"):
        await method.recall(await world.knowledge(), "Who taught you?")


async def test_vectors_of_another_embedder_are_not_compared(world):
    world.embedder = type("Other", (Trigrams,), {"name": "other"})()
    with pytest.raises(EmbedderMismatch):
        await world.recall("Who taught you to trim the lamp?")


@pytest.mark.parametrize("name", ["naive", "crag", "adaptive"])
@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ({}, IndexRequirements(("acts",))),
        ({"splitter": "ats"}, IndexRequirements(("ats",))),
        (BY_WORDS, IndexRequirements(("acts",), vectors=False)),
    ],
)
def test_methods_of_passages_need_one_chunking(name, sections, expected):
    told = {name: sections} if "splitter" in sections else sections
    needs = registry.load("method", name)().needs(SettingsModel.model_validate(told))
    assert needs == expected
    assert PRESETS["faithful"][f"{name}.splitter"] == "recursive"


@pytest.mark.parametrize(
    ("name", "sections", "expected"),
    [
        ("vanilla", {}, IndexRequirements((), vectors=False)),
        ("profile", {}, IndexRequirements((), vectors=False, profile=True)),
        ("emotional", {}, IndexRequirements((), vectors=False, memories=True)),
        ("raptor", {}, TREE),
        ("lightrag", {}, MENTIONS),
        ("rolerag", {}, GRAPH),
        ("amadeus", {}, IndexRequirements(("acts",), profile=True)),
        ("amadeus", BY_WORDS, IndexRequirements(("acts",), vectors=False, profile=True)),
        (
            "amadeus",
            {"amadeus": {"gs": "indexed"}},
            IndexRequirements(("acts",), profile=True, traits=True),
        ),
        (
            "amadeus",
            {"amadeus": {"gs": "off", "profile": False, "splitter": "ats"}},
            IndexRequirements(("ats",)),
        ),
        ("ensemble", {}, WHOLE),
        ("ensemble", {"amadeus": {"gs": "indexed"}}, WHOLE),
        (
            "ensemble",
            {"ensemble": {"gs": "indexed"}, "amadeus": {"splitter": "graph"}},
            WHOLE_INDEXED,
        ),
    ],
)
def test_what_a_method_needs(name, sections, expected):
    needs = registry.load("method", name)().needs(SettingsModel.model_validate(sections))
    assert needs == expected
