"""The options that commands of ``offbook eval`` share.

Takes: option types.  Gives: groups of options, and what is made of their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from offbook.cli.options import BUDGET, Group, option
from offbook.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

BenchmarkName = Annotated[
    str, typer.Argument(metavar="BENCHMARK", help="Its name; see `offbook eval list`.")
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run.")]
DataPath = Annotated[
    str | None,
    typer.Option("--path", metavar="PATH", help="File or folder of the dataset."),
]
RatedBy = Annotated[
    str | None, typer.Option("--judge", help="Whose ratings; default: those of the run's judge.")
]
MODELS: Final = ("model", "base_url", "judge", "judge_url")
"""The options of those who are asked: who replies, and who rates."""
LIMITS: Final = ("concurrency", *BUDGET)

SAMPLE: Final = {
    "characters": option(
        list[str],
        "Whom to ask: a subject of the dataset, SUBJECT=CHARACTER where the character has another "
        "name; may be repeated. Default: every subject.",
        "--character",
        "-c",
        metavar="NAME",
    ),
    "limit": option(int, "The most questions a character.", min=1),
    "repeats": option(int, "How often each question is asked.", default=1, min=1),
    "seed": option(int, "Draws the questions and their order.", default=0),
    "create": option(
        bool, "Make characters of the texts that the dataset brings.", "--create", default=False
    ),
    "build": option(bool, "Build indexes that are missing.", "--build", default=False),
}
"""Whom to ask how much."""
_CELLS: Final = {
    "methods": option(
        list[str],
        "Methods to compare, each perhaps with settings: naive,amadeus[gs=off]. Default: the "
        "configured one.",
        "--method",
        "-m",
        metavar="A,B",
    ),
    "path": option(str, "File or folder of the dataset.", metavar="PATH"),
    "options": option(
        list[str], "An option of the dataset's loader.", "--option", metavar="NAME=VALUE"
    ),
    "metrics": option(
        list[str], "Only this metric; repeatable. Default: all.", "--metric", metavar="M"
    ),
}


def _wanted(**values: Any) -> dict[str, Any]:
    lists = {name: values[name] or () for name in ("characters", "methods", "metrics")}
    return {**values, **lists, "options": loader_options(values["options"])}


CELLS: Final = Group({**SAMPLE, **_CELLS}, _wanted)
"""Whom to ask what, and how, as ``evaluation.run`` takes it."""


def loader_options(texts: Sequence[str] | None) -> dict[str, str]:
    """``NAME=VALUE`` as a dictionary.

    Raises:
        UsageError: a text has no value.
    """
    options: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--option {text!r} has no value", "write --option name=value")
        options[name.strip()] = value
    return options
