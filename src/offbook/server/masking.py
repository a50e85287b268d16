"""Secrets out of whatever is written or answered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, SecretStr

from offbook.app.api_keys import PREFIX
from offbook.errors import STARS, hide_passwords

if TYPE_CHECKING:
    from offbook.settings import Settings

_SHORTEST: Final = 6
"""A configured secret that is shorter would put stars into ordinary words."""

# Keys of ours, keys as the usual services form them, and whatever follows their header's name.
_FORMS: Final = re.compile(
    rf"\b{PREFIX}_[0-9a-f]{{12}}_[A-Za-z0-9_-]{{8,}}"
    r"|\b(?:sk|pk|rk|gsk|hf|xai)[-_][A-Za-z0-9_-]{12,}"
    r"|(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9+/=._~-]{8,}"
)


class Masking:
    """Puts stars in the place of secrets."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({text for text in secrets if len(text) >= _SHORTEST}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        if self._known is not None:
            text = self._known.sub(STARS, text)
        return hide_passwords(_FORMS.sub(STARS, text))


masking: ContextVar[Masking | None] = ContextVar("masking", default=None)
"""What masks the answer to the request that is being served."""


def masked(text: str) -> str:
    """The text without secrets, as far as the request that is being served knows them."""
    return (masking.get() or _MASKING)(text)


_MASKING: Final = Masking()


def secrets_of(settings: Settings) -> set[str]:
    """The secrets that the settings hold, and the environment's for the SDK."""
    secrets = set(_secrets_in(settings.values))
    if key := settings.openai.get("OPENAI_API_KEY"):
        secrets.add(key)
    return secrets


def _secrets_in(value: Any) -> Iterable[str]:
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _secrets_in(getattr(value, name))
