"""Who you are to characters, which model replies, and by which method; tried before it is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook import registry
from offbook.app.commands import configured
from offbook.app.doctor import examine
from offbook.app.setup import Choice, changed_user_file, cost_of, write_choice
from offbook.errors import OffbookError
from offbook.settings.loading import ENVIRONMENT, FLAG, USER, Origin, user_config_file
from offbook.types import traits_of
from offbook.ui.elements import (
    busy,
    button,
    link,
    live_part,
    named,
    notice,
    once,
    part,
    text,
)

if TYPE_CHECKING:
    from offbook.settings import Settings
    from offbook.ui.visitor import Visitor

ADDRESS: Final = "/settings"
_OFFLINE: Final = "Offline: replies quote the texts."
_NO_MODEL: Final = dict.fromkeys(("chat.model", "chat.base_url", "chat.api_key"))
_PERSONA: Final = 4_000


def tell_offline(visitor: Visitor) -> None:
    """Say that no language model replies, and where that is changed."""
    if traits_of(visitor.command().runtime().actor).measures:
        return
    with part("p", "offline"):
        text("span", f"{_OFFLINE} ")
        if visitor.is_owner:
            link("Set a model", ADDRESS)
        else:
            text("span", "The owner of the server can set a model for conversation.")


async def show_preferences(visitor: Visitor) -> None:
    """Show what the owner may set."""
    if not visitor.is_owner:
        raise OffbookError("settings are the owner's", "ask whoever runs this server")
    with part("div", "hero"):
        text("h1", "Settings")
        text("p", f"They are kept in {user_config_file()} and take effect at once.", "quiet")
    _persona(visitor)
    _Model(visitor).show()


def _persona(visitor: Visitor) -> None:
    user = visitor.book.settings.values.user

    async def keep() -> None:
        values = {
            "user.name": (name.value or "").strip() or None,
            "user.description": (about.value or "").strip() or None,
        }
        await _keep(visitor, values)

    with named(part("form", "panel"), aria_label="You") as form:
        text("h2", "You")
        text("p", "What characters call you, and what they know of you when you talk.", "quiet")
        name = ui.input("Your name", value=user.name).props("outlined dense maxlength=200")
        about = ui.textarea("About you", value=user.description).props("outlined autogrow rows=2")
        about.props["maxlength"] = _PERSONA
        with part("div", "bar"):
            button("Save", icon="check", look="primary", label="Save who you are").props(
                "type=submit"
            )
    form.on("submit.prevent", once(keep))


async def _keep(visitor: Visitor, values: dict[str, Any]) -> None:
    """Write settings into the owner's file, and let the server follow them."""
    await visitor.admit()
    settings = visitor.book.settings
    changed_user_file(user_config_file(), values)
    await visitor.configure(_as_kept(_following(settings, values), values))
    _say_kept(settings, values)


def _following(settings: Settings, values: dict[str, Any]) -> Settings:
    """The settings in force with these; without what is taken out."""
    origins = {n: origin for n, origin in settings.origins.items() if n not in values}
    rest = replace(settings, origins=origins)
    return rest.overlaid({name: value for name, value in values.items() if value is not None})


def _as_kept(settings: Settings, names: Iterable[str]) -> Settings:
    """The settings, some of which the owner's file has from now on."""
    mine = Origin(f"{USER}{user_config_file()}")
    kept = {name: mine for name in names if name in settings.origins}
    return replace(settings, origins={**settings.origins, **kept})


def _say_kept(settings: Settings, names: Iterable[str]) -> None:
    above = [name for name in names if settings.origin(name) in (ENVIRONMENT, FLAG)]
    if above:
        words = f"It holds until the server ends: {', '.join(above)} is set when it starts."
        ui.notify(words, type="warning", position="top", timeout=10_000)
    else:
        ui.notify("Saved.", type="positive", position="top")


class _Model:
    """The form of model and method.

    Args:
        visitor: The owner.
    """

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor

    def show(self) -> None:
        """Build it where it stands."""
        values = self._visitor.book.settings.values
        model = "" if values.chat.model == "offline" else values.chat.model
        with named(part("form", "panel"), aria_label="Model") as form:
            text("h2", "Model")
            hint = (
                "Any endpoint that speaks OpenAI's protocol: Ollama, LM Studio, llama.cpp, vLLM, a "
                "provider. Without a model replies quote the texts, and cost nothing."
            )
            text("p", hint, "quiet")
            self._url = ui.input("Address", value=values.chat.base_url or "")
            self._url.props("outlined dense placeholder='http://127.0.0.1:11434/v1'")
            self._name = ui.input("Model", value=model).props("outlined dense")
            self._key = ui.input("Key, if it needs one", password=True).props("outlined dense")
            if values.chat.api_key is not None:
                self._key.props["placeholder"] = "one is set; it stays unless you write another"
            self._method = ui.select(
                registry.names("method"), value=values.method, label="How replies are grounded"
            ).props("outlined dense")
            with part("div", "bar"):
                button("Test", once(self._test), icon="bolt").props("type=button")
                button("Save", icon="check", look="primary", label="Save the model").props(
                    "type=submit"
                )
            self._told = live_part("listed")
        form.on("submit.prevent", once(self._keep))

    def _choice(self) -> Choice | None:
        """What is written in the form; None: no model."""
        name = (self._name.value or "").strip()
        if not name:
            return None
        choice = Choice((self._url.value or "").strip(), name, self._key.value or None)
        return choice if choice.api_key else choice.keeping_key(self._visitor.book.settings)

    def _settings(self) -> Settings:
        settings, choice = self._visitor.book.settings, self._choice()
        made = _following(settings, _NO_MODEL) if choice is None else choice.on_top_of(settings)
        return made.overlaid({"method": self._method.value})

    async def _test(self) -> None:
        """Ask the model for what it would have to do, and say how that went."""
        await self._visitor.admit()
        self._told.clear()
        settings = self._settings()
        with busy("The model is tried; a local one may take a while to load"):
            checks = await examine(configured(self._visitor.book, settings))
        if self._told.is_deleted:
            return
        with self._told:
            for check in checks:
                words = f"{check.name}: {check.detail}"
                if check.ok:
                    text("p", f"✓ {words}", "good")
                else:
                    notice(words, check.hint, "bad")
            cost = cost_of(settings)
            if cost is not None:
                text("p", f"It would cost {cost.in_words()}.", "quiet")

    async def _keep(self) -> None:
        await self._visitor.admit()
        before, choice, settings = self._visitor.book.settings, self._choice(), self._settings()
        method = {"method": self._method.value}
        if choice is None:
            changed_user_file(user_config_file(), _NO_MODEL | method)
        else:
            write_choice(user_config_file(), choice)
            changed_user_file(user_config_file(), method)
        names = (*_NO_MODEL, *method)
        await self._visitor.configure(_as_kept(settings, names))
        _say_kept(before, names)
