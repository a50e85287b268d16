"""Methods as a run compares them, each perhaps with settings: ``naive,amadeus[amadeus.gs=off]``.

Each is asked through a view of the open home with its own settings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from offbook import registry
from offbook.errors import UsageError
from offbook.evaluation.record import Variant
from offbook.types import as_tuple

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.models.metering import Meter
    from offbook.runtime import Runtime
    from offbook.settings import Settings
    from offbook.types import Character


_METHOD: Final = re.compile(r"\s*([^\s\[\],]+)\s*(?:\[([^\[\]]*)\]\s*)?(?:,|$)")
_PRESET: Final = "preset"


@dataclass(frozen=True, slots=True)
class ChosenMethod:
    """A method with the settings in which it is to differ."""

    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """``amadeus``, or ``amadeus[amadeus.gs=off]``: settings by name."""
        if not self.settings:
            return self.method
        listed = ";".join(f"{name}={value}" for name, value in sorted(self.settings.items()))
        return f"{self.method}[{listed}]"


def methods_named(texts: Sequence[str]) -> tuple[ChosenMethod, ...]:
    """The methods of ``a,b[name=value;name=value]``, in one text or in several.

    A setting without a dot is one of the method's own: ``amadeus[gs=off]``.

    Raises:
        UsageError: a text cannot be read so, or two of the methods are one.
    """
    methods: list[ChosenMethod] = []
    for text in as_tuple(texts):
        place = 0
        while place < len(text):
            match = _METHOD.match(text, place)
            if match is None:
                raise UsageError(
                    f"the methods {text!r} cannot be read from {text[place:]!r} on",
                    "write a,b,c or a[name=value;name=value],b",
                )
            methods.append(ChosenMethod(match[1], _settings(match[1], match[2] or "")))
            place = match.end()
    labels = [method.label for method in methods]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise UsageError(f"the method {twice[0]!r} is named twice", "name each once")
    return tuple(methods)


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


_OF_THE_RUN: Final = (
    "home",
    "database.",
    "chat.",
    "extract.",
    "judge.",
    "evaluation.",
    "embed.",
    "limits.",
    "prices.",
    "method",
)
"""Settings that belong to the run as a whole: a variant may not have its own."""
_APART: Final = ("preset", "memory.", "mood.", "server.")
"""Settings that stand elsewhere in the record, or change no reply outside of a conversation."""


@dataclass(frozen=True, slots=True)
class VariantView:
    """Offbook with the settings of a variant; models, store and meter are the run's."""

    book: Offbook
    variant: Variant
    settings: Settings

    @property
    def store(self) -> Any:
        """The open store."""
        return self.book.store

    def runtime(self, dimension: int | None = None) -> Runtime:
        """Store and models, counting on the command's meter."""
        return replace(self.book.runtime(dimension), settings=self.settings.values)

    def runtime_for(self, character: Character, meter: Meter) -> Runtime:
        """Store and models for a character, counting on a meter of a cell."""
        runtime = self.book.runtime(character.dimension, meter)
        return replace(runtime, settings=self.settings.values)


def variants_of(book: Offbook, texts: Sequence[str]) -> tuple[VariantView, ...]:
    """The methods that are to be compared; none named: the configured one.

    Raises:
        UsageError: a method cannot be read, is named twice, or sets what holds for the whole run.
        UnknownName: there is no such method.
        ConfigurationError: there is no such setting, or it cannot have that value.
    """
    methods = methods_named(texts) or (ChosenMethod(book.settings.values.method),)
    return tuple(_variant(book, each) for each in methods)


def _variant(book: Offbook, chosen: ChosenMethod) -> VariantView:
    registry.load("method", chosen.method)
    for name in chosen.settings:
        if name.startswith(_OF_THE_RUN):
            raise UsageError(
                f"{name!r} holds for the whole run, not for the method {chosen.method!r} alone",
                "give it as an option of the command",
            )
    settings = book.settings.overlaid({**chosen.settings, "method": chosen.method})
    named = Variant(chosen.label, chosen.method, settings.values.preset, _differing(settings))
    return VariantView(book, named, settings)


def _differing(settings: Settings) -> Mapping[str, Any]:
    """The settings that are neither defaults nor the preset's, as far as they decide replies."""
    return {
        name: settings.plain(name)
        for name, origin in sorted(settings.origins.items())
        if not name.startswith((*_OF_THE_RUN, *_APART)) and not origin.of_preset
    }
