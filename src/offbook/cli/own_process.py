"""The process of a command is ours alone, and is set up for what commands do.

Takes: nothing.  Gives: a collector that looks seldom, and matrix products on one core. Whoever uses
the library in a process of their own decides this themselves (docs/library.md).
"""

from __future__ import annotations

import gc
import os
from typing import Final

_COLLECT_AFTER: Final = (50_000, 20, 20)
"""New objects until the collector looks. Importing makes hundreds of thousands of objects, none of
them garbage: by default a tenth of a command's processor time goes into looking at them again."""
_ONE_CORE: Final = "OPENBLAS_NUM_THREADS"
"""Read by NumPy's matrix library as it is loaded. Its threads wait for one another by turning in
circles: where something else wants the cores, a product of 0.5 ms takes 16, and most of ours are
small; with all cores free a large one takes up to as many times as long without them."""


def set_up() -> None:
    """To be called before NumPy is imported; what the user's environment says stays."""
    gc.set_threshold(*_COLLECT_AFTER)
    os.environ.setdefault(_ONE_CORE, "1")
