"""Offline summaries, made of the very sentences of the texts: profile, cluster, conversation.

Takes: the inputs of ``profile``, ``summarize_cluster``, ``summarize_conversation`` and
``distil_turns``.  Gives: at most about 120 words; of turns what was told. Source: ours; extractive.
Paper: a sentence of a cluster is central whose terms are those that many of the others have, after
Radev, Jing, Styś, Tam 2004 (centroid-based summarization).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log1p, sqrt
from typing import TYPE_CHECKING, Final

from offbook.names.character import Names, learn_names
from offbook.prompts.distilling import Statement, Statements
from offbook.prompts.summaries import ClusterInputs, ClusterSummary, ProfileInputs
from offbook.retrieval.statements import told_sentences
from offbook.rules.evidence import Evidence, gather
from offbook.rules.quoting import is_editorial, without_editorial
from offbook.text.clauses import tokens_of
from offbook.text.sentences import sentences
from offbook.text.tokens import count_tokens, truncate_to_tokens
from offbook.types import ContextItem

if TYPE_CHECKING:
    from offbook.prompts.distilling import DistilTurnsInputs
    from offbook.prompts.summaries import SummarizeConversationInputs
    from offbook.types import Turn

_CLUSTER_TOKENS: Final = 160
"""About 120 words."""
_CHARACTERS_A_TOKEN: Final = 4
_REPEATS: Final = 0.6
_WIDE: Final = 0x2E80
"""From here on the scripts that put no blank between sentences."""
_PROFILE_WORDS: Final = 120
_LONGEST: Final = 45
_LEADING: Final = 2
_TELLING: Final = (
    (3.0, re.compile(r"\b(?:is|was|are|am) (?:an? |the |one of )")),
    (2.0, re.compile(r"\b(?:born|native of|grew up|son of|daughter of|child of|comes from)\b")),
    (1.0, re.compile(r"\b(?:father|mother|wife|husband|brother|sister|friend|married|teacher)\b")),
    (1.0, re.compile(r"\b(?:became|known (?:as|for)|famous|best|founded|wrote|led|discovered)\b")),
    (0.7, re.compile(r"\b(?:loves?|hates?|believes?|fears?|always|never)\b")),
)
_EARLY: Final = 6.0
_FALLBACK_CHARACTERS: Final = 500
_FALLBACK_SENTENCES: Final = 4
_CONVERSATION_TOKENS: Final = 200
"""About 150 words."""
_TURN_TOKENS: Final = 24
_WIDE_STOPS: Final = ("。", "！", "？")


def summarize_cluster(inputs: ClusterInputs) -> ClusterSummary:
    """Choose the sentences that say most of what all say."""
    evidence = _gathered(_without_headings(passage) for passage in inputs.passages)
    texts = [" ".join(without_editorial(s.text).split()) for s in evidence.sentences]
    ranked = sorted(
        (-worth, place)
        for place, worth in _centrality(evidence).items()
        if any(map(str.isalnum, texts[place]))
    )
    chosen: list[int] = []
    left = _CLUSTER_TOKENS * _CHARACTERS_A_TOKEN
    for _, place in ranked:
        if len(texts[place]) <= left and not _repeats(evidence, place, chosen):
            chosen.append(place)
            left -= len(texts[place])
    text = _joined([texts[place] for place in sorted(chosen)])
    return ClusterSummary(summary=text or _beginning(inputs))


def profile(inputs: ProfileInputs) -> str:
    """Choose the sentences that say who the character is, where from, whom it belongs to."""
    evidence = _gathered(inputs.passages)
    names = learn_names(inputs.character, (), inputs.passages)
    ranked = sorted(
        (-worth, place)
        for place in range(len(evidence.sentences))
        if (worth := _worth_of_profile(evidence, names, place)) > 0
    )
    chosen: list[int] = []
    left = _PROFILE_WORDS
    for _, place in ranked:
        size = len(_plain(evidence, place).split())
        if size <= left and not _repeats(evidence, place, chosen):
            chosen.append(place)
            left -= size
    named = [place for place in chosen if names.mentions(tokens_of(evidence.sentences[place].text))]
    if not named:
        return _first_sentences(evidence) or inputs.character
    # No "he" before the name.
    return _joined([_plain(evidence, place) for place in sorted(chosen) if place >= min(named)])


def summarize_conversation(inputs: SummarizeConversationInputs) -> str:
    """Repeat what was said, a clause each, oldest first, within the length of a model's answer."""
    lines: list[str] = []
    left = _CONVERSATION_TOKENS
    for turn in reversed(inputs.turns):
        line = _turn_line(turn, inputs.character)
        cost = count_tokens(line)
        if lines and cost > left:
            break
        lines.insert(0, line)
        left -= cost
    if inputs.summary and left > _TURN_TOKENS:
        lines.insert(0, truncate_to_tokens(inputs.summary, left))
    return " ".join(lines)


