"""Offbook: turns texts about a character into a character one can talk to.

Takes: nothing at import; names are loaded when they are used.  Gives: the public names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from offbook.app import Offbook as Offbook
    from offbook.errors import OffbookError as OffbookError
    from offbook.settings import load_settings as load_settings
    from offbook.types import Character as Character
    from offbook.types import Recall as Recall
    from offbook.types import Reply as Reply
    from offbook.types import Usage as Usage

__version__ = "0.1.0"

_LAZY = {
    "Character": "offbook.types",
    "Offbook": "offbook.app",
    "OffbookError": "offbook.errors",
    "Recall": "offbook.types",
    "Reply": "offbook.types",
    "Usage": "offbook.types",
    "load_settings": "offbook.settings",
}

__all__ = [
    "Character",
    "Offbook",
    "OffbookError",
    "Recall",
    "Reply",
    "Usage",
    "__version__",
    "load_settings",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that ``import offbook`` stays light."""
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'offbook' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
