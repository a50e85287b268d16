"""Levels of the eight emotions, as they may be stored.

Takes: a value from the database or an archive.  Gives: whether it is an emotion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeGuard

from offbook.language.emotion_names import EMOTIONS, LEAST, MOST


def is_emotion(value: Any) -> TypeGuard[Mapping[str, float]]:
    """Whether ``value`` has a level from 1 to 10 for each of the eight emotions."""
    return isinstance(value, Mapping) and all(
        isinstance(level := value.get(name), int | float)
        and math.isfinite(level)
        and LEAST <= level <= MOST
        for name in EMOTIONS
    )
