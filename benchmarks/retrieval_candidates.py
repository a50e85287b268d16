"""The ways of finding passages that quality_retrieval.py compares.

Takes: the passages of one character, a question.  Gives: a score a passage. What offbook ships is
called as it ships; variants are written here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from offbook.language.words import search_terms
from offbook.models import builtin, static_vectors
from offbook.models.builtin import embed_texts
from offbook.retrieval.dense import top_positions
from offbook.retrieval.fusion import convex_combination, reciprocal_rank_fusion
from offbook.retrieval.lexical import K1, B, LexicalIndex, encode_terms

REFERENCE: Final = "BM25"
HASHED: Final = slice(0, builtin.DIMENSION - static_vectors.DIMENSION)
MEANING: Final = slice(builtin.DIMENSION - static_vectors.DIMENSION, builtin.DIMENSION)

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with its heading path."""

    headings: str
    text: str

    @property
    def whole(self) -> str:
        """Heading path and text, as offbook embeds them."""
        return f"{self.headings}\n{self.text}" if self.headings else self.text


class Passages:
    """The passages of one character with their indices, each built when first asked for."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = passages
        self.ids = [str(position) for position in range(len(passages))]
        self.encoded: dict[str, Scores] = {}

    @cached_property
    def lexical(self) -> LexicalIndex:
        """Terms of heading path and text."""
        return LexicalIndex.from_blobs(self.ids, [encode_terms(p.whole) for p in self.passages])

    @cached_property
    def lexical_text(self) -> LexicalIndex:
        """Terms of the text alone."""
        return LexicalIndex.from_blobs(self.ids, [encode_terms(p.text) for p in self.passages])

    @cached_property
    def counts(self) -> list[Counter[str]]:
        """Terms as strings, for the variants."""
        return [Counter(search_terms(p.whole)) for p in self.passages]

    @cached_property
    def builtin(self) -> Scores:
        """Vectors of heading path and text."""
        return embed_texts([p.whole for p in self.passages])

    @cached_property
    def builtin_text(self) -> Scores:
        """Vectors of the text alone."""
        return embed_texts([p.text for p in self.passages])


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way of finding passages, and the size of what it needs to ship."""

    name: str
    bytes: int
    scores: Callable[[Passages, str], Scores]


def _nothing(passages: Passages, _question: str) -> Scores:
    return np.zeros(len(passages.ids), dtype=np.float32)


def _first(passages: Passages, _question: str) -> Scores:
    return -np.arange(len(passages.ids), dtype=np.float32)


def _bm25(passages: Passages, question: str) -> Scores:
    return passages.lexical.scores(question)


def _bm25_text(passages: Passages, question: str) -> Scores:
    return passages.lexical_text.scores(question)


def _bm25_plus(passages: Passages, question: str) -> Scores:
    """BM25+ (Lv, Zhai 2011), delta = 1."""
    counts = passages.counts
    lengths = np.array([c.total() for c in counts], dtype=np.float64)
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    totals = np.zeros(len(counts))
    for term, times in Counter(search_terms(question)).items():
        frequency = np.array([c[term] for c in counts], dtype=np.float64)
        holding = int((frequency > 0).sum())
        if holding:
            weight = times * np.log((len(counts) + 1) / holding)
            totals += weight * (frequency > 0) * (1 + frequency * (K1 + 1) / (frequency + norm))
    return totals.astype(np.float32)


def _tf_idf(passages: Passages, question: str) -> Scores:
    """Cosine of the full sparse vectors: root of the count times inverse document frequency."""
    counts = passages.counts
    holding = Counter(term for own in counts for term in own)

    def weights(own: Counter[str]) -> dict[str, float]:
        return {
            term: n**0.5 * float(np.log1p(len(counts) / (holding[term] + 0.5)))
            for term, n in own.items()
        }

    asked = weights(Counter(search_terms(question)))
    scores = []
    for own in map(weights, counts):
        length = np.sqrt(sum(w * w for w in own.values())) or 1.0
        scores.append(sum(w * own.get(term, 0.0) for term, w in asked.items()) / length)
    return np.array(scores, dtype=np.float32)


