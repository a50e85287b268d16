"""The picture of a card that has none: a head and shoulders before a colour of its own.

Takes: a name.  Gives: the bytes of a small PNG file, always the same for the same name.
"""

from __future__ import annotations

import colorsys
import hashlib
from functools import lru_cache

from offbook.cards.png import rgb_png

WIDTH, HEIGHT = 128, 192


@lru_cache(maxsize=32)
def default_avatar(name: str) -> bytes:
    """A PNG picture, 128 by 192 pixels, whose colour follows from ``name``."""
    hue = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=1).digest()[0] / 256
    rows = bytearray()
    figure = _colour(hue, 0.35, 0.92)
    for y in range(HEIGHT):
        ground = _colour(hue, 0.55, 0.30 + 0.35 * y / HEIGHT)
        rows.append(0)
        for x in range(WIDTH):
            rows += figure if _inside(x - WIDTH / 2 + 0.5, y) else ground
    return rgb_png(WIDTH, HEIGHT, bytes(rows))


def _colour(hue: float, saturation: float, value: float) -> bytes:
    return bytes(round(255 * part) for part in colorsys.hsv_to_rgb(hue, saturation, value))


def _inside(x: float, y: float) -> bool:
    head = (x / 26) ** 2 + ((y - 74) / 32) ** 2 <= 1
    shoulders = (x / 54) ** 2 + ((y - 192) / 72) ** 2 <= 1
    return head or shoulders
