"""Which address and key a model role gets, and the rule that keys follow.

Takes: the settings with their origins.  Gives: resolved endpoints.  A key goes only to a base_url
from the same source or a more trusted one: a downloaded folder must not collect keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from offbook import registry
from offbook.errors import ConfigurationError
from offbook.settings.loading import DEFAULT, ENVIRONMENT, OPENAI_ADDRESS, Origin, Settings

_BUILT_IN: Final = Origin("OpenAI's own address")
_BY_WINDOW: Final = Origin("the model's window")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model and where it answers; ``base_url`` is None for those of the registry.

    ``section`` is the section of the settings that names it: chat's, where a role has none of its
    own. ``thinks`` says that the model thinks aloud.
    """

    model: str
    base_url: str | None
    api_key: str | None = field(default=None, repr=False)
    section: str = "chat"
    thinks: bool = False

    @property
    def embedded(self) -> bool:
        """Whether nothing leaves the machine."""
        return self.base_url is None


@dataclass(frozen=True, slots=True)
class _Sourced:
    value: str
    origin: Origin


def endpoint_of(settings: Settings, role: str) -> Endpoint:
    """Resolve the endpoint of ``chat``, ``extract``, ``judge``, ``embed`` or ``rerank``.

    Of ``extract`` and ``judge`` what is not set is chat's.

    Raises:
        ConfigurationError: it is not said where the model answers, or the key would go astray.
    """
    section = getattr(settings.values, role)
    values = (section.model, section.base_url, section.api_key)
    if role in ("extract", "judge") and values == (None, None, None):
        role, section = "chat", settings.values.chat
    model = section.model or settings.values.chat.model
    known = registry.names("embedder" if role == "embed" else "model")
    if model in known:
        return Endpoint(model, None, section=role)
    named = _given(settings, f"{role}.base_url") or _given(settings, "chat.base_url")
    url = named or _openai_url(settings)
    _check_url(url.value, role)
    key = _key(settings, role, url)
    if url.origin is _BUILT_IN and key is None:
        raise ConfigurationError(
            f"{role}.model is {model!r}, and nothing says where it answers",
            f"set {role}.base_url (or OPENAI_API_KEY, for OpenAI's own), or name one that needs "
            f"no address: {', '.join(known)}",
        )
    if key is not None and key.origin.trusted and not url.origin.trusted:
        raise ConfigurationError(
            f"the key from {key.origin.label} would go to {url.value!r}, an address that "
            f"{url.origin.label} names",
            f"set {role}.base_url in the environment, by flag or in your own config.toml "
            "if you trust that address",
        )
    thinks = getattr(section, "thinks", None)
    return Endpoint(
        model,
        url.value.rstrip("/"),
        key.value if key else None,
        role,
        settings.values.chat.thinks if thinks is None else thinks,
    )


_OWN_WORDS: Final = 1_000
"""Tokens of a reply prompt beside what was recalled and said: its rules, style and lines."""


def fitted(settings: Settings, window: int | None, slots: int | None) -> Settings:
    """Fit what nobody has set to an endpoint: a turn to its window, calls in flight to its slots.

    A quarter of the window is left to the reply and to lorebooks; what was recalled and what was
    said share the rest as they do without one, after what somebody set of either. What a preset
    sets is fitted as defaults are, and so is what another window was fitted to.

    Args:
        settings: Those in force.
        window: Tokens of prompt and answer; None: not known. ``chat.context_tokens`` is it, if set.
        slots: Calls that it takes at once; None: not known, and few where it is a server of one's
            own, which makes the others wait or share memory.
    """
    settings = settings.without(_BY_WINDOW)
    values = settings.values
    overlay: dict[str, int] = {}
    if values.chat.context_tokens is None and window is not None:
        overlay["chat.context_tokens"] = max(512, window)
    window = values.chat.context_tokens or window
    if window is not None:
        room = window * 3 // 4
        overlay["profile.budget_tokens"] = min(values.profile.budget_tokens, max(200, room))
        wished = {
            "context.budget_tokens": values.context.budget(),
            "context.history_tokens": values.context.history_tokens,
        }
        free = {name: tokens for name, tokens in wished.items() if _is_free(settings, name)}
        room = max(200, room - _OWN_WORDS - sum(wished.values()) + sum(free.values()))
        for name, tokens in free.items():
            share = max(100, tokens * room // max(1, sum(free.values())))
            if share < tokens:
                overlay[name] = share
    if slots is None and is_own(str(values.chat.base_url or "")):
        slots = FEW_AT_ONCE
    if slots is not None:
        overlay["limits.concurrency"] = min(slots, values.limits.concurrency)
    mine = {n: v for n, v in overlay.items() if _is_free(settings, n)}
    changed = {name: value for name, value in mine.items() if value != settings.plain(name)}
    return settings.overlaid(changed, _BY_WINDOW) if changed else settings


FEW_AT_ONCE: Final = 2
"""Calls at once where a server of one's own does not say how many it takes."""


def is_own(base_url: str) -> bool:
    """Whether an address is one of this machine or of a private network, by its host."""
    host = urlsplit(base_url).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        # A name without a dot is the machine's own, or that of a container beside this one.
        return bool(host) and ("." not in host or host.endswith((".local", ".localhost", ".lan")))
    return address.is_loopback or address.is_private


def _is_free(settings: Settings, name: str) -> bool:
    """Whether nobody has set it."""
    origin = settings.origin(name)
    return origin == DEFAULT or origin.of_preset


def _key(settings: Settings, role: str, url: _Sourced) -> _Sourced | None:
    given_key = _given(settings, f"{role}.api_key")
    if given_key is not None:
        return given_key
    chat_url = _given(settings, "chat.base_url") or _openai_url(settings)
    inherited = _given(settings, "chat.api_key")
    if inherited is not None and _same(chat_url.value, url.value):
        return inherited
    standard = settings.openai.get("OPENAI_API_KEY")
    if standard and _same(url.value, _openai_url(settings).value):
        return _Sourced(standard, ENVIRONMENT)
    return None


def _openai_url(settings: Settings) -> _Sourced:
    named = settings.openai.get("OPENAI_BASE_URL")
    if named:
        return _Sourced(named, ENVIRONMENT)
    return _Sourced(OPENAI_ADDRESS, _BUILT_IN)


def _given(settings: Settings, name: str) -> _Sourced | None:
    section, _, key = name.partition(".")
    value = getattr(getattr(settings.values, section), key)
    if value is None:
        return None
    plain = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
    return _Sourced(plain, settings.origin(name)) if plain else None


def _same(one: str, other: str) -> bool:
    return one.rstrip("/") == other.rstrip("/")


def _check_url(url: str, role: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:  # such as brackets that do not close
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(
            f"{role}.base_url is {url!r}, which is not an http or https address",
            "for example http://localhost:11434/v1 (Ollama) or http://localhost:8000/v1 (vLLM)",
        )
    if parts.username or parts.password:
        raise ConfigurationError(
            f"{role}.base_url of host {parts.hostname!r} carries a user name or password",
            f"put the key into {role}.api_key instead",
        )
