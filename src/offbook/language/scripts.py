"""Which script a text is mainly written in, cheaply.

Takes: text.  Gives: one of six names.  Source: ours.
Long texts are judged by samples from their beginning, middle and end.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Script = Literal["latin", "cjk", "kana", "hangul", "cyrillic", "other"]

_SAMPLE: Final = 4096
_LETTERS: Final[tuple[tuple[Script, re.Pattern[str], int], ...]] = (
    ("latin", re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+"), 1),
    ("cjk", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"), 3),
    ("kana", re.compile("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]+"), 3),
    ("hangul", re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]+"), 3),
    ("cyrillic", re.compile("[\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]+"), 1),
)
"""A wide character weighs as much as three letters: it says as much."""

_OTHER_LETTERS: Final = re.compile(r"[^\W\d_]+")
_JAPANESE_KANA: Final = 0.15
"""From this share of kana among kana and ideographs on, a text is Japanese."""


def dominant_script(text: str) -> Script:
    """The script that most of ``text`` is in; ``kana`` stands for Japanese, ideographs included."""
    sample = text
    if len(text) > 3 * _SAMPLE:
        middle = (len(text) - _SAMPLE) // 2
        sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE] + text[-_SAMPLE:]
    weights: dict[Script, int] = {
        script: weight * sum(map(len, pattern.findall(sample)))
        for script, pattern, weight in _LETTERS
    }
    plain = sum(weights[script] // weight for script, _, weight in _LETTERS)
    weights["other"] = sum(map(len, _OTHER_LETTERS.findall(sample))) - plain
    wide = weights["cjk"] + weights["kana"]
    if wide and weights["kana"] >= _JAPANESE_KANA * wide:
        weights["kana"], weights["cjk"] = wide, 0
    best = max(weights, key=lambda script: weights[script])
    return best if weights[best] > 0 else "other"
