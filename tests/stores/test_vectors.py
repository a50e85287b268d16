from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sqlalchemy import Dialect
from sqlalchemy.dialects import postgresql, sqlite

from offbook.errors import EmbedderMismatch, ModelError, StoreFailed
from offbook.protocols import Store
from offbook.stores import characters, chunks, vectors
from offbook.stores.columns import Vector, unpack
from tests.stores import data


async def build(store: Store, text: str = "one\ntwo\nthree") -> list[str]:
    await store.write(characters.create, "Ada")
    made = await store.write(data.add_document, character="ada", name="d", text=text)
    return [chunk.id for chunk in made]


@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 5), st.integers(1, 9)),
        elements=st.floats(width=32, allow_nan=False),
    ),
    st.sampled_from([sqlite.dialect(), postgresql.dialect()]),
)
def test_packing_and_unpacking_are_inverse_to_the_bit(matrix: np.ndarray, dialect: Dialect):
    stored = [Vector().process_bind_param(row, dialect) or b"" for row in matrix]
    again = unpack(stored, dialect.name)
    assert again.dtype == np.float32
    assert again.flags.c_contiguous
    assert again.tobytes() == matrix.tobytes()


async def test_a_matrix_comes_back_ordered_by_id(store: Store):
    ids = await build(store)
    found, matrix = await store.read(vectors.load_matrix, "ada", "chunk")
    assert found == sorted(ids)
    assert matrix.flags.c_contiguous
    wanted = dict(zip(ids, data.matrix(3), strict=True))
    np.testing.assert_array_equal(matrix, [wanted[name] for name in found])


async def test_a_matrix_of_one_chunking_leaves_the_others_out(store: Store):
    ids = await build(store)
    doc = data.document("d", "one\ntwo\nthree")
    other = data.split(doc, "graph")
    await store.write(chunks.replace_chunks, "ada", "d", "graph", {}, other)
    await store.write(vectors.put_vectors, "ada", "1", "chunk", [other[0].id], data.matrix(1))
    found, _ = await store.read(vectors.load_matrix, "ada", "chunk", "acts")
    assert found == sorted(ids)
    found, _ = await store.read(vectors.load_matrix, "ada", "chunk", "graph")
    assert found == [other[0].id]
    missing = await store.read(vectors.missing_ids, "ada", "1", "chunk", "graph")
    assert missing == sorted(chunk.id for chunk in other[1:])


async def test_without_vectors_the_matrix_is_empty(store: Store):
    await store.write(characters.create, "Ada")
    ids, matrix = await store.read(vectors.load_matrix, "ada", "chunk")
    assert (ids, matrix.shape) == ([], (0, 0))
    await store.write(vectors.use_set, "ada", "e", 7)
    ids, matrix = await store.read(vectors.load_matrix, "ada", "chunk")
    assert (ids, matrix.shape) == ([], (0, 7))


@pytest.mark.parametrize(("embedder", "dimension"), [("other", 4), ("hash", 5)])
async def test_another_embedder_is_refused_with_the_command(
    store: Store, embedder: str, dimension: int
):
    await build(store)
    with pytest.raises(EmbedderMismatch) as raised:
        await store.write(vectors.use_set, "ada", embedder, dimension)
    assert "offbook reembed ada" in raised.value.hint


@pytest.mark.parametrize(
    ("matrix", "error"),
    [
        (data.matrix(3, 5), EmbedderMismatch),
        (np.full((3, 4), np.nan, np.float32), ModelError),
        (np.full((3, 4), np.inf, np.float32), ModelError),
    ],
)
async def test_vectors_that_cannot_be_right_are_refused(store: Store, matrix, error):
    ids = await build(store)
    with pytest.raises(error, match=r"5|NaN"):
        await store.write(vectors.put_vectors, "ada", "1", "chunk", ids, matrix)


async def test_re_embedding_keeps_the_old_vectors_until_the_new_are_complete(store: Store):
    ids = await build(store)
    new = await store.write(vectors.begin_set, "ada", "better", 6)
    assert not new.active
    missing = await store.read(vectors.missing_ids, "ada", new.id, "chunk")
    assert missing == sorted(ids)
    put = partial(vectors.put_vectors, character="ada", set_id=new.id, kind="chunk")
    await store.write(put, ids=missing[:2], matrix=data.matrix(2, 6))
    with pytest.raises(StoreFailed, match="1 chunk"):
        await store.write(vectors.activate_set, "ada", new.id)
    _, matrix = await store.read(vectors.load_matrix, "ada", "chunk")
    assert matrix.shape == (3, 4)

    again = await store.write(vectors.begin_set, "ada", "better", 6)
    assert again == new
    rest = await store.read(vectors.missing_ids, "ada", new.id, "chunk")
    assert rest == missing[2:]
    await store.write(put, ids=rest, matrix=data.matrix(1, 6))
    await store.write(vectors.activate_set, "ada", new.id)
    _, matrix = await store.read(vectors.load_matrix, "ada", "chunk")
    assert matrix.shape == (3, 6)
    sets = await store.read(vectors.list_sets, "ada")
    assert sets == [vectors.VectorSet(new.id, "better", 6, "complete", active=True)]
    assert (await store.read(characters.require, "ada")).embedder == "better"


async def test_a_set_of_a_third_embedder_replaces_the_unfinished_one(store: Store):
    await build(store)
    first = await store.write(vectors.begin_set, "ada", "better", 6)
    second = await store.write(vectors.begin_set, "ada", "best", 6)
    names = [item.embedder for item in await store.read(vectors.list_sets, "ada")]
    assert names == ["hash", "best"]
    with pytest.raises(StoreFailed):
        await store.write(vectors.put_vectors, "ada", "9", "chunk", ["x"], data.matrix(1, 6))
    with pytest.raises(StoreFailed, match="no vector set"):
        await store.write(vectors.activate_set, "ada", "9")
    assert first.embedder != second.embedder


async def test_replaced_and_removed_vectors(store: Store):
    ids = await build(store)
    await store.write(
        vectors.put_vectors, "ada", "1", "chunk", ids[:1], np.ones((1, 4), np.float32)
    )
    found, matrix = await store.read(vectors.load_matrix, "ada", "chunk")
    np.testing.assert_array_equal(matrix[found.index(ids[0])], np.ones(4))
    await store.write(vectors.remove_vectors, "ada", "chunk", ids[:1])
    missing = await store.read(vectors.missing_ids, "ada", "1", "chunk")
    assert missing == ids[:1]
