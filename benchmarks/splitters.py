"""How fast ACTS splits, beside langchain's splitters, and how its time grows.

Takes: sizes on the command line.  Gives: a table, or JSON with ``--json``; exit code 1 where a
target is missed.  1 MB is 1,000,000 bytes of UTF-8. Times are medians of ``--repeats`` runs,
in seconds of processor time (nothing here waits), so that other work on the machine counts less.

    python benchmarks/splitters.py [--megabytes 20] [--repeats 5] [--json]

ACTS builds all chunks with texts, offsets, heading paths and ids. langchain is measured at the same
chunk length and overlap, in the same run, in three ways: `texts` (``split_text`` of the recursive
splitter: strings only), `offsets` (its ``create_documents`` with ``add_start_index``), `headings`
(its Markdown header splitter, then the recursive one with offsets: what comes nearest to ACTS).
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import math
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import corpora
from offbook.documents.acts import ACTSSplitter
from offbook.documents.graph_chunks import GraphSplitter
from offbook.language.tokens import count_tokens
from offbook.types import Document

MAIN: Final = (
    corpora.prose,
    corpora.nested,
    corpora.chinese,
    corpora.one_line,
    corpora.long_paragraphs,
)
WORST: Final = (
    corpora.headings_only,
    corpora.headings_and_lines,
    corpora.short_lines,
    corpora.blank_titles,
)
UNJUDGED: Final = (corpora.two_letters,)
MAIN_SPEED, WORST_SPEED, RATIO, EXPONENT = 45.0, 4.0, 2.0, 1.08
FRACTIONS: Final = (0.125, 0.25, 0.5, 1.0)
WORST_SHARE: Final = 0.25
"""Worst shapes are measured at a quarter of the size: they make a hundred times the chunks."""


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        gc.collect()
        began = time.process_time()
        made = work()
        times.append(time.process_time() - began)
        del made
    return statistics.median(times)


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
    # The sizes take turns, so that a busy moment of the machine does not fall on one of them.
    rounds = [
        [median_seconds(lambda whole=whole: splitter.split(whole), 1) for whole in wholes]  # type: ignore[misc]
        for _ in range(repeats)
    ]
    seconds = [statistics.median(times) for times in zip(*rounds, strict=True)]
    whole = wholes[-1]
    text = whole.text
    parameters = splitter.parameters(whole)
    row: dict[str, Any] = {
        "shape": shape.__name__,
        "megabytes": round(sizes[-1], 2),
        "l_max": parameters["l_max"],
        "overlap": parameters["overlap"],
        "chunks": len(splitter.split(whole)),
        "seconds": round(seconds[-1], 4),
        "megabytes_per_second": round(sizes[-1] / seconds[-1], 1),
        "exponent": round(growth_exponent(sizes, seconds), 3),
    }
    if langchain:
        row["langchain"] = {
            way: {
                "megabytes_per_second": round(sizes[-1] / theirs, 1),
                "ratio": round(theirs / seconds[-1], 2),
            }
            for way, theirs in langchain_seconds(text, parameters, repeats).items()
        }
    return row


def langchain_seconds(text: str, parameters: dict[str, Any], repeats: int) -> dict[str, float]:
    """Median seconds of langchain's ways to split ``text``; the last, which is slow, runs once."""
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

    recursive = RecursiveCharacterTextSplitter(
        chunk_size=parameters["l_max"], chunk_overlap=parameters["overlap"], add_start_index=True
    )
    sections = MarkdownHeaderTextSplitter([("#" * level, f"h{level}") for level in range(1, 7)])
    return {
        "texts": median_seconds(lambda: recursive.split_text(text), repeats),
        "offsets": median_seconds(lambda: recursive.create_documents([text]), repeats),
        "headings": median_seconds(lambda: recursive.split_documents(sections.split_text(text)), 1),
    }


def graph_sizes(shape: corpora.Shape, size: int) -> dict[str, Any]:
    """How the content-defined chunks fall into 300 to 900 tokens."""
    whole = document(corpora.generate(shape, size))
    splitter = GraphSplitter()
    took = median_seconds(lambda: splitter.split(whole), 1)
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


def judge(row: dict[str, Any], speed: float) -> bool:
    return bool(
        row["megabytes_per_second"] >= speed
        and row["exponent"] <= EXPONENT
        and all(way["ratio"] >= RATIO for way in row.get("langchain", {}).values())
    )


def run(megabytes: float, repeats: int) -> dict[str, Any]:
    size = int(megabytes * 1e6)
    rows = []
    for shapes, share, speed in (
        (MAIN, 1.0, MAIN_SPEED),
        (WORST, WORST_SHARE, WORST_SPEED),
        (UNJUDGED, WORST_SHARE / 4, None),
    ):
        for shape in shapes:
            row = measure(shape, int(size * share), repeats, langchain=shapes is MAIN)
            row["target"] = speed
            row["reached"] = None if speed is None else judge(row, speed)
            rows.append(row)
    sizes = [graph_sizes(shape, size // 10) for shape in (corpora.prose, corpora.nested)]
    return {
        "repeats": repeats,
        "acts": rows,
        "graph": sizes,
        "reached": all(row["reached"] is not False for row in rows),
    }


def show(result: dict[str, Any]) -> None:
    print(f"{'shape':20}{'MB':>7}{'l_max':>7}{'chunks':>9}{'MB/s':>8}{'target':>8}", end="")
    print(f"{'exponent':>10}  reached  times faster than langchain: texts, offsets, headings")
    for row in result["acts"]:
        ratios = [f"{way['ratio']:9.2f}" for way in row.get("langchain", {}).values()]
        print(
            f"{row['shape']:20}{row['megabytes']:7.1f}{row['l_max']:7}{row['chunks']:9}"
            f"{row['megabytes_per_second']:8.1f}{row['target'] or '-':>8}"
            f"{row['exponent']:10.3f}  {row['reached']!s:7}{''.join(ratios)}"
        )
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
