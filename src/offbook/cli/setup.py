"""``offbook setup``: find a model or ask for one, try it, tell what it costs, and write it down."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import typer

from offbook.cli.options import Json, Yes, settings_for
from offbook.cli.output import awaited, print_json, say, visible, with_offbook, write
from offbook.errors import Interrupted, UsageError

if TYPE_CHECKING:
    from offbook.app.doctor import Check
    from offbook.app.setup import Choice, Cost
    from offbook.models.servers import ModelServer
    from offbook.settings import Settings
    from offbook.settings.user_file import Change

_FEW: Final = 12
"""Models that fit on a screen beside the rest; of more, the name has to be typed."""
_ELSEWHERE: Final = "another address"


@dataclass(frozen=True, slots=True)
class Address:
    """Where to ask; ``is_open`` where a list of models was given without a key."""

    base_url: str
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """What was said with the command, and whether somebody can be asked for the rest."""

    provider: str | None
    base_url: str | None
    model: str | None
    key_from: str | None
    asks: bool


def setup_command(
    provider: str | None = typer.Option(
        None,
        help="A provider: openai, openrouter, anthropic, google, mistral, deepseek or groq.",
    ),
    base_url: str | None = typer.Option(None, help="Address of any OpenAI-compatible endpoint."),
    model: str | None = typer.Option(None, help="The model's name."),
    key_from: str | None = typer.Option(
        None, metavar="VARIABLE", help="The environment variable that holds the key."
    ),
    yes: Yes = False,
    as_json: Json = False,
) -> int:
    """Choose a real model: find one on this machine or name a provider, try it, write it down.

    Without options it looks for Ollama, LM Studio, llama.cpp and vLLM on their usual ports of this
    machine, and asks what it does not know. The key is kept in your own settings file, which nobody
    else may read.
    """
    asks = sys.stdin.isatty() and not yes and not as_json
    if not asks and not yes:
        raise UsageError(
            "there is no terminal to ask at: a model is tried, which may cost, and written down",
            "add -y (--yes), with --provider or --base-url, --model and --key-from as needed",
        )
    try:
        return _set_up(Wish(provider, base_url, model, key_from, asks), as_json=as_json)
    except (KeyboardInterrupt, typer.Abort, EOFError):
        raise Interrupted("interrupted", "no setting was written") from None


def _set_up(wish: Wish, *, as_json: bool) -> int:
    from offbook.app.setup import cost_of, require_model, write_choice
    from offbook.models.servers import models_at
    from offbook.settings import user_config_file

    settings = settings_for()
    choice = _with_key(wish, _endpoint(wish), settings)
    server = awaited(lambda: models_at(choice.base_url, choice.key_for(settings)))
    name = wish.model or _model(server, wish)
    choice = replace(choice, base_url=server.base_url, model=require_model(server, name))
    say(f"trying {choice.model} at {choice.base_url}; the first answer may take a while ...")
    would_be = choice.on_top_of(settings)
    checks = with_offbook(would_be, lambda book: book.doctor())
    cost = cost_of(would_be)
    failed = [check for check in checks if not check.ok]
    if not as_json:
        _tell(checks, cost)
    file = user_config_file()
    if not failed and wish.asks and not typer.confirm(f"write this to {file}?", True, err=True):
        raise Interrupted("the answer was no", "no setting was written")
    changes = () if failed else write_choice(file, choice)
    if as_json:
        _print(choice, checks, cost, changes)
    elif not failed:
        say("\n".join([f"written to {file}:", *(f"  {each.in_words()}" for each in changes)]))
        _tell_of_others(choice)
    if failed:
        say(
            "no setting was written: mend what failed, or choose another model; "
            "`offbook config set chat.model NAME` writes it all the same"
        )
    return max((check.exit_code for check in failed), default=0)


def _endpoint(wish: Wish) -> Address:
    """The address that was named, or found, or chosen."""
    from offbook.app.setup import PROVIDERS
    from offbook.models.servers import local_servers

    if wish.base_url is not None:
        return Address(wish.base_url.rstrip("/"))
    if wish.provider is not None:
        if wish.provider.lower() not in PROVIDERS:
            raise UsageError(
                f"no provider {wish.provider!r} is known",
                f"one of: {', '.join(PROVIDERS)}; or name any with --base-url",
            )
        return Address(PROVIDERS[wish.provider.lower()])
    say("looking for servers of models on this machine ...")
    servers = awaited(local_servers)
    if wish.asks:
        return _chosen(servers)
    if len(servers) == 1:
        return Address(servers[0].base_url, is_open=True)
    if servers:
        raise UsageError(
            f"several servers answer: {'; '.join(map(_in_words, servers))}",
            "name one with --base-url",
        )
    raise UsageError(
        "no server of models answers on this machine (Ollama, LM Studio, llama.cpp and vLLM were "
        "looked for on their usual ports)",
        "start one, or name an endpoint with --base-url or --provider",
    )


def _in_words(server: ModelServer) -> str:
    few = ", ".join(server.models[:_FEW]) or "no model"
    more = f" and {len(server.models) - _FEW} more" if len(server.models) > _FEW else ""
    return f"{server.program} at {server.base_url}: {few}{more}"


def _chosen(servers: list[ModelServer]) -> Address:
    """Ask which of those that were found, which provider, or which address."""
    from offbook.app.setup import PROVIDERS

    if not servers:
        say("no server of models answers on this machine")
    places = {_in_words(server): Address(server.base_url, is_open=True) for server in servers}
    places |= {name: Address(url) for name, url in PROVIDERS.items()}
    line = _picked("Which one", [*places, _ELSEWHERE])
    if line != _ELSEWHERE:
        return places[line]
    typed = typer.prompt("Its address, such as http://10.0.0.5:8000/v1", err=True)
    return Address(str(typed).strip().rstrip("/"))


def _picked(question: str, lines: list[str]) -> str:
    """Ask for one of some lines, by number; the first is the default."""
    for number, line in enumerate(lines, 1):
        say(f"  {number:2}  {line}")
    number = 0
    while not 1 <= number <= len(lines):
        number = int(typer.prompt(f"{question}, 1 to {len(lines)}", default=1, type=int, err=True))
    return lines[number - 1]


def _with_key(wish: Wish, address: Address, settings: Settings) -> Choice:
    """The endpoint with the key to be kept in the file: a new one, or that which is there."""
    from offbook.app.setup import Choice
    from offbook.settings.loading import key_in_environment

    if wish.key_from is not None:
        return Choice(address.base_url, "", key_in_environment(wish.key_from))
    known = Choice(address.base_url, "").keeping_key(settings)
    if address.is_open or not wish.asks:
        return known
    nothing = "for none" if known.key_for(settings) is None else "for the one that is set"
    typed = typer.prompt(
        f"Key of {address.base_url} (not shown; Enter {nothing})",
        default="",
        hide_input=True,
        show_default=False,
        err=True,
    )
    return replace(known, api_key=typed.strip()) if typed.strip() else known


def _model(server: ModelServer, wish: Wish) -> str:
    """The only model that is there, or the one that is chosen."""
    if len(server.models) == 1:
        return server.models[0]
    if not wish.asks:
        what = ", ".join(server.models[:_FEW]) or "it lists none"
        raise UsageError(
            f"several models could be meant at {server.base_url}: {what}"
            if server.models
            else f"{server.program} at {server.base_url} lists no model",
            "name one with --model",
        )
    if 0 < len(server.models) <= _FEW:
        return _picked("Which model", list(server.models))
    return str(typer.prompt(visible(f"Which model of {server.base_url}"), err=True)).strip()


def _tell(checks: list[Check], cost: Cost | None) -> None:
    for check in checks:
        write(check.in_words())
    unknown = "no price of the model is known (prices.MODEL.prompt and .completion set one)"
    write(f"cost: {unknown if cost is None else cost.in_words()}\n")


def _tell_of_others(choice: Choice) -> None:
    """Say what is set elsewhere and comes before the file."""
    from offbook.settings.loading import DEFAULT, USER

    settings = settings_for()
    for name, value in choice.settings().items():
        origin = settings.origin(name)
        if value is not None and origin != DEFAULT and not origin.label.startswith(USER):
            say(f"but {name} of {origin.label} comes before your file: take it out there")
    say("now talk: offbook demo, or offbook chat NAME")


def _print(
    choice: Choice, checks: list[Check], cost: Cost | None, changes: tuple[Change, ...]
) -> None:
    print_json(
        {
            "base_url": choice.base_url,
            "model": choice.model,
            "checks": [check.as_json() for check in checks],
            "cost": None if cost is None else cost.as_json(),
            "written": all(check.ok for check in checks),
            "changes": [change.as_json() for change in changes],
        }
    )
