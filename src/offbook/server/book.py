"""The open offbook of the application, as a dependency of its routes.

Takes: a request.  Gives: the offbook.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from offbook.app.book import Offbook


async def current_book(request: Request) -> Offbook:
    """The open offbook of the application; async, or each request would ask a thread for it."""
    book: Offbook = request.app.state.book
    return book


Book = Annotated[Offbook, Depends(current_book)]
