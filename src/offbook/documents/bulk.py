"""Making very many small objects: without the cyclic garbage collector looking at all of them.

Takes: a block of code.  Gives: the same, up to a third faster for a hundred thousand chunks.
Chunks, spans and headings are never part of a cycle, so reference counting frees them anyway; the
collector would visit every one again and again as their number grows.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MANY: Final = 10_000
"""More new objects than this are not looked at when the collector goes on."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector; leave it alone if it is off already.

    It would begin again by visiting everything that was made. So where that is much, it passes at
    once to the generation of old objects, to which it would come sooner or later.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        # Whoever keeps objects out of the collector's sight for good wants them left there.
        if gc.get_count()[0] > MANY and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        gc.enable()
