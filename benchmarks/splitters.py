"""How fast ACTS splits, beside langchain's splitters, and how its time grows.

Times are medians (and minima) of ``--repeats`` runs that take turns, in seconds of processor time
(nothing here waits), so that other work on the machine counts less.

    python benchmarks/splitters.py [--megabytes 20] [--repeats 5] [--json]

ACTS builds all chunks with texts, offsets, heading paths and ids. langchain is measured at the same
chunk length and overlap, in the same run, in three ways: `offsets` (``create_documents`` of its
recursive splitter with ``add_start_index``), which is what ACTS is judged by, because its chunks
have offsets, too; and for information `texts` (``split_text``: strings only) and `headings` (its
Markdown header splitter, then the recursive one with offsets: what comes nearest to ACTS).
`making` is what chunks cost whose offsets are known already: slices, ids and objects.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import logging
import math
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import corpora
from offbook.documents.acts import ACTSSplitter
from offbook.documents.chunk_ids import make_chunks
from offbook.documents.graph_chunks import GraphSplitter
from offbook.text.tokens import count_tokens
from offbook.types import Chunk, Document

MAIN: Final = (
    corpora.prose,
    corpora.nested,
    corpora.chinese,
    corpora.one_line,
    corpora.long_paragraphs,
)
SHORT: Final = (corpora.short_paragraphs, corpora.tiny_paragraphs)
WORST: Final = (
    corpora.headings_only,
    corpora.headings_and_lines,
    corpora.short_lines,
    corpora.blank_titles,
)
UNJUDGED: Final = (corpora.two_letters,)
MAIN_SPEED, WORST_SPEED, RATIO, EXPONENT = 15.0, 4.0, 2.0, 1.08
JUDGED_WAY: Final = "offsets"
FRACTIONS: Final = (0.125, 0.25, 0.5, 1.0)
WORST_SHARE: Final = 0.25
"""Worst shapes are measured at a quarter of the size: they make a hundred times the chunks."""


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    began = time.process_time()
    made = work()
    took = time.process_time() - began
    del made
    return took


def in_turns(works: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """Times of each, one after the other and again, so that a busy moment falls on all of them."""
    rounds = [{name: seconds(work) for name, work in works.items()} for _ in range(repeats)]
    return {name: [times[name] for times in rounds] for name in works}


def growth_exponent(sizes: list[float], seconds: list[float]) -> float:
    """The slope of log time over log size, by least squares."""
    return statistics.linear_regression(
        [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    ).slope


def document(text: str) -> Document:
    return Document(id="benchmark", name="benchmark.md", text=text, digest="")


def measure(shape: corpora.Shape, size: int, repeats: int, langchain: bool) -> dict[str, Any]:
    splitter = ACTSSplitter()
    wholes = [document(corpora.generate(shape, int(size * part))) for part in FRACTIONS]
    sizes = [len(whole.text.encode()) / 1e6 for whole in wholes]
    whole, chunks = wholes[-1], splitter.split(wholes[-1])
    parameters = splitter.parameters(whole)
    works: dict[str, Callable[[], object]] = {
        f"acts {index}": lambda part=part: splitter.split(part)  # type: ignore[misc]
        for index, part in enumerate(wholes)
    }
    works["making"] = making(whole, chunks)
    if langchain:
        works |= langchain_ways(whole.text, parameters)
    times = in_turns(works, repeats)
    if langchain:
        times["headings"] = [seconds(langchain_headings(whole.text, parameters))]  # slow: once
    medians = {name: statistics.median(values) for name, values in times.items()}
    ours = f"acts {len(wholes) - 1}"
    row: dict[str, Any] = {
        "shape": shape.__name__,
        "megabytes": round(sizes[-1], 2),
        "l_max": parameters["l_max"],
        "overlap": parameters["overlap"],
        "chunks": len(chunks),
        "seconds": round(medians[ours], 4),
        "seconds_least": round(min(times[ours]), 4),
        "making_seconds": round(medians["making"], 4),
        "megabytes_per_second": round(sizes[-1] / medians[ours], 1),
        "exponent": round(
            growth_exponent(sizes, [medians[f"acts {index}"] for index in range(len(wholes))]), 3
        ),
    }
    if langchain:
        row["langchain"] = {
            way: {
                "seconds": round(medians[way], 4),
                "seconds_least": round(min(times[way]), 4),
                "ratio": round(medians[way] / medians[ours], 2),
                "ratio_least": round(min(times[way]) / min(times[ours]), 2),
            }
            for way in ("texts", "offsets", "headings")
        }
    return row


def making(whole: Document, chunks: Sequence[Chunk]) -> Callable[[], object]:
    """Makes chunks of known offsets: the part of the work that no way of cutting saves."""
    parts = [
        (headings, [(chunk.start, chunk.end) for chunk in under])
        for headings, under in itertools.groupby(chunks, key=lambda chunk: chunk.headings)
    ]

    def work() -> object:
        return make_chunks(whole, "acts", parts)

    return work


def langchain_ways(text: str, parameters: dict[str, Any]) -> dict[str, Callable[[], object]]:
    splitter = recursive(parameters)
    return {
        "texts": lambda: splitter.split_text(text),
        "offsets": lambda: splitter.create_documents([text]),
    }


def langchain_headings(text: str, parameters: dict[str, Any]) -> Callable[[], object]:
    from langchain_text_splitters import MarkdownHeaderTextSplitter

    sections = MarkdownHeaderTextSplitter([("#" * level, f"h{level}") for level in range(1, 7)])
    return lambda: recursive(parameters).split_documents(sections.split_text(text))


def recursive(parameters: dict[str, Any]) -> Any:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(
        chunk_size=parameters["l_max"], chunk_overlap=parameters["overlap"], add_start_index=True
    )


def graph_sizes(shape: corpora.Shape, size: int) -> dict[str, Any]:
    """How the content-defined chunks fall into 300 to 900 tokens."""
    whole = document(corpora.generate(shape, size))
    splitter = GraphSplitter()
    took = seconds(lambda: splitter.split(whole))
    sizes = [count_tokens(chunk.text) for chunk in splitter.split(whole)]
    return {
        "shape": shape.__name__,
        "chunks": len(sizes),
        "below_300": round(sum(tokens < 300 for tokens in sizes) / len(sizes), 3),
        "from_300_to_900": round(sum(300 <= tokens <= 900 for tokens in sizes) / len(sizes), 3),
        "above_900": round(sum(tokens > 900 for tokens in sizes) / len(sizes), 3),
        "longest": max(sizes),
        "megabytes_per_second": round(len(whole.text.encode()) / 1e6 / took, 1),
    }


def missed(row: dict[str, Any], speed: float) -> list[str]:
    """The targets that ``row`` does not reach, in words."""
    found = []
    if row["megabytes_per_second"] < speed:
        found.append(f"{row['megabytes_per_second']} MB/s, {speed:g} wanted")
    if row["exponent"] > EXPONENT:
        found.append(f"grows with exponent {row['exponent']}, {EXPONENT} wanted")
    if "langchain" in row and row["langchain"][JUDGED_WAY]["ratio"] < RATIO:
        ratio = row["langchain"][JUDGED_WAY]["ratio"]
        found.append(f"{ratio} times langchain with {JUDGED_WAY}, {RATIO:g} wanted")
    return found


def run(megabytes: float, repeats: int) -> dict[str, Any]:
    size = int(megabytes * 1e6)
    rows = []
    for shapes, share, speed in (
        (MAIN, 1.0, MAIN_SPEED),
        (SHORT, 1.0, MAIN_SPEED),
        (WORST, WORST_SHARE, WORST_SPEED),
        (UNJUDGED, WORST_SHARE / 4, None),
    ):
        for shape in shapes:
            row = measure(shape, int(size * share), repeats, langchain=shapes is MAIN)
            row["target"] = speed
            row["missed"] = [] if speed is None else missed(row, speed)
            rows.append(row)
    sizes = [graph_sizes(shape, size // 10) for shape in (corpora.prose, corpora.nested)]
    return {
        "repeats": repeats,
        "acts": rows,
        "graph": sizes,
        "reached": not any(row["missed"] for row in rows),
    }


def show(result: dict[str, Any]) -> None:
    print(
        f"{'shape':20}{'MB':>6}{'l_max':>7}{'chunks':>8}{'ms':>7}{'least':>7}{'making':>8}", end=""
    )
    print(f"{'MB/s':>8}{'target':>8}{'exponent':>10}   times langchain (of least times):", end="")
    print(" texts, offsets, headings")
    for row in result["acts"]:
        ratios = [
            f"{way['ratio']:9.2f} ({way['ratio_least']:.2f})"
            for way in row.get("langchain", {}).values()
        ]
        print(
            f"{row['shape']:20}{row['megabytes']:6.1f}{row['l_max']:7}{row['chunks']:8}"
            f"{1000 * row['seconds']:7.0f}{1000 * row['seconds_least']:7.0f}"
            f"{1000 * row['making_seconds']:8.0f}{row['megabytes_per_second']:8.1f}"
            f"{row['target'] or '-':>8}{row['exponent']:10.3f}{''.join(ratios)}"
        )
    print("\ntargets not reached" if not result["reached"] else "\nall targets reached")
    for row in result["acts"]:
        for target in row["missed"]:
            print(f"{row['shape']:20}{target}")
    print("\ngraph chunks, tokens")
    for row in result["graph"]:
        print(
            f"{row['shape']:20}{row['chunks']:9} chunks, {row['from_300_to_900']:.0%} of 300-900, "
            f"{row['below_300']:.0%} below, {row['above_900']:.0%} above, "
            f"longest {row['longest']}, {row['megabytes_per_second']} MB/s"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--megabytes", type=float, default=20.0, help="size of the main shapes")
    parser.add_argument(
        "--repeats", type=int, default=5, help="runs per figure (the median counts)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    logging.getLogger("offbook").setLevel(logging.ERROR)  # capped paragraphs are expected here
    result = run(arguments.megabytes, arguments.repeats)
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)
    return 0 if result["reached"] else 1


if __name__ == "__main__":
    sys.exit(main())
