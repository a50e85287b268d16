"""What computes for long is worked out beside an event loop that serves many, and else at once.

Takes: a function and its arguments.  Gives: its result.  A thread shares the interpreter with the
loop: what it computes takes no less time, but streams go on meanwhile, turn about.  What is worked
out at once can be done in parts, which wait until nothing else wants the loop: calls go out first.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from typing import Final, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

_THREADS: Final = 4
"""So many share the processor with the loop at once; what comes then waits for its turn."""

_LOOK_SECONDS: Final = 0.004
_BUSY_SECONDS: Final = 0.001
_RESTS: Final = 5
_LOOKS: Final = 50
_TURNS: Final = 1_000
_IDLE_SECONDS: Final = 0.000_1
"""A turn of the loop in which nothing was done is shorter, one in which a call went out longer."""

_beside: WeakKeyDictionary[asyncio.AbstractEventLoop, Executor] = WeakKeyDictionary()


async def worked_out(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of ``function``, which computes and waits for nothing."""
    loop = asyncio.get_running_loop()
    executor = _beside.get(loop)
    if executor is None:
        return function(*args, **kwargs)
    work = partial(copy_context().run, function, *args, **kwargs)
    return await loop.run_in_executor(executor, work)


async def worked_out_in_parts(function: Callable[[S], T], parts: Iterable[S]) -> list[T]:
    """The results of ``function`` for each part, in their order; see :func:`worked_out`."""
    results = []
    for part in parts:
        await _give_way()
        results.append(await worked_out(function, part))
    return results


async def calls_first() -> None:
    """Wait until the running event loop is at rest for 20 ms, but not for longer than 0.2 s.

    For work that nobody waits for as long as models answer: what is asked of them goes out first,
    but for very large documents, whose reading is a rest, too.
    """
    rest = 0
    for _ in range(_LOOKS):
        before = time.perf_counter()
        await asyncio.sleep(_LOOK_SECONDS)
        is_late = time.perf_counter() - before > _LOOK_SECONDS + _BUSY_SECONDS
        rest = 0 if is_late else rest + 1
        if rest == _RESTS:
            return


async def _give_way() -> None:
    """Wait until nothing else wants the running event loop, though not for ever.

    In a server another thread does the work, and the loop need not be waited for.
    """
    if asyncio.get_running_loop() in _beside:
        return
    for _ in range(_TURNS):
        before = time.perf_counter()
        await asyncio.sleep(0)
        if time.perf_counter() - before < _IDLE_SECONDS:
            return


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