def distil_turns(inputs: DistilTurnsInputs) -> Statements:
    """Give each sentence that tells something as a fact, in the words in which it was told."""
    return Statements(
        statements=[
            Statement(turns=[number], kind="fact", text=sentence, same_as=None, replaces=[])
            for number, turn in enumerate(inputs.turns, 1)
            for sentence in told_sentences(turn.said)
        ]
    )


def _gathered(passages: Iterable[str]) -> Evidence:
    return gather([ContextItem("knowledge", "", passage, 0.0) for passage in passages])


def _without_headings(passage: str) -> str:
    """The text alone: headings stand in the first line."""
    head, line_break, text = passage.partition("\n")
    stops = (".", "!", "?", "…", '"', "”", "。", "！", "？")
    return text if line_break and not head.rstrip().endswith(stops) else passage


def _centrality(evidence: Evidence) -> dict[int, float]:
    """Place of a sentence -> how central it is; headings are none."""
    plain = {
        n: s.counts for n, s in enumerate(evidence.sentences) if s.kind != "heading" and s.counts
    }
    spread = Counter(term for counts in plain.values() for term in counts)
    shared = {term: log1p(count) for term, count in spread.items() if count > 1}
    return {
        place: sum(shared.get(term, 0.0) for term in counts) / sqrt(4 + len(counts))
        for place, counts in plain.items()
    }


def _repeats(evidence: Evidence, place: int, chosen: Sequence[int]) -> bool:
    terms = set(evidence.sentences[place].counts)
    return any(
        len(terms & set(evidence.sentences[other].counts)) > _REPEATS * len(terms)
        for other in chosen
    )


def _joined(parts: Sequence[str]) -> str:
    text = ""
    for part in parts:
        text += part if not text or ord(text[-1]) > _WIDE else f" {part}"
    return text


def _beginning(inputs: ClusterInputs) -> str:
    """Where there is no sentence that is short enough: the beginning of the first passage."""
    filled = [" ".join(p.split()) for p in inputs.passages if p.strip()]
    speaking = (text for text in filled if any(map(str.isalnum, text)))
    whole = next(speaking, filled[0] if filled else inputs.character)
    return truncate_to_tokens(whole, _CLUSTER_TOKENS).strip() or inputs.character


def _worth_of_profile(evidence: Evidence, names: Names, place: int) -> float:
    """How much a sentence says of who the character is; early sentences say more."""
    sentence = evidence.sentences[place]
    text = _plain(evidence, place)
    if not sentence.answers or not text or len(text.split()) > _LONGEST or is_editorial(text):
        return 0.0
    tokens = tokens_of(sentence.text)
    spans = names.mentions(tokens)
    first = tokens[0].low if tokens else ""
    speaks = first in ("i", "you", "he", "she", "my", "your", "his", "her")
    if not spans and not (speaks and place < 12):
        return 0.0
    leads = not spans or spans[0][0] <= _LEADING
    signs = sum(weight for weight, sign in _TELLING if sign.search(text))
    position = (1.0 if spans else 0.6) * (1.0 if leads else 0.3)
    return (0.5 + signs) * (1.0 + _EARLY / (3 + place)) * position


def _plain(evidence: Evidence, place: int) -> str:
    text = " ".join(without_editorial(evidence.sentences[place].text).split())
    return text if not text or text[-1] in '.!?…。！？”"' else f"{text}."


def _first_sentences(evidence: Evidence) -> str:
    """The beginning, where nothing names the character (other scripts, notes, lists)."""
    taken: list[str] = []
    for place, sentence in enumerate(evidence.sentences):
        size = sum(map(len, taken)) + len(sentence.text)
        if sentence.kind != "heading" and size <= _FALLBACK_CHARACTERS:
            taken.append(_plain(evidence, place))
    return _joined(taken[:_FALLBACK_SENTENCES])


def _turn_line(turn: Turn, character: str) -> str:
    said, answered = _first_sentence(turn.said), _first_sentence(turn.answered)
    if answered.endswith(_WIDE_STOPS):
        return f"对方说：{said}{character}说：{answered}"
    return f"The other person said: {said} {character} said: {answered}"


def _first_sentence(text: str) -> str:
    """The first sentence, shortened, with a full stop."""
    beginning = text[:2_000]
    spans = sentences(beginning)
    start, end = spans[0] if spans else (0, 200)
    first = " ".join(beginning[start:end].split())
    short = truncate_to_tokens(first, _TURN_TOKENS).strip()
    return short if short.endswith((".", "!", "?", "…", *_WIDE_STOPS)) else f"{short}."
