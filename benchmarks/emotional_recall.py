"""Emotional recall over many memories, against the bare product of the same size.

Takes: how many memories and dimensions.  Gives: median milliseconds of each strategy and of one
float32 product of a matrix with 8 columns more, in turns in the same run, and whether the results
are those of the formula in double precision (scores that differ by less than 1e-6 may swap).

Both distances are measured. The bare product takes a matrix of its own shape, filled once; at a
million memories of 384 + 8 dimensions the two matrices need 3.1 GB. --ties gives all memories one
of a few emotions, so that a great many are equally near.

--turns N measures something else: a conversation of N turns in a home of its own, and how long
recall takes just after each of 30 further turns was stored, scored and embedded (the index grows),
and once more after that (it has not changed). The question's vector and emotion are given.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from offbook import Offbook
from offbook.language.emotion_names import EMOTIONS as NAMES
from offbook.memory.talk import Talk
from offbook.retrieval.emotional import EMOTIONS, STRATEGIES, EmotionalIndex, Recalled
from offbook.retrieval.feeling import Felt
from offbook.retrieval.memories import find_memories
from offbook.stores import conversations, memories, principals, vectors
from offbook.types import MemoryFragment
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


async def grow(turns: int, dimension: int, more: int = 30) -> dict[str, Any]:
    """Recall in a conversation that grows by ``more`` turns."""
    generator = np.random.default_rng(12)

    def add(conn: Any, first: int, rows: NDArray[np.float32]) -> None:
        made = []
        for number in range(first, first + len(rows)):
            said, answered = f"What of lamp {number}?", f"Lamp {number} went out in the gale."
            turn = conversations.add_turn(conn, "ada", "s", said, answered)
            levels = map(int, generator.integers(1, 11, EMOTIONS))
            emotion, at = dict(zip(NAMES, levels, strict=True)), "2026-01-01T00:00:00+00:00"
            whose = ("s", turn, principals.OWNER)
            made.append(MemoryFragment(f"m{number}", said, answered, emotion, at, *whose))
        memories.add(conn, "ada", made)
        kept = vectors.use_set(conn, "ada", "random", dimension)
        vectors.put_vectors(conn, "ada", kept.id, "memory", [one.id for one in made], rows)

    with tempfile.TemporaryDirectory() as folder:
        async with await Offbook.open(home=folder) as book:
            ada = await book.create("Ada")
            await book.store.write(lambda conn: conversations.begin(conn, "ada", "s"))
            await book.store.write(lambda c: add(c, 0, unit_rows(generator, turns, dimension)))
            felt = Felt(unit_rows(generator, 1, dimension)[0], dict.fromkeys(NAMES, 3))
            settings = book.settings.values.emotional

            async def spent() -> float:
                started = time.perf_counter()
                await find_memories(book.store, ada, felt, Talk(principals.OWNER), settings)
                return 1000 * (time.perf_counter() - started)

            first = await spent()
            grown, same = [], []
            for at in range(more):
                row = unit_rows(generator, 1, dimension)
                await book.store.write(lambda c, n=turns + at, r=row: add(c, n, r))
                grown.append(await spent())
                same.append(await spent())
    return {
        "turns": turns,
        "dimension": dimension,
        "first_ms": round(first, 1),
        "after_a_turn_ms": {
            "median": round(float(np.median(grown)), 1),
            "most": round(max(grown), 1),
        },
        "unchanged_ms": {"median": round(float(np.median(same)), 1), "most": round(max(same), 1)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ties", action="store_true", help="only four different emotions")
    parser.add_argument("--turns", type=int, help="of a conversation that grows")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    arguments = parser.parse_args()
    if arguments.turns is not None:
        print(json.dumps(asyncio.run(grow(arguments.turns, arguments.dimension)), indent=2))
        return
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
