"""Choosing a real model: what could answer, whether it does, what it would cost, and writing it.

Takes: an endpoint, its key and a model.  Gives: the checks of ``offbook doctor`` with them, costs
by measured tokens, and the user's settings file with them in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from offbook.app.files import write_whole
from offbook.errors import ConfigurationError, UnknownName
from offbook.models.metering import Price
from offbook.settings.endpoints import endpoint_of
from offbook.settings.loading import ENVIRONMENT, LIST_PRICE, USER
from offbook.settings.user_file import edited

if TYPE_CHECKING:
    from pathlib import Path

    from offbook.models.servers import ModelServer
    from offbook.settings import Settings
    from offbook.settings.user_file import Change

PROVIDERS: Final[Mapping[str, str]] = {
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai",
    "mistral": "https://api.mistral.ai/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "groq": "https://api.groq.com/openai/v1",
}
"""OpenAI-compatible endpoints of providers."""

_OF_THE_MODEL: Final = ("chat.context_tokens", "chat.thinks")
"""Settings that say something of a model, and nothing of the next."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Of a piece of work, as benchmarks/RESULTS.md has them."""

    prompt: int
    completion: int


TURN: Final = Tokens(2_820, 30)
"""Two calls of the ensemble, without the reply's own tokens, which are as many as one wishes:
"Replies with a strong model", ensemble (prompt tokens a turn; small answer)."""
DOCUMENT_KB: Final = 50
DOCUMENT: Final = Tokens(DOCUMENT_KB * 1_124, DOCUMENT_KB * 1_081)
"""Indexing for the ensemble: "Who is who", profile of 49.8 KB at a simulated endpoint, tokens a KB
now, prompt + completion."""
REPLY: Final = Tokens(0, 100)
"""For scale: some 75 English words."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a model would cost, in USD; ``prices`` is where its price is from."""

    turn_usd: float
    reply_usd: float
    document_usd: float
    prices: str

    def in_words(self) -> str:
        """One line."""
        return (
            f"about {self.turn_usd:.4f} USD a turn, and {self.reply_usd:.4f} for each "
            f"{REPLY.completion} tokens of a reply; about {self.document_usd:.2f} USD to read "
            f"{DOCUMENT_KB} KB of text ({self.prices})"
        )

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Choice:
    """A model, where it answers, and the key; None: none is kept in the file."""

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)

    def settings(self) -> dict[str, str | None]:
        """Those that make it answer."""
        return {
            "chat.model": self.model,
            "chat.base_url": self.base_url,
            "chat.api_key": self.api_key,
        }

    def keeping_key(self, settings: Settings) -> Choice:
        """With the key that the user's file has for the same address, if it has one."""
        key, origin = settings.values.chat.api_key, settings.origin("chat.api_key")
        same = settings.values.chat.base_url == self.base_url
        if key is None or not same or not origin.label.startswith(USER):
            return self
        return replace(self, api_key=key.get_secret_value())

    def on_top_of(self, settings: Settings) -> Settings:
        """The settings in force, as they would be with it; a key of the environment stays."""
        before = settings.values.chat
        values: dict[str, Any] = self.settings()
        if self.api_key is None and settings.origin("chat.api_key") == ENVIRONMENT:
            del values["chat.api_key"]
        if (before.model, before.base_url) != (self.model, self.base_url):
            mine = {name for name in _OF_THE_MODEL if settings.origin(name).label.startswith(USER)}
            origins = {n: origin for n, origin in settings.origins.items() if n not in mine}
            settings = replace(settings, origins=origins)
        return settings.overlaid(values)

    def key_for(self, settings: Settings) -> str | None:
        """The key that would be sent: this one, or one of the environment."""
        named = replace(self, model=self.model or "any")
        return endpoint_of(named.on_top_of(settings), "chat").api_key


def require_model(server: ModelServer, model: str) -> str:
    """The model's name as the server has it, where it lists any.

    Raises:
        UnknownName: it is not there; the hint names those that are most like it.
    """
    if not server.models or model in server.models:
        return model
    if f"{model}:latest" in server.models:  # Ollama's way
        return f"{model}:latest"
    near = get_close_matches(model, server.models, 3, 0.4) or server.models[:5]
    raise UnknownName(
        f"{server.program} at {server.base_url} has no model {model!r}",
        f"it has {', '.join(near)}",
    )


def cost_of(settings: Settings) -> Cost | None:
    """What the chat model of the settings would cost; None: it has no price."""
    model = settings.values.chat.model
    row = settings.values.prices.get(model)
    if row is None:
        return None
    price = Price(row.prompt, row.completion)
    origin = settings.origin(f"prices.{model}.prompt")
    turn, document, reply = (
        price.of(work.prompt, work.completion) for work in (TURN, DOCUMENT, REPLY)
    )
    where = origin.label if origin == LIST_PRICE else f"prices.{model} of {origin.label}"
    return Cost(turn, reply, document, where)


def write_choice(file: Path, choice: Choice) -> tuple[Change, ...]:
    """Write a model into the user's settings file, and take out what was of another one.

    Raises:
        ConfigurationError: the file is not valid.
        StoreFailed: it cannot be written; it is as it was.
    """
    values: dict[str, Any] = choice.settings()
    changes = changed_user_file(file, values, write=False)
    if {"chat.model", "chat.base_url"} & {change.name for change in changes}:
        values |= dict.fromkeys(_OF_THE_MODEL)
    return changed_user_file(file, values)


def changed_user_file(
    file: Path, values: Mapping[str, Any], *, write: bool = True
) -> tuple[Change, ...]:
    """Write settings into the user's file, which nobody else may read from then on.

    Args:
        file: The file; it need not be there.
        values: By dotted name; None takes a setting out.
        write: Whether to write, or to say only what would change.

    Raises:
        ConfigurationError: the file is not valid, or a setting is not.
        StoreFailed: it cannot be written; it is as it was.
    """
    file = file.expanduser().resolve()
    try:
        text = file.read_text("utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"settings file {str(file)!r} cannot be read: {error}", "mend its permissions, or it"
        ) from error
    edit = edited(text, values, file)
    if write and edit.text != text:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(
                f"the folder of {str(file)!r} cannot be made: {error.strerror}",
                "OFFBOOK_CONFIG may name another file",
            ) from error
        write_whole(file, edit.text, private=True)
    return edit.changes
