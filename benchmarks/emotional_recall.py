"""Emotional recall over many memories, against the bare product of the same size.

Takes: how many memories and dimensions.  Gives: median milliseconds of each strategy and of one
float32 product of a matrix with 8 columns more, in turns in the same run, and whether the results
are those of the formula in double precision (scores that differ by less than 1e-6 may swap).

Both distances are measured. The bare product takes a matrix of its own shape, filled once; at a
million memories of 384 + 8 dimensions the two matrices need 3.1 GB. --ties gives all memories one
of a few emotions, so that a great many are equally near.
"""

from __future__ import annotations

import argparse
import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from offbook.retrieval.emotional import EMOTIONS, STRATEGIES, EmotionalIndex, Recalled
from recall import in_turns

K: Final = 10
WANTED: Final = 1.3
_BLOCK: Final = 20_000


def unit_rows(generator: np.random.Generator, rows: int, dimension: int) -> NDArray[np.float32]:
    """Random directions, made in blocks so that nothing is held twice."""
    made = np.empty((rows, dimension), dtype=np.float32)
    for start in range(0, rows, _BLOCK):
        block = made[start : start + _BLOCK]
        generator.standard_normal(out=block, dtype=np.float32)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return made


def distances(
    matrix: NDArray[np.float32],
    emotions: NDArray[np.uint8],
    vector: NDArray[np.float32],
    emotion: NDArray[np.int64],
    distance: str,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """``c`` and ``e`` of all by the formulas of methods.md 3, in double precision."""
    c, e = np.empty(len(matrix)), np.empty(len(matrix))
    wide, felt = vector.astype(np.float64), emotion.astype(np.float64)
    for start in range(0, len(matrix), _BLOCK):
        rows = matrix[start : start + _BLOCK].astype(np.float64)
        if distance == "euclidean":
            c[start : start + _BLOCK] = np.linalg.norm(rows - wide, axis=1)
        else:
            lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(wide)
            c[start : start + _BLOCK] = 1 - rows @ wide / lengths
        levels = emotions[start : start + _BLOCK].astype(np.float64)
        lengths = np.linalg.norm(levels, axis=1) * np.linalg.norm(felt)
        e[start : start + _BLOCK] = 1 - levels @ felt / lengths
    return c, e


def is_same(
    got: list[Recalled], strategy: str, c: NDArray[np.float64], e: NDArray[np.float64]
) -> bool:
    """Whether each rank holds what the formula puts there, or what scores within 1e-6 of it."""
    wanted = STRATEGIES[strategy](c, e, K, 2 * K)
    score = {"C-A": c + e, "C-M": c * e, "S-S": e}.get(strategy, c)
    rows = [one.index for one in got]
    return len(set(rows)) == K and bool((np.abs(score[rows] - score[wanted]) < 1e-6).all())


def measure(memories: int, dimension: int, rounds: int, *, ties: bool) -> dict[str, Any]:
    """Recall by every strategy and distance, in turns with the bare product."""
    generator = np.random.default_rng(12)
    matrix = unit_rows(generator, memories, dimension)
    emotions = generator.integers(1, 11, (4 if ties else memories, EMOTIONS)).astype(np.uint8)
    if ties:
        emotions = emotions[generator.integers(0, 4, memories)]
    vector = unit_rows(generator, 1, dimension)[0]
    emotion = emotions[0].astype(np.int64)
    index = EmotionalIndex.build(matrix, emotions)
    fused = np.zeros((memories, dimension + EMOTIONS), dtype=np.float32)
    fused[:, :dimension] = matrix
    asked = np.append(vector, np.ones(EMOTIONS, dtype=np.float32))
    report: dict[str, Any] = {"memories": memories, "dimension": dimension, "wanted": WANTED}
    for distance in ("euclidean", "cosine"):
        ways: dict[str, Any] = {"bare": lambda: fused @ asked}
        for strategy in STRATEGIES:
            ways[strategy] = lambda s=strategy, d=distance: index.recall(
                vector, emotion, s, k=K, distance=d
            )
        times = in_turns(ways, rounds)
        c, e = distances(matrix, emotions, vector, emotion, distance)
        report[distance] = {
            name: {
                "milliseconds": round(spent, 3),
                "of_bare": round(spent / times["bare"], 3),
                **({} if name == "bare" else {"exact": is_same(ways[name](), name, c, e)}),
            }
            for name, spent in times.items()
        }
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ties", action="store_true", help="only four different emotions")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    arguments = parser.parse_args()
    report = measure(arguments.memories, arguments.dimension, arguments.rounds, ties=arguments.ties)
    if arguments.json:
        print(json.dumps(report, indent=2))
        return
    for distance in ("euclidean", "cosine"):
        for name, row in report[distance].items():
            told = "" if name == "bare" else ("exact" if row["exact"] else "NOT EXACT")
            print(
                f"{distance:10} {name:9} {row['milliseconds']:9.3f} ms"
                f" {row['of_bare']:7.3f} of bare  {told}"
            )


if __name__ == "__main__":
    main()
