"""Names with an article that a passage itself gives to somebody: "known on the coast as the Gull".

Takes: a passage and the names found in it.  Gives: where such a name stands, and whose it is. By
themselves such names look like things with a capital. Source: ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from offbook.language.name_evidence import other_names
from offbook.language.words import fold
from offbook.models.offline.entity_kinds import Span
from offbook.models.offline.passage_words import Passage


def told_aliases(passage: Passage, spans: Sequence[Span]) -> dict[Span, Span]:
    """Spans of tokens, the article included, to the span of the name that is the same.

    Args:
        passage: The passage.
        spans: Spans of names.
    """
    owners = _owners(passage, spans)
    found: dict[Span, Span] = {}
    for index in range(len(passage.tokens) - 1):
        if passage.word(index) != "the" or not passage.touches(index, index + 1):
            continue
        for words in owners.get(fold(passage.tokens[index + 1].text), ()):
            last = index + 1 + len(words)
            if _spells(passage, index + 1, last, words):
                found[index, last] = owners[words[0]][words]
                break
    return found


def _owners(passage: Passage, spans: Sequence[Span]) -> dict[str, dict[tuple[str, ...], Span]]:
    """First word -> words of an alias -> whose it is, as far as the passage has them."""
    owners: dict[str, dict[tuple[str, ...], Span]] = defaultdict(dict)
    for first, last in spans:
        start, end = passage.sentences[passage.sentence[first]]
        sentence = passage.text[start:end]
        name = passage.text[passage.tokens[first].start : passage.tokens[last - 1].end]
        for alias in other_names(sentence, name):
            words = tuple(alias.split())
            owners[words[0]].setdefault(words, (first, last))
    return owners


def _spells(passage: Passage, first: int, last: int, words: Sequence[str]) -> bool:
    """Whether tokens are these words, each with a capital and no further one behind them."""
    tokens = passage.tokens[first:last]
    if [fold(token.text) for token in tokens] != list(words):
        return False
    goes_on = last < len(passage.tokens) and passage.tokens[last].is_capital
    joined = goes_on and passage.touches(last - 1, last)
    return all(token.is_capital for token in tokens) and not joined
