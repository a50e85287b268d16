"""Time of recall over many chunks, against what NumPy alone needs for the same numbers.

python benchmarks/recall.py [--chunks 100000] [--dimension 384] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from offbook.retrieval.search import DenseIndex, LexicalIndex, Searcher, term_number

K = 10
WANTED = 1.5


def unit_rows(generator: np.random.Generator, rows: int, dimension: int) -> NDArray[np.float32]:
    drawn = generator.standard_normal((rows, dimension), dtype=np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return drawn


def term_blobs(generator: np.random.Generator, rows: int, terms: int = 100) -> list[bytes]:
    """Encoded terms of chunks whose words are as frequent as those of a text (Zipf)."""
    numbers = np.array([term_number(f"term{rank}") for rank in range(200_000)], dtype=np.uint32)
    ranks = np.minimum(generator.zipf(1.2, (rows, terms)), len(numbers)) - 1
    blobs = []
    for own in numbers[ranks]:
        distinct, counts = np.unique(own, return_counts=True)
        pairs = zip(distinct.tolist(), counts.tolist(), strict=True)
        blobs.append(b"".join(struct.pack("<IH", *pair) for pair in pairs))
    return blobs


def bare(matrix: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.intp]:
    """The least that exact search can do: product, partial sort, sort of the K best."""
    scores = matrix @ vector
    best = np.argpartition(-scores, K)[:K]
    return best[np.argsort(-scores[best])]


def in_turns(ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median milliseconds of each way, taken in turns so that all see the same machine."""
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 2):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            if turn >= 2:
                spent[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(times) for name, times in spent.items()}


def measure(chunks: int, dimension: int, rounds: int) -> dict[str, Any]:
    """Build both indices, then ask in every mode."""
    generator = np.random.default_rng(12)
    ids = [f"chunk-{number}" for number in range(chunks)]
    matrix = unit_rows(generator, chunks, dimension)
    vector = unit_rows(generator, 1, dimension)[0]
    blobs = term_blobs(generator, chunks)
    start = time.perf_counter()
    lexical = LexicalIndex.from_blobs(ids, blobs)
    opening = time.perf_counter() - start
    searcher = Searcher(DenseIndex(ids, matrix), lexical)
    question = "What of term12 term345 term6789 term30000 and term7?"
    start = time.perf_counter()
    searcher.search(question, vector, mode="lexical", k=K)
    first = (time.perf_counter() - start) * 1000
    times = in_turns(
        {
            "bare": lambda: bare(matrix, vector),
            "dense": lambda: searcher.search(question, vector, mode="dense", k=K),
            "lexical": lambda: searcher.search(question, vector, mode="lexical", k=K),
            "hybrid": lambda: searcher.search(question, vector, mode="hybrid", k=K),
        },
        rounds,
    )
    found = [hit.id for hit in searcher.search(question, vector, mode="dense", k=K)]
    if found != [ids[position] for position in bare(matrix, vector)]:
        sys.exit("dense search and the bare product found different chunks")
    return {
        "chunks": chunks,
        "dimension": dimension,
        "milliseconds": {name: round(value, 2) for name, value in times.items()},
        "dense_to_bare": round(times["dense"] / times["bare"], 3),
        "wanted": WANTED,
        "lexical_open_seconds": round(opening, 3),
        "lexical_first_question_milliseconds": round(first, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    arguments = parser.parse_args()
    report = measure(arguments.chunks, arguments.dimension, arguments.rounds)
    if arguments.json:
        print(json.dumps(report, indent=2))
        return
    for name, value in report["milliseconds"].items():
        print(f"{name:8} {value:8.2f} ms")
    print(f"dense / bare {report['dense_to_bare']:.2f} (at most {WANTED} wanted)")
    print(
        f"terms of {arguments.chunks} chunks opened in {report['lexical_open_seconds']:.2f} s, "
        f"first question {report['lexical_first_question_milliseconds']:.0f} ms"
    )


if __name__ == "__main__":
    main()