def _product(matrix: Scores, vector: Scores) -> Scores:
    scores: Scores = matrix @ vector
    return scores


def _builtin(passages: Passages, question: str) -> Scores:
    return _product(passages.builtin, embed_texts([question])[0])


def _builtin_text(passages: Passages, question: str) -> Scores:
    return _product(passages.builtin_text, embed_texts([question])[0])


def _block(columns: slice) -> Callable[[Passages, str], Scores]:
    def scores(passages: Passages, question: str) -> Scores:
        return _product(passages.builtin[:, columns], embed_texts([question])[0][columns])

    return scores


Dense = Callable[[Passages, str], Scores]


def _rrf(dense: Dense, weight: float) -> Dense:
    def scores(passages: Passages, question: str) -> Scores:
        lexical, similar = _bm25(passages, question), dense(passages, question)
        rankings = []
        for each in (lexical, similar):
            ranking = top_positions(each, len(each))
            rankings.append(ranking[each[ranking] > 0])
        return reciprocal_rank_fusion(rankings, [1.0, weight], len(lexical))

    return scores


def _convex(dense: Dense, weight: float) -> Dense:
    def scores(passages: Passages, question: str) -> Scores:
        highest = passages.lexical.highest_score(question) or 1.0
        matches = passages.lexical.scores(question) / np.float32(highest)
        return convex_combination(matches, dense(passages, question), weight)

    return scores


def _fusions(name: str, size: int, dense: Dense) -> Iterable[Candidate]:
    for weight in (0.25, 0.5, 1.0):
        yield Candidate(f"BM25 + {weight} {name}, rank fusion", size, _rrf(dense, weight))
    for weight in (0.25, 0.5, 1.0):
        yield Candidate(f"BM25 + {weight} {name}, convex", size, _convex(dense, weight))


def _shipped_bytes() -> int:
    folder = Path(static_vectors.__file__).parent / "data"
    return sum(file.stat().st_size for file in folder.iterdir())


SHIPPED: Final = _shipped_bytes()

CANDIDATES: Final = (
    Candidate("random", 0, _nothing),
    Candidate("first passages", 0, _first),
    Candidate(REFERENCE, 0, _bm25),
    Candidate("BM25, text alone", 0, _bm25_text),
    Candidate("BM25+", 0, _bm25_plus),
    Candidate("TF-IDF cosine, sparse", 0, _tf_idf),
    Candidate("hashed terms, 512", 0, _block(HASHED)),
    Candidate("static vectors, 256", SHIPPED, _block(MEANING)),
    Candidate("builtin (both, 768)", SHIPPED, _builtin),
    Candidate("builtin, text alone", SHIPPED, _builtin_text),
    *_fusions("hashed", 0, _block(HASHED)),
    *_fusions("builtin", SHIPPED, _builtin),
)


def minilm(source: Path) -> tuple[Candidate, ...]:
    """all-MiniLM-L6-v2 itself, run by NumPy: what the static vectors were distilled from."""
    from tokenizers import Tokenizer

    from distil_static import MiniLM

    model = MiniLM(source)
    tokenizer = Tokenizer.from_str(model.tokenizer_json)
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)

    @cache
    def encode(text: str) -> Scores:
        vector: Scores = model.encode(np.array([tokenizer.encode(text).ids]))[0]
        return vector / np.float32(np.linalg.norm(vector))

    def scores(passages: Passages, question: str) -> Scores:
        if "minilm" not in passages.encoded:
            passages.encoded["minilm"] = np.stack([encode(p.whole) for p in passages.passages])
        return _product(passages.encoded["minilm"], encode(question))

    size = sum(weight.nbytes for weight in model.weights.values())
    return (Candidate("MiniLM (384)", size, scores), *_fusions("MiniLM", size, scores))
