"""Making very many small objects: without the cyclic garbage collector looking at all of them.

Takes: a block of code.  Gives: the same, up to a third faster for a hundred thousand chunks.
Chunks, spans and headings are never part of a cycle, so reference counting frees them anyway; the
collector would visit every one again and again as their number grows.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector; leave it alone if it is off already."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
