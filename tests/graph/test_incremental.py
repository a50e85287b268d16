"""After any sequence of edits the graph is the one that is built from scratch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offbook.stores.connection import open_store, sqlite_url
from tests.graph.world import GraphWorld
from tests.sizes import examples

NAMES = ["Ana Bell", "Ana", "Bell", "Bo Bell", "Cora Dunn", "Cora", "Dunn", "Ann Bell", "Sparrow"]
VERBS = ["meets", "is", "fears", "left"]
DOCUMENTS = ["one", "two", "three"]

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
words = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans()),
    st.tuples(st.just("unsay"), st.integers(0, 3)),
)
Edit = tuple[Any, ...]


def edits_of(documents: st.SearchStrategy[str]) -> st.SearchStrategy[Edit]:
    """What may be done with documents of such texts."""
    return st.one_of(
        st.tuples(st.just("put"), st.sampled_from(DOCUMENTS), documents),
        st.tuples(st.just("remove"), st.sampled_from(DOCUMENTS)),
        st.tuples(st.just("order"), st.permutations(DOCUMENTS)),
    )


async def _heed(edited: Any, said: dict[tuple[str, str], bool], kind: str, told: list[Any]) -> None:
    """A person's word is given, or taken back."""
    if kind == "unsay":
        for pair in list(said)[told[0] :][:1]:
            del said[pair]
            await edited.unsay(*pair)
        return
    a, b = sorted(told[:2])
    if a != b:
        said[a, b] = told[2]
        await edited.say(a, b, same=said[a, b])


async def _compare(store: Any, sequence: Sequence[Edit], make: Callable[[Any, str], Any]) -> None:
    edited = await make(store, "edited").create()
    left: dict[str, str] = {}
    said: dict[tuple[str, str], bool] = {}
    for kind, *told in sequence:
        if kind == "put":
            name, text = told
            if left.get(name) != text and text not in left.values():
                left[name] = text
                await edited.put(name, text)
        elif kind == "remove":
            if left.pop(told[0], None) is not None:
                await edited.remove(told[0])
        elif kind == "order":
            left = {name: left[name] for name in told[0] if name in left}
            await edited.order(list(left))
        else:
            await _heed(edited, said, kind, told)
    scratch = await make(store, "scratch").create()
    for (a, b), same in said.items():
        await scratch.say(a, b, same=same)
    for name, text in left.items():
        await scratch.put(name, text)
    assert await edited.picture() == await scratch.picture()


def leaves_no_trace(sequence: Sequence[Edit], make: Callable[[Any, str], Any]) -> None:
    """The outcome of the edits is that of what is left, built at once."""

    async def run() -> None:
        with TemporaryDirectory() as folder:
            store = await open_store(sqlite_url(Path(folder) / "offbook.db"))
            try:
                await _compare(store, sequence, make)
            finally:
                await store.close()

    asyncio.run(run())


@given(st.lists(edits_of(texts) | words, min_size=2, max_size=examples(12, 7)))
@settings(max_examples=examples(300, 10), suppress_health_check=[HealthCheck.too_slow])
def test_edits_leave_no_trace(sequence):
    leaves_no_trace(sequence, GraphWorld)
