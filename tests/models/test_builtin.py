"""The embedded embedder: unit vectors that say something, the same every time."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import offbook.models
from offbook.models.builtin import (
    ABSENT,
    BuiltinEmbedder,
    StaticVectors,
    embed_texts,
)
from tests.waiting import work_below

DATA = Path(offbook.models.__file__).parent / "data"
SHA256 = {
    "static_vectors.npy": "3575f8599ea92612b019d6e57d2bde7860d208069054753088352def4f0c1b73",
    "static_words.npy": "b81f5f5554502f27a807da216ac6af8c0bf195c877fd9e27db0feebf8440183a",
}


def cosine(one: str, other: str) -> float:
    a, b = embed_texts([one, other])
    return float(a @ b)


async def test_it_has_the_shape_of_an_embedder():
    embedder = BuiltinEmbedder()
    vectors = await embedder.embed(["a lamp", "a storm"], "document")
    assert vectors.shape == (2, embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, await embedder.embed(["a lamp", "a storm"], "query"))


def test_the_name_belongs_to_these_files():
    """Other files under the same name would compare old vectors with new ones."""
    assert BuiltinEmbedder().name == "builtin-768-v1"
    for name, digest in SHA256.items():
        assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == digest


def test_the_name_belongs_to_these_numbers():
    vector = embed_texts(["The lamp of the island, 1815, Dantès, 灯塔"])[0]
    assert vector[[713, 560, 674, 519, 15, 29]] == pytest.approx(
        [-0.21504, -0.20695, -0.20020, -0.19346, -0.17825, 0.17825], abs=2e-4
    )


@settings(deadline=None)
@given(st.lists(st.text(), max_size=5))
def test_every_row_has_length_one_or_zero(texts):
    lengths = np.linalg.norm(embed_texts(texts), axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))


@settings(deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=5), st.text())
def test_a_text_has_one_vector_whatever_stands_beside_it(texts, text):
    alone = embed_texts([text])[0]
    assert embed_texts([*texts, text])[-1] == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("a physician", "a doctor", "a harbour"),
        ("he was imprisoned", "years in jail", "years at the piano"),
        ("her mother", "her parents", "her bicycle"),
        ("a symphony", "an orchestra", "an invoice"),
        ("the king's throne", "a monarch", "a sandwich"),
    ],
)
def test_words_of_like_meaning_are_alike(text, near, far):
    assert cosine(text, near) > cosine(text, far) + 0.05


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("贝多芬的老师", "他的老师是海顿", "他住在维也纳"),
        ("그녀의 스승", "늙은 스승은 시계공", "강가의 작은 집"),
        ("Xylphor of Qarth", "the Xylphor sailed", "the harbour master sailed"),
        ("in 1815", "the year 1815", "the year 1764"),
    ],
)
def test_words_without_a_meaning_in_the_table_are_alike_where_they_are_equal(text, near, far):
    assert cosine(text, near) > cosine(text, far) + 0.1


def test_rare_words_count_more_than_frequent_ones():
    assert cosine("city lighthouse", "lighthouse") > cosine("city lighthouse", "city")


def test_a_book_chapter_takes_a_fraction_of_a_second():
    text = " ".join(f"word{number % 3000} and the lamp of the island" for number in range(7000))
    with work_below(10):
        embed_texts([text[i : i + 900] for i in range(0, len(text), 900)])


@pytest.fixture
def table() -> StaticVectors:
    """Three hashes that lead to two words."""
    return StaticVectors(
        hashes=np.array([10, 20, 30], dtype=np.uint32),
        places=np.array([1, 0, 1], dtype=np.uint16),
        vectors=np.array([[3, 4], [0, -127]], dtype=np.int8),
    )


def hashes(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.array(numbers, dtype=np.uint32)


def test_a_word_comes_before_its_stem_and_the_stem_before_nothing(table):
    words = hashes(20, 99, 99, 0, 0xFFFFFFFF)
    stems = hashes(10, 30, 98, 0, 0xFFFFFFFF)
    assert table.rows(words, stems).tolist() == [0, 1, ABSENT, ABSENT, ABSENT]


def test_only_the_direction_of_a_row_counts(table):
    rows = np.array([0, 1, ABSENT])
    assert table.unit(rows) == pytest.approx(np.array([[0.6, 0.8], [0, -1], [0, 0]]))
