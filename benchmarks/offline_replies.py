"""What the offline backend does with real questions: answered, declined, leaks, time.

Takes: a questions file (``question``, ``character`` or ``persona``, ``scope`` in or out) beside
the paragraphs of the profiles.  Gives: counts as JSON; ``--show N`` prints every N-th reply.

    python benchmarks/offline_replies.py ../shared/data/character_llm/questions.jsonl
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from math import log
from pathlib import Path
from time import perf_counter
from typing import Any

from offbook.language.clauses import quoted_spans
from offbook.language.names import Names
from offbook.language.questions import read_question
from offbook.language.words import search_terms
from offbook.models.offline.evidence import gather
from offbook.models.offline.reply import is_answered, names_in, reply
from offbook.prompts.reply import ReplyInputs
from offbook.types import ContextItem

_K = 3
_AS_AN_AI = re.compile(
    r"\bas an? (?:ai|artificial|language model)\b|\blanguage model\b", re.IGNORECASE
)


@dataclass
class Counts:
    """What is counted over the questions of one scope."""

    questions: int = 0
    answered: int = 0
    support: float = 0.0
    names_outside_quotations: int = 0
    as_an_ai: int = 0
    milliseconds: list[float] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Shares and means instead of sums."""
        shape = asdict(self)
        times = sorted(shape.pop("milliseconds"))
        n = max(1, self.questions)
        return {
            **shape,
            "answered_share": round(self.answered / n, 3),
            "support": round(self.support / n, 3),
            "milliseconds_median": round(times[len(times) // 2], 2) if times else None,
            "milliseconds_most": round(times[-1], 2) if times else None,
        }


class Profile:
    """The paragraphs of one character, found by BM25 (k1 = 1.2, b = 0.75)."""

    def __init__(self, paragraphs: Sequence[dict[str, Any]]) -> None:
        self._paragraphs = paragraphs
        self._counts = [
            Counter(search_terms(" ".join([*row["headings"], row["text"]]))) for row in paragraphs
        ]
        self._holding = Counter(term for counts in self._counts for term in counts)
        self._average = sum(map(Counter.total, self._counts)) / len(paragraphs)

    def context(self, question: str) -> tuple[ContextItem, ...]:
        """The three best paragraphs."""
        terms = set(search_terms(question))
        scored = [(-self._score(counts, terms), at) for at, counts in enumerate(self._counts)]
        rows = [self._paragraphs[at] for _, at in sorted(scored)[:_K]]
        return tuple(
            ContextItem("knowledge", ", ".join(row["headings"]), row["text"], 1.0) for row in rows
        )

    def _score(self, counts: Counter[str], terms: set[str]) -> float:
        number, length = len(self._counts), counts.total()
        norm = 1.2 * (0.25 + 0.75 * length / self._average)
        return sum(
            log(1 + (number - self._holding[term] + 0.5) / (self._holding[term] + 0.5))
            * counts[term]
            * 2.2
            / (counts[term] + norm)
            for term in terms
            if counts[term]
        )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--paragraphs", type=Path, help="default: profile_paragraphs.jsonl nearby")
    parser.add_argument("--show", type=int, default=0, help="print every n-th reply")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    beside = options.file.parent / "profile_paragraphs.jsonl"
    if not beside.exists():
        beside = options.file.parent.parent / "character_llm" / "profile_paragraphs.jsonl"
    profiles = read_profiles(options.paragraphs or beside)
    by_kind = measure(read_rows(options.file), profiles, options.show)
    shape = {name: counts.as_json() for name, counts in sorted(by_kind.items())}
    shares = [by_kind[scope].answered / by_kind[scope].questions for scope in ("in", "out")]
    shape["balanced_accuracy"] = {"value": round((shares[0] + 1 - shares[1]) / 2, 3)}
    print(json.dumps(shape, indent=None if options.json else 2))
    return 0


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_profiles(path: Path) -> dict[str, Profile]:
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_rows(path):
        rows[row["character"]].append(row)
    return {character: Profile(paragraphs) for character, paragraphs in rows.items()}


def measure(
    rows: Iterable[dict[str, Any]], profiles: dict[str, Profile], show: int
) -> dict[str, Counts]:
    found: dict[str, Counts] = defaultdict(Counts)
    for at, row in enumerate(rows):
        character = row.get("character") or row["persona"]
        if character not in profiles:
            continue
        context = profiles[character].context(row["question"])
        inputs = ReplyInputs(character, "", (), (), context, row["question"])
        start = perf_counter()
        text = reply(inputs)
        seconds = perf_counter() - start
        names = names_in(character, context)
        for key in {row["scope"], f"{row['scope']}: {row.get('kind') or row.get('topic_id')}"}:
            count(found[key], inputs, text, names, seconds)
        if show and at % show == 0:
            print(f"[{character}, {row['scope']}] {row['question']}\n    {text}", file=sys.stderr)
    return dict(found)


def count(counts: Counts, inputs: ReplyInputs, text: str, names: Names, seconds: float) -> None:
    question = read_question(inputs.question, names.words)
    counts.questions += 1
    counts.answered += is_answered(inputs)
    counts.support += gather(inputs.context).support(question.terms)
    counts.names_outside_quotations += names_own(text, names)
    counts.as_an_ai += bool(_AS_AN_AI.search(text))
    counts.milliseconds.append(1000 * seconds)


def names_own(text: str, names: Names) -> bool:
    """Whether the character's own name stands outside quotations and its introduction."""
    plain = re.sub(r"\bI am [A-Z][^.]*\.", "", text)
    for start, end in reversed(quoted_spans(plain)):
        plain = plain[:start] + plain[end:]
    return any(re.search(rf"\b{re.escape(word)}\b", plain, re.IGNORECASE) for word in names.words)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
