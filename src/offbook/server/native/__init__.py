"""The native API: ``/api/...`` for all that the command line does.

Takes: requests.  Gives: JSON in the shapes of the command line's ``--json``.
"""

from __future__ import annotations

from fastapi import APIRouter


def routers() -> list[APIRouter]:
    """The routers of the native API, in the order in which paths are tried."""
    return []
