"""The options that every command shares.

Takes: ``--home``, ``--set``, ``--debug`` and the option types of the commands.  Gives: flags for
the settings, and the settings.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from offbook.errors import OffbookError
    from offbook.settings import Settings


@dataclass(slots=True)
class Globals:
    """What stood in front of (or after) the command, and the command."""

    command: str = ""
    flags: dict[str, Any] = field(default_factory=dict)
    debug: bool = False

    def remember(self, home: str | None, assignments: list[str], *, debug: bool) -> None:
        """Keep the values until a command asks for its settings."""
        from offbook.errors import UsageError

        self.flags = {"home": home} if home else {}
        self.debug = debug
        for text in assignments:
            name, equals, value = text.partition("=")
            if not equals:
                raise UsageError(f"--set {text!r} has no value", "write --set name=value")
            self.flags[name.strip()] = value

    def forget(self) -> None:
        """Back to how it is before a command line was read."""
        self.command, self.flags, self.debug = "", {}, False


GLOBALS = Globals()


def help_without_command(context: typer.Context) -> None:
    """End with the help and the exit code of wrong usage where a command is missing."""
    if context.invoked_subcommand is None:
        sys.stderr.write(context.get_help() + "\n")
        raise typer.Exit(2)


def one_line(error: OffbookError) -> str:
    """What happened, to what, and what to do, as the person reads it."""
    message = error.message.rstrip(".")
    line = f"offbook: {message}" + (f"; {error.hint}" if error.hint else "")
    return " ".join(line.split())


CharacterName = Annotated[str, typer.Argument(metavar="NAME", help="The character's name or id.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-m",
        help="How the reply is grounded: vanilla, profile, naive, crag, adaptive, raptor, "
        "lightrag, rolerag, amadeus, emotional or ensemble.",
    ),
]
Preset = Annotated[str | None, typer.Option("--preset", help="`default` or `faithful`.")]
Model = Annotated[
    str | None, typer.Option("--model", help="The chat model; `offline` is the embedded one.")
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", help="Address of an OpenAI-compatible endpoint.")
]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="POINT",
        help="Asked at a point in the story: a document, document#heading, document@offset or "
        "a chunk's id; what stands later is unknown.",
    ),
]
Strategy = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        metavar="S",
        help="How memories are recalled: ordinary, C-A, C-M, S-S or S-E.",
    ),
]
UserSeen = Annotated[
    str | None,
    typer.Option("--user", help="Only authored memories and those of this user."),
]
Concurrency = Annotated[int | None, typer.Option("--concurrency", help="Calls in flight.")]
BudgetCalls = Annotated[
    int | None, typer.Option("--budget-calls", help="The most calls this command may make.")
]
BudgetUsd = Annotated[
    float | None, typer.Option("--budget-usd", help="The most this command may spend.")
]


def settings_for(**flags: Any) -> Settings:
    """The settings in force, flags first.

    Args:
        flags: Setting names with ``__`` for the dot (``chat__model="..."``); None is not given.
    """
    from offbook.settings import load_settings

    named = {name.replace("__", "."): value for name, value in flags.items()}
    settings = load_settings({**GLOBALS.flags, **{k: v for k, v in named.items() if v is not None}})
    for warning in (*settings.warnings, *_unused(settings)):
        sys.stderr.write(f"offbook: warning: {warning}\n")
    return settings


def strategy_named(strategy: str | None) -> str | None:
    """A strategy in the spelling of the settings, however it was typed.

    Raises:
        UnknownName: there is no such strategy.
    """
    from offbook.errors import UnknownName

    known = {name.lower(): name for name in ("ordinary", "C-A", "C-M", "S-S", "S-E")}
    if strategy is None:
        return None
    if (folded := strategy.strip().lower()) not in known:
        raise UnknownName(
            f"no recall strategy {strategy!r}", f"choose one of: {', '.join(known.values())}"
        )
    return known[folded]


def settings_of_call(
    *,
    strategy: str | None = None,
    model: str | None = None,
    base_url: str | None = None,
    budget_calls: int | None = None,
    budget_usd: float | None = None,
    **flags: Any,
) -> Settings:
    """The settings of a command that asks a model: its endpoint, and the most it may spend."""
    return settings_for(
        chat__model=model,
        chat__base_url=base_url,
        limits__budget_calls=budget_calls,
        limits__budget_usd=budget_usd,
        emotional__strategy=strategy_named(strategy),
        **flags,
    )


def _unused(settings: Settings) -> list[str]:
    """An endpoint that was named, but no model: nothing leaves the machine until one is."""
    address = settings.origin("chat.base_url")
    models = ("chat.model", "extract.model", "judge.model", "embed.model")
    named = any(settings.origin(name).label != "default" for name in models)
    if settings.values.chat.base_url is None or named:
        return []
    return [
        f"chat.base_url (from {address.label}) is not used: no model is named, so the offline "
        "backend answers; set chat.model"
    ]
