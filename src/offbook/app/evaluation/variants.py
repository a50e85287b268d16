"""The settings of a method that an evaluation compares, and offbook as that method sees it.

Takes: the settings in force, and methods as a person named them.  Gives: variants for the record,
and for each a view with its own settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from offbook import registry
from offbook.errors import UsageError
from offbook.evaluation.record import Variant
from offbook.evaluation.variants import Asked, methods_named

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.models.metering import Meter
    from offbook.pipeline import Stage
    from offbook.settings import Settings
    from offbook.types import Character

_OF_THE_RUN: Final = (
    "home",
    "database.",
    "chat.",
    "extract.",
    "judge.",
    "embed.",
    "limits.",
    "prices.",
    "method",
)
"""Settings that belong to the run as a whole: a variant may not have its own."""
_APART: Final = ("preset", "memory.", "mood.", "server.")
"""Settings that stand elsewhere in the record, or change no reply outside of a conversation."""


@dataclass(frozen=True, slots=True)
class AsVariant:
    """Offbook with the settings of a variant; models, store and meter are the run's."""

    book: Offbook
    variant: Variant
    settings: Settings

    @property
    def store(self) -> Any:
        """The open store."""
        return self.book.store

    def stage(self, dimension: int | None = None) -> Stage:
        """Store and models, counting on the command's meter."""
        return replace(self.book.stage(dimension), settings=self.settings.values)

    def stage_of(self, character: Character, meter: Meter) -> Stage:
        """Store and models for a character, counting on a meter of a cell."""
        stage = self.book.stage(character.dimension, meter)
        return replace(stage, settings=self.settings.values)


def variants_of(book: Offbook, texts: Sequence[str]) -> tuple[AsVariant, ...]:
    """The methods that are to be compared; none named: the configured one.

    Raises:
        UsageError: a method cannot be read, is named twice, or sets what holds for the whole run.
        UnknownName: there is no such method.
        ConfigurationError: there is no such setting, or it cannot have that value.
    """
    asked = methods_named(texts) or (Asked(book.settings.values.method),)
    return tuple(_variant(book, each) for each in asked)


def _variant(book: Offbook, asked: Asked) -> AsVariant:
    registry.load("method", asked.method)
    for name in asked.settings:
        if name.startswith(_OF_THE_RUN):
            raise UsageError(
                f"{name!r} holds for the whole run, not for the method {asked.method!r} alone",
                "give it as an option of the command",
            )
    settings = book.settings.overlaid({**asked.settings, "method": asked.method})
    named = Variant(asked.label, asked.method, settings.values.preset, _differing(settings))
    return AsVariant(book, named, settings)


def _differing(settings: Settings) -> Mapping[str, Any]:
    """The settings that are neither defaults nor the preset's, as far as they decide replies."""
    return {
        name: settings.plain(name)
        for name, origin in sorted(settings.origins.items())
        if not name.startswith((*_OF_THE_RUN, *_APART)) and not origin.of_preset
    }
