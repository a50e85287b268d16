"""The interpreter, as a process wants it that serves many at once.

Takes: nothing.  Gives: a quicker event loop where one is installed, and, while a server runs, a
collector that leaves alone what was loaded before and threads that wait less for one another.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio

_COLLECT_AFTER: Final = (20_000, 10, 20)
"""Objects until the collector looks; its usual 700 are those of two or three tokens."""
_SWITCH_SECONDS: Final = 0.0005
"""After so long a thread that waits gets its turn. The event loop and the threads that read the
database wait for one another several times a request: at the usual 5 ms each that is a delay that
people hear."""


def new_event_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Makes the quicker event loop; None where it is not installed, such as on Windows."""
    try:
        import uvloop
    except ImportError:
        return None
    make: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return make


@contextmanager
def tuned() -> Iterator[None]:
    """While it lasts, collections and switches of threads are as a server wants them."""
    thresholds, seconds = gc.get_threshold(), sys.getswitchinterval()
    # What is loaded by now stays until the end; looking through it takes a tenth of a second,
    # in which no token would go out.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(seconds)
        gc.set_threshold(*thresholds)
        gc.unfreeze()
