"""What computes long, worked out in the thread behind requests: streams of replies go on meanwhile.

Takes: a request, and work on an open offbook.  Gives: its result.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from offbook.app.commands import command_of

if TYPE_CHECKING:
    from fastapi import Request

    from offbook.app.book import Offbook

T = TypeVar("T")


async def aside(request: Request, work: Callable[[Offbook], Coroutine[Any, Any, T]]) -> T:
    """The result of work on the offbook of that thread.

    Raises:
        OffbookError: whatever the work raises.
    """
    found: T = await request.app.state.background.aside(work)
    return found


async def commanded(
    request: Request, work: Callable[[Offbook], Coroutine[Any, Any, T]], **flags: Any
) -> T:
    """The result of one command, with settings of its own.

    Raises:
        OffbookError: whatever the work raises.
    """
    return await aside(request, lambda book: work(command_of(book, **flags)))
