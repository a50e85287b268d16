"""What every wrapper around a model passes on unchanged.

Takes: a model.  Gives: its name and address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.types import ModelTraits, traits_of

if TYPE_CHECKING:
    from offbook.protocols import ChatModel


class AroundModel:
    """Something that stands before a model, and goes by its name.

    Args:
        inner: What it stands before.
    """

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The model's name."""
        return self._inner.name

    @property
    def traits(self) -> ModelTraits:
        """What sets it apart."""
        return traits_of(self._inner)

    @property
    def base_url(self) -> str:
        """Where it answers."""
        return self._inner.base_url
