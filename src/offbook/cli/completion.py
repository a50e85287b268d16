"""What the shell completes: characters, methods and settings.

Takes: the beginning of a word.  Gives: what it may become; nothing where anything fails, since the
shell has no place for an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing, suppress

import typer

from offbook.errors import OffbookError


def characters_beginning(context: typer.Context, incomplete: str) -> list[str]:
    """Ids of the characters of the embedded database; another one is not asked at each key."""
    import sqlite3

    from offbook.app.home import DATABASE_FILE
    from offbook.settings import load_settings

    names: list[str] = []
    with suppress(OffbookError, OSError, sqlite3.Error):
        settings = load_settings({"home": context.find_root().params.get("home")})
        file = settings.values.home.expanduser().absolute() / DATABASE_FILE
        if settings.values.database.url is None and file.is_file():
            # Nothing is made or brought up to date, and nobody who writes is waited for.
            with closing(
                sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=0)
            ) as opened:
                names = [name for (name,) in opened.execute("SELECT id FROM characters")]
    return _beginning(names, incomplete)


def methods_beginning(incomplete: str) -> list[str]:
    """Names of methods, those of other packages too."""
    from offbook import registry

    return _beginning(registry.names("method"), incomplete)


def setting_names_beginning(incomplete: str) -> list[str]:
    """Names of settings."""
    from offbook.settings.model import setting_names

    return _beginning(setting_names(), incomplete)


def assignments_beginning(incomplete: str) -> list[str]:
    """Names of settings, with the sign that a value follows."""
    return [f"{name}=" for name in setting_names_beginning(incomplete)]


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
