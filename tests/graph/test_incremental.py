"""After any sequence of edits the graph is the one that is built from scratch."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offbook.stores.opening import open_store, sqlite_url
from tests.graph.world import GraphWorld

NAMES = ["Ana Bell", "Ana", "Bell", "Bo Bell", "Cora Dunn", "Cora", "Dunn", "Ann Bell", "Sparrow"]
VERBS = ["meets", "is", "fears", "left"]

sentences = st.builds(
    lambda a, verb, b: f"{a} {verb} {b}.",
    st.sampled_from(NAMES),
    st.sampled_from(VERBS),
    st.sampled_from(NAMES),
)
# Under equal headings equal parts are equal chunks, in a document and in several.
parts = st.tuples(st.sampled_from(["Part", "Other"]), st.lists(sentences, min_size=1, max_size=2))
texts = st.lists(parts, min_size=1, max_size=3).map(
    lambda told: "\n\n".join(f"## {heading}\n\n{' '.join(part)}" for heading, part in told)
)
edits = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(["one", "two", "three"]), texts),
    st.tuples(st.just("remove"), st.sampled_from(["one", "two", "three"])),
    st.tuples(st.just("order"), st.permutations(["one", "two", "three"])),
    st.tuples(st.just("say"), st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans()),
    st.tuples(st.just("unsay"), st.integers(0, 3)),
)

Edit = tuple[object, ...]


async def _heed(
    edited: GraphWorld, words: dict[tuple[str, str], bool], kind: str, *told: object
) -> None:
    """A person's word is given, or taken back."""
    if kind == "unsay":
        for pair in list(words)[int(str(told[0])) :][:1]:
            del words[pair]
            await edited.unsay(*pair)
        return
    a, b = sorted(map(str, told[:2]))
    if a != b:
        words[a, b] = bool(told[2])
        await edited.say(a, b, same=words[a, b])


async def _compare(folder: Path, sequence: Sequence[Edit]) -> None:
    store = await open_store(sqlite_url(folder / "offbook.db"))
    try:
        edited = await GraphWorld(store, "edited").create()
        left: dict[str, str] = {}
        words: dict[tuple[str, str], bool] = {}
        for kind, *told in sequence:
            if kind == "put":
                name, text = map(str, told)
                if left.get(name) != text and text not in left.values():
                    left[name] = text
                    await edited.put(name, text)
            elif kind == "remove":
                name = str(told[0])
                if left.pop(name, None) is not None:
                    await edited.remove(name)
            elif kind == "order":
                wanted: Any = told[0]
                left = {name: left[name] for name in wanted if name in left}
                await edited.order(list(left))
            else:
                await _heed(edited, words, str(kind), *told)
        scratch = await GraphWorld(store, "scratch").create()
        for (a, b), same in words.items():
            await scratch.say(a, b, same=same)
        for name, text in left.items():
            await scratch.put(name, text)
        assert await edited.picture() == await scratch.picture()
    finally:
        await store.close()


def _run(sequence: Sequence[Edit]) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(_compare(Path(folder), sequence))


@given(st.lists(edits, min_size=2, max_size=7))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_edits_leave_no_trace(sequence):
    _run(sequence)


@pytest.mark.long
@given(st.lists(edits, min_size=2, max_size=12))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_edits_leave_no_trace_at_full_size(sequence):
    _run(sequence)
