"""Options that commands share, and the question before what cannot be undone.

Takes: ``--home``, ``--set``, ``--debug`` and the flags of a command.  Gives: the settings in force.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, Signature, signature
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, get_type_hints

import typer

from offbook.cli.completion import characters_beginning, methods_beginning
from offbook.cli.output import FITTING, counted, visible
from offbook.errors import Interrupted, UnknownName, UsageError

if TYPE_CHECKING:
    from offbook.errors import OffbookError
    from offbook.settings import Settings

T = TypeVar("T")


@dataclass(slots=True)
class Globals:
    """What stood in front of (or after) the command, and the command."""

    command: str = ""
    flags: dict[str, Any] = field(default_factory=dict)
    debug: bool = False
    as_json: bool = False

    def remember(
        self, home: str | None, assignments: list[str], *, debug: bool, wide: bool
    ) -> None:
        """Keep the values until a command asks for its settings."""
        FITTING.is_wanted = not wide
        self.flags = {"home": home} if home else {}
        self.debug = debug
        for text in assignments:
            name, equals, value = text.partition("=")
            if not equals:
                raise UsageError(f"--set {text!r} has no value", "write --set name=value")
            self.flags[name.strip()] = value

    def forget(self) -> None:
        """Back to how it is before a command line was read."""
        self.command, self.flags, self.debug, self.as_json = "", {}, False, False


GLOBALS = Globals()


def command_group(help_text: str) -> typer.Typer:
    """A group of commands, which ends with its help and exit code 2 where a command is missing."""
    return typer.Typer(
        help=help_text,
        callback=help_without_command,
        invoke_without_command=True,
        rich_markup_mode=None,
    )


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


CharacterName = Annotated[
    str,
    typer.Argument(
        metavar="NAME", autocompletion=characters_beginning, help="The character's name or id."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print comma-separated values, for spreadsheets.")]
UserSeen = Annotated[
    str | None,
    typer.Option("--user", help="Only authored memories and those of this user."),
]


Option = tuple[Any, Any]
"""The type of an option's values, and how it is shown."""


def option(kind: Any, help_text: str, *flags: str, default: Any = None, **more: Any) -> Option:
    """An option of a group; without ``flags`` it is called as its parameter."""
    return kind, typer.Option(default, *flags, help=help_text, **more)


@dataclass(frozen=True, slots=True)
class Group:
    """Options that several commands share, and what is made of their values.

    ``options`` are by parameter; ``make`` takes their values by name.
    """

    options: Mapping[str, Option]
    make: Callable[..., Any]


