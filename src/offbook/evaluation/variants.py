"""Methods as a person names them for a run, each perhaps with settings of its own.

Takes: ``naive,amadeus[amadeus.gs=off]``.  Gives: names with their settings, and the label that
stands for each in records and tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from offbook.errors import UsageError

_METHOD: Final = re.compile(r"\s*([^\s\[\],]+)\s*(?:\[([^\[\]]*)\]\s*)?(?:,|$)")
_PRESET: Final = "preset"


@dataclass(frozen=True, slots=True)
class Asked:
    """A method with the settings in which it is to differ."""

    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """``amadeus``, or ``amadeus[amadeus.gs=off]``: settings by name."""
        if not self.settings:
            return self.method
        told = ";".join(f"{name}={value}" for name, value in sorted(self.settings.items()))
        return f"{self.method}[{told}]"


def methods_named(texts: Sequence[str]) -> tuple[Asked, ...]:
    """The methods of ``a,b[name=value;name=value]``, in one text or in several.

    A setting without a dot is one of the method's own: ``amadeus[gs=off]``.

    Raises:
        UsageError: a text cannot be read so, or two of the methods are one.
    """
    found: list[Asked] = []
    for text in texts:
        place = 0
        while place < len(text):
            match = _METHOD.match(text, place)
            if match is None:
                raise UsageError(
                    f"the methods {text!r} cannot be read from {text[place:]!r} on",
                    "write a,b,c or a[name=value;name=value],b",
                )
            found.append(Asked(match[1], _settings(match[1], match[2] or "")))
            place = match.end()
    labels = [asked.label for asked in found]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise UsageError(f"the method {twice[0]!r} is named twice", "name each once")
    return tuple(found)


def _settings(method: str, text: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name:
            raise UsageError(
                f"{part!r} of the method {method!r} sets nothing", f"write {method}[name=value]"
            )
        full = name if "." in name or name == _PRESET else f"{method}.{name}"
        settings[full] = value
    return settings
