"""How long entity normalization takes by itself, with a model that answers at once.

python benchmarks/normalization.py [--entities 50000] [--names 12000] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from offbook.cli import process
from offbook.graph.candidates import candidate_pairs, link_equal_names, nearest_earlier
from offbook.graph.entity_normalization import Ledger, normalize
from offbook.graph.merging import merges_of, raw_graph
from offbook.graph.name_candidates import candidates_by_name
from offbook.models.batching import Asking
from offbook.models.builtin import embed_texts
from offbook.settings.model import GraphSettings
from offbook.types import ChatRequest, ChatResponse, RawEntity

TYPES = ("character", "character", "character", "location", "organization", "object", "event")
SYLLABLES = "ba ber cor da den el fen gar hol ing jo kel lan mor nor os pel quin ros sel tor ul vin"
DEEDS = ("met", "wrote to", "left", "found", "praised", "feared", "visited", "saved", "robbed")


def made_up(count: int, names: int, seed: int = 1) -> list[RawEntity]:
    """Raw entities in reading order; few names are frequent, most are rare."""
    draw = random.Random(seed)
    parts = SYLLABLES.split()
    given = ["".join(draw.choices(parts, k=2)).title() for _ in range(max(8, names // 6))]
    family = ["".join(draw.choices(parts, k=3)).title() for _ in range(max(8, names // 4))]
    people = [(draw.choice(given), draw.choice(family)) for _ in range(names)]
    weights = [1 / (rank + 1) for rank in range(names)]
    found = []
    for row, (first, last) in enumerate(draw.choices(people, weights, k=count)):
        name = draw.choice((f"{first} {last}",) * 3 + (first, last, f"Mr {last}"))
        other = " ".join(draw.choice(people))
        told = f"{name} {draw.choice(DEEDS)} {other} in the year {draw.randrange(900)}."
        kind = TYPES[hash_of(last) % len(TYPES)]
        found.append(RawEntity(f"r{row}", f"c{row // 20}", row % 20, name, kind, told, None, None))
    return found


def hash_of(text: str) -> int:
    return sum(map(ord, text))


class AtOnce:
    """A model that answers at once: the first candidate whose name has the last word in common."""

    name, base_url = "rules", "http://rules.invalid/v1"

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer by the numbers of the items alone."""
        assert request.origin is not None
        prompt, inputs = request.origin
        if prompt.name == "verify_group":
            items: list[dict[str, Any]] = [
                {"item": n, "split": False, "parts": [], "reason": ""}
                for n, _ in enumerate(inputs.groups, 1)
            ]
        else:
            items = [
                {"item": n, "same": _same(one), "reason": ""}
                for n, one in enumerate(inputs.comparisons, 1)
            ]
        return ChatResponse(json.dumps({"items": items}))

    def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Never asked for."""
        raise NotImplementedError


def _same(comparison: Any) -> list[int]:
    last = comparison.entity.name.split()[-1]
    alike = [n for n, c in enumerate(comparison.candidates, 1) if c.name.split()[-1] == last]
    return alike[:1]


async def measure(entities: Sequence[RawEntity]) -> dict[str, Any]:
    """Seconds of each part, then of the whole."""
    seconds: dict[str, float] = {}

    def timed(name: str, work: Any) -> Any:
        began = time.perf_counter()
        found = work()
        seconds[name] = time.perf_counter() - began
        return found

    rules = GraphSettings()
    texts = [f"{entity.name}: {entity.description}" for entity in entities]
    vectors = timed("embedding (not counted)", lambda: embed_texts(texts))
    blocks = timed("equal names", lambda: link_equal_names(entities, rules))
    types = [entity.type for entity in entities]
    timed(
        "nearest earlier",
        lambda: nearest_earlier(
            vectors, k=rules.k, threshold=rules.threshold, blocks=blocks.of, types=types
        ),
    )
    timed("candidates by name", lambda: candidates_by_name(entities, rules.k))
    pairs = candidate_pairs(entities, vectors, blocks, rules, lambda e, k: [()] * len(e))
    by_name = candidate_pairs(entities, None, blocks, rules, candidates_by_name)
    began = time.perf_counter()
    ledger = Ledger()
    normalized = await normalize(entities, vectors, rules, Asking(AtOnce(), "Nobody"), ledger)
    seconds["the whole, with prompts and answers"] = time.perf_counter() - began
    groups = [[entities[row] for row in rows] for rows in normalized.groups]
    timed("merges", lambda: merges_of(raw_graph(groups, [])))
    return {
        "entities": len(entities),
        "pairs_by_meaning": len(pairs),
        "pairs_by_name": len(by_name),
        "decisions": len(ledger.decisions),
        "groups": len(groups),
        "seconds": {name: round(value, 2) for name, value in seconds.items()},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    process.set_up()  # as the command line has it
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--entities", type=int, default=50_000)
    parser.add_argument("--names", type=int, default=12_000)
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    found = asyncio.run(measure(made_up(told.entities, told.names)))
    if told.json:
        print(json.dumps(found, indent=2))
    else:
        for name, value in (found | found.pop("seconds")).items():
            print(f"{name:>40} {value}")


if __name__ == "__main__":
    main()
