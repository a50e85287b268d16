"""The offline summary of a cluster: the most central sentences of its passages, in their order.

Takes: the inputs of the prompt ``summarize_cluster``.  Gives: at most about 120 words, each
sentence as a passage has it. Source: ours; extractive. A sentence is central whose terms are those
that many of the others have, after Radev, Jing, Styś, Tam 2004 (centroid-based summarization).
"""

from __future__ import annotations

from collections import Counter
from math import log1p, sqrt
from typing import Final

from offbook.language.tokens import truncate_to_tokens
from offbook.models.offline.editorial import without_editorial
from offbook.models.offline.evidence import Evidence, gather
from offbook.prompts.cluster_summary import ClusterInputs, ClusterSummary
from offbook.types import ContextItem

_TOKENS: Final = 160
"""About 120 words."""
_CHARACTERS_A_TOKEN: Final = 4
_REPEATS: Final = 0.6
_WIDE: Final = 0x2E80
"""From here on the scripts that put no blank between sentences."""


def summarize_cluster(inputs: ClusterInputs) -> ClusterSummary:
    """The sentences that say most of what all say."""
    passages = [_without_headings(passage) for passage in inputs.passages]
    items = [ContextItem("knowledge", "", passage, 0.0) for passage in passages]
    evidence = gather(items)
    told = [" ".join(without_editorial(s.text).split()) for s in evidence.sentences]
    worth = _worth(evidence)
    ranked = sorted((-much, place) for place, much in worth.items() if told[place])
    chosen: list[int] = []
    left = _TOKENS * _CHARACTERS_A_TOKEN
    for _, place in ranked:
        if len(told[place]) <= left and not _repeats(evidence, place, chosen):
            chosen.append(place)
            left -= len(told[place])
    text = _joined([told[place] for place in sorted(chosen)])
    return ClusterSummary(summary=text or _beginning(inputs))


def _without_headings(passage: str) -> str:
    """The text alone: headings stand in the first line."""
    head, line_break, text = passage.partition("\n")
    stops = (".", "!", "?", "…", '"', "”", "。", "！", "？")
    return text if line_break and not head.rstrip().endswith(stops) else passage


def _worth(evidence: Evidence) -> dict[int, float]:
    """Place of a sentence -> how central it is; headings are none."""
    plain = {n: s.counts for n, s in enumerate(evidence.sentences) if not s.is_heading and s.counts}
    spread = Counter(term for counts in plain.values() for term in counts)
    shared = {term: log1p(count) for term, count in spread.items() if count > 1}
    return {
        place: sum(shared.get(term, 0.0) for term in counts) / sqrt(4 + len(counts))
        for place, counts in plain.items()
    }


def _repeats(evidence: Evidence, place: int, chosen: list[int]) -> bool:
    mine = set(evidence.sentences[place].counts)
    return any(
        len(mine & set(evidence.sentences[other].counts)) > _REPEATS * len(mine) for other in chosen
    )


def _joined(parts: list[str]) -> str:
    text = ""
    for part in parts:
        text += part if not text or ord(text[-1]) > _WIDE else f" {part}"
    return text


def _beginning(inputs: ClusterInputs) -> str:
    """Where there is no sentence that is short enough: the beginning of the first passage."""
    whole = next((" ".join(p.split()) for p in inputs.passages if p.strip()), inputs.character)
    return truncate_to_tokens(whole, _TOKENS).strip() or inputs.character
