"""Changes of the user's own settings file, which keeps its comments and its order.

Takes: the file's text, and values by dotted setting name.  Gives: its new text, checked as it is
when it is read, and what was there before.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from offbook.errors import STARS, ConfigurationError
from offbook.settings.loading import FLAG, USER, Settings, check_names, checked

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


@dataclass(frozen=True, slots=True)
class Change:
    """A setting that is another than before; None: not set. Keys are masked."""

    name: str
    before: str | None
    after: str | None

    def as_json(self) -> dict[str, str | None]:
        """A plain dictionary."""
        return asdict(self)

    def in_words(self) -> str:
        """One line."""
        before = "" if self.before is None else f" (before: {self.before})"
        return (
            f"{self.name} = {self.after}{before}" if self.after else f"{self.name}: unset{before}"
        )


@dataclass(frozen=True, slots=True)
class Edit:
    """The new text of a settings file, and how it differs."""

    text: str
    changes: tuple[Change, ...]


def edited(text: str, values: Mapping[str, Any], file: Path) -> Edit:
    """Put values into the text of a settings file; None takes one out.

    Raises:
        ConfigurationError: the text is no TOML, a name is unknown, or a value is not allowed.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    wrong: dict[str, Any] = {}
    try:
        document = tomlkit.parse(text)
        try:
            before = checked(tomllib.loads(text), f"{USER}{file}")
        except ConfigurationError:
            # What is to change may be what is wrong, such as the name of a plug-in that is gone.
            rest = tomlkit.parse(text)
            wrong = {name: _take_out(rest, name) for name in values}
            before = checked(tomllib.loads(tomlkit.dumps(rest)), f"{USER}{file}")
    except (TOMLKitError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(
            f"settings file {str(file)!r} is not valid TOML: {error}", "mend the line it names"
        ) from error
    check_names(values, FLAG)
    after = before.overlaid({name: value for name, value in values.items() if value is not None})
    changes = []
    for name, value in values.items():
        old = _shown(before, name) if wrong.get(name) is None else STARS
        if value is None:
            _take_out(document, name)
        else:
            _put(document, name, _plain(after, name))
        new = None if value is None else _shown(after, name)
        if old != new or (new == STARS and _plain(before, name) != _plain(after, name)):
            changes.append(Change(name, old, new))
    result = tomlkit.dumps(document)
    checked(tomllib.loads(result), f"{USER}{file}")
    return Edit(result, tuple(changes))


def _shown(settings: Settings, name: str) -> str | None:
    """How the file's value is told; None: it has none."""
    return str(settings.plain(name)) if name in settings.origins else None


def _plain(settings: Settings, name: str) -> Any:
    """A value as TOML writes it, keys too."""
    if name not in settings.origins:
        return None
    value = settings.value(name)
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def _path(name: str) -> list[str]:
    """The tables that a setting is in, and its key; a model's name may have dots."""
    if name.startswith("prices."):
        model, _, kind = name.removeprefix("prices.").rpartition(".")
        return ["prices", model, kind]
    return name.split(".")


def _put(document: TOMLDocument, name: str, value: Any) -> None:
    import tomlkit
    from tomlkit.items import InlineTable

    *sections, key = _path(name)
    place: MutableMapping[str, Any] = document
    for section in sections:
        if section not in place:
            inline = isinstance(place, InlineTable)
            table = tomlkit.table(is_super_table=section == "prices")
            place[section] = tomlkit.inline_table() if inline else table
        place = place[section]
    if isinstance(place.get(key), Mapping):
        raise ConfigurationError(f"{name!r} is a section of the file", "name a setting in it")
    if place.get(key) != value:
        place[key] = value


def _take_out(document: TOMLDocument, name: str) -> Any:
    """Take a setting out, and return its value; None where it was not there."""
    *sections, key = _path(name)
    place: MutableMapping[str, Any] = document
    for section in sections:
        if section not in place:
            return None
        place = place[section]
    return place.pop(key, None)
