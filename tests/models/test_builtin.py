"""The embedded embedder: unit vectors that say something, the same every time."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import offbook.models
from offbook.models.builtin import BuiltinEmbedder, embed_texts
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


async def test_no_texts_give_no_vectors():
    assert (await BuiltinEmbedder().embed([], "query")).shape == (0, 768)


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


def test_the_files_stay_within_their_size():
    assert sum(file.stat().st_size for file in DATA.iterdir()) <= 8_000_000


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


def test_batches_make_no_difference():
    texts = [f"storm number {number} on the reef" for number in range(300)]
    together = embed_texts(texts)
    assert together[290] == pytest.approx(embed_texts([texts[290]])[0], abs=1e-6)


@pytest.mark.parametrize("text", ["", "   ", "and of the", "?!"])
def test_a_text_without_terms_is_similar_to_nothing(text):
    assert not embed_texts([text]).any()


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


def test_unrelated_texts_are_not_alike():
    assert abs(cosine("the lighthouse lamp", "a parliamentary budget vote")) < 0.15


def test_rare_words_count_more_than_frequent_ones():
    assert cosine("city lighthouse", "lighthouse") > cosine("city lighthouse", "city")


def test_a_book_chapter_takes_a_fraction_of_a_second():
    text = " ".join(f"word{number % 3000} and the lamp of the island" for number in range(7000))
    with work_below(10):
        embed_texts([text[i : i + 900] for i in range(0, len(text), 900)])


def test_loading_brings_in_numpy_and_nothing_heavier():
    code = (
        "import sys; from offbook.models.builtin import embed_texts; embed_texts(['lamp']);"
        "print(sorted({m.split('.')[0] for m in sys.modules}"
        " & {'tokenizers', 'model2vec', 'torch', 'openai', 'sqlalchemy', 'pydantic'}))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
