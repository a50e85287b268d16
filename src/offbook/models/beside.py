"""What computes for long is worked out beside an event loop that serves many, and else at once.

A thread shares the interpreter with the loop: what it computes takes no less time, but streams go
on meanwhile, turn about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from typing import Final, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

P = ParamSpec("P")
T = TypeVar("T")

_THREADS: Final = 4
"""So many share the processor with the loop at once; what comes then waits for its turn."""
_FIRST_SECONDS: Final = 0.02
"""Longer than it takes to send the calls that are due."""

_beside: WeakKeyDictionary[asyncio.AbstractEventLoop, Executor] = WeakKeyDictionary()


async def worked_out(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of ``function``, which computes and waits for nothing."""
    loop = asyncio.get_running_loop()
    executor = _beside.get(loop)
    if executor is None:
        await asyncio.sleep(0)  # what else wants the loop has its turn
        return function(*args, **kwargs)
    work = partial(copy_context().run, function, *args, **kwargs)
    return await loop.run_in_executor(executor, work)


async def calls_first() -> None:
    """Wait until the calls that are due have gone out, before work that nobody waits for."""
    await asyncio.sleep(_FIRST_SECONDS)


@contextmanager
def working_beside() -> Iterator[None]:
    """While it lasts, what computes for long does not hold up the running event loop."""
    loop = asyncio.get_running_loop()
    before = _beside.get(loop)
    executor = _beside[loop] = ThreadPoolExecutor(_THREADS, thread_name_prefix="offbook-work")
    try:
        yield
    finally:
        if before is None:
            del _beside[loop]
        else:
            _beside[loop] = before
        executor.shutdown(wait=False, cancel_futures=True)