def with_options(**groups: Group) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Give a command, after its own options, those of groups, and pass it what these make.

    Args:
        groups: By the parameter of the command that takes what a group makes.
    """

    def decorate(command: Callable[..., T]) -> Callable[..., T]:
        # What groups make has types that are loaded by commands that run.
        parameters = [p for p in signature(command).parameters.values() if p.name not in groups]
        written = SimpleNamespace(__annotations__={p.name: p.annotation for p in parameters})
        hints = get_type_hints(written, command.__globals__, include_extras=True)
        parameters = [p.replace(annotation=hints[p.name]) for p in parameters]
        parameters += [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind | None, default=shown)
            for group in groups.values()
            for name, (kind, shown) in group.options.items()
        ]

        def called(**values: Any) -> T:
            for taker, group in groups.items():
                values[taker] = group.make(**{name: values.pop(name) for name in group.options})
            return command(**values)

        called.__name__, called.__doc__ = command.__name__, command.__doc__
        called.__annotations__ = {each.name: each.annotation for each in parameters}
        called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        return called

    return decorate


_STRATEGY: Final = "emotional.strategy"
_SETTINGS: Final[Mapping[str, tuple[str, Option]]] = {
    "method": (
        "method",
        option(
            str,
            "Method that finds what the reply rests on: vanilla, profile, naive, whole, crag, "
            "adaptive, raptor, lightrag, rolerag, amadeus, emotional or ensemble.",
            "--method",
            "-m",
            autocompletion=methods_beginning,
        ),
    ),
    "strategy": (
        _STRATEGY,
        option(str, "How memories are recalled: ordinary, C-A, C-M, S-S or S-E.", metavar="S"),
    ),
    "model": ("chat.model", option(str, "The chat model; `offline` is the embedded one.")),
    "base_url": ("chat.base_url", option(str, "Address of an OpenAI-compatible endpoint.")),
    "judge": ("judge.model", option(str, "The model that rates; default: judge.model.")),
    "judge_url": ("judge.base_url", option(str, "Address of the judge's endpoint.")),
    "preset": ("preset", option(str, "`default` or `faithful`.")),
    "papers_preset": (
        "preset",
        option(
            str, "`faithful`: the papers' settings; or `default`.", "--preset", default="faithful"
        ),
    ),
    "concurrency": ("limits.concurrency", option(int, "Calls in flight.")),
    "budget_calls": (
        "limits.budget_calls",
        option(int, "The most calls this command may make."),
    ),
    "budget_usd": ("limits.budget_usd", option(float, "The most this command may spend.")),
    "host": (
        "server.host",
        option(str, "Address to listen on; others than this machine need keys."),
    ),
    "port": ("server.port", option(int, "Port; 0 takes a free one.")),
}
"""By option: the setting, and the option itself."""
BUDGET: Final = ("budget_calls", "budget_usd")
REPLYING: Final = ("method", "strategy", "model", "base_url", "preset", *BUDGET)
"""Of commands that reply, or find what a reply would rest on."""


def settings_of(*names: str) -> Group:
    """The options of some settings, which make the settings in force."""

    def make(**values: Any) -> Settings:
        return settings_for({_SETTINGS[name][0]: value for name, value in values.items()})

    return Group({name: _SETTINGS[name][1] for name in names}, make)


def settings_for(flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings in force, flags first.

    Args:
        flags: Values by the name of the setting; None is not given.

    Raises:
        UnknownName: there is no such strategy.
    """
    from offbook.settings import load_settings

    flags_set = {name: value for name, value in (flags or {}).items() if value is not None}
    if (strategy := flags_set.get(_STRATEGY)) is not None:
        flags_set[_STRATEGY] = _strategy(strategy)
    settings = load_settings({**GLOBALS.flags, **flags_set})
    for warning in (*settings.warnings, *_unused(settings)):
        sys.stderr.write(f"offbook: warning: {warning}\n")
    return settings


def _strategy(typed: str) -> str:
    """A strategy in the spelling of the settings, however it was typed."""
    known = {name.lower(): name for name in ("ordinary", "C-A", "C-M", "S-S", "S-E")}
    if (folded := typed.strip().lower()) not in known:
        raise UnknownName(
            f"no recall strategy {typed!r}", f"choose one of: {', '.join(known.values())}"
        )
    return known[folded]


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


def require_words(
    command: str, action: str, takes: Mapping[str, tuple[str, ...]], words: Sequence[str]
) -> None:
    """Refuse an action that the command has not, or that takes other words.

    Args:
        command: As it is typed before the action.
        action: What to do.
        takes: By action, what its words are; the last of them may end in ``...``.
        words: Those that were given.

    Raises:
        UsageError: the hint is what there is, or how the action is typed.
    """
    if action not in takes:
        raise UsageError(f"{action!r} is not an action of {command}", f"one of: {', '.join(takes)}")
    expected = takes[action]
    more = bool(expected) and expected[-1].endswith("...") and len(words) > len(expected)
    if len(words) != len(expected) and not more:
        named = " ".join(expected) or "nothing"
        raise UsageError(
            f"{command} {action} takes {named}, not {counted(len(words), 'word')}",
            f"{' '.join(('offbook', command, action, *expected))}; quote what has blanks",
        )


Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def confirm(action: str, *, yes: bool) -> None:
    """Ask whether to go on, where somebody sits at a terminal.

    Args:
        action: What would be done, such as ``delete 'Ada'``.
        yes: The answer was given with the command.

    Raises:
        UsageError: there is no terminal to ask at, and no answer was given.
        Interrupted: the answer is no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"this cannot be undone, and there is no terminal to ask at: {action}",
            "add -y (--yes) to do it without a question",
        )
    if not typer.confirm(visible(f"{action}? This cannot be undone."), err=True):
        raise Interrupted("nothing was changed: the answer was no")
