"""The open offbook of the application, as a dependency of its routes.

Takes: a request.  Gives: the offbook, for this one command: what it asks of models is counted and
limited for itself.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from offbook.app.book import Offbook
from offbook.app.commands import command_of


async def current_book(request: Request) -> Offbook:
    """Offbook for one request; async, or each would ask a thread for it."""
    return command_of(request.app.state.book)


Book = Annotated[Offbook, Depends(current_book)]
