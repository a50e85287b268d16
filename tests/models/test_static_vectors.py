"""The table of word vectors: finding a word, its stem, or nothing."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest

from offbook.models.static_vectors import ABSENT, DIMENSION, StaticVectors, shipped_vectors


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


def test_an_absent_word_is_rarer_than_all(table):
    assert table.ranks(np.array([0, 1, ABSENT])).tolist() == [0, 1, 2]


def test_nothing_is_found_for_nothing(table):
    assert table.rows(hashes(), hashes()).shape == (0,)
    assert table.unit(np.array([], dtype=np.int64)).shape == (0, 2)


def test_the_shipped_table_is_sorted_and_whole():
    table = shipped_vectors()
    assert (np.diff(table.hashes.astype(np.int64)) > 0).all()
    assert table.vectors.shape == (int(table.places.max()) + 1, DIMENSION)
    assert (np.abs(table.vectors).max(axis=1) == 127).all()


def test_the_shipped_rows_are_in_order_of_frequency():
    table = shipped_vectors()
    found = [crc32(word) for word in (b"house", b"harbour", b"dungeon")]
    rows = table.rows(hashes(*found), hashes(*found))
    assert (np.diff(rows) > 0).all()
    assert (rows != ABSENT).all()
