"""The options that commands of ``offbook eval`` share, and the settings that they make.

Takes: option types.  Gives: settings, with a judge of its own where one is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.globals import settings_of_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.app.evaluation.asked import Wanted
    from offbook.settings import Settings

BenchmarkName = Annotated[
    str, typer.Argument(metavar="BENCHMARK", help="Its name; see `offbook eval list`.")
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run.")]
Characters = Annotated[
    list[str] | None,
    typer.Option(
        "--character",
        "-c",
        metavar="NAME",
        help="Whom to ask: a subject of the dataset, SUBJECT=CHARACTER where the character has "
        "another name; may be repeated. Default: every subject.",
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        metavar="A,B",
        help="Methods to compare, each perhaps with settings: naive,amadeus[gs=off]. "
        "Default: the configured one.",
    ),
]
DataPath = Annotated[
    str | None,
    typer.Option("--path", metavar="PATH", help="File or folder of the dataset."),
]
LoaderOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="An option of the dataset's loader."),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", metavar="M", help="Only this metric; repeatable. Default: all."),
]
Limit = Annotated[
    int | None, typer.Option("--limit", min=1, help="The most questions a character.")
]
Repeats = Annotated[int, typer.Option("--repeats", min=1, help="How often each question is asked.")]
Seed = Annotated[int, typer.Option("--seed", help="Draws the questions and their order.")]
Judge = Annotated[
    str | None, typer.Option("--judge", help="The model that rates; default: judge.model.")
]
JudgeUrl = Annotated[
    str | None, typer.Option("--judge-url", help="Address of the judge's endpoint.")
]
RatedBy = Annotated[
    str | None, typer.Option("--judge", help="Whose ratings; default: those of the run's judge.")
]
Create = Annotated[
    bool, typer.Option("--create", help="Make characters of the texts that the dataset brings.")
]
Build = Annotated[bool, typer.Option("--build", help="Build indexes that are missing.")]


def evaluation_settings(
    *, judge: str | None = None, judge_url: str | None = None, **flags: Any
) -> Settings:
    """The settings of a command that asks models, the judge among them."""
    return settings_of_call(judge__model=judge, judge__base_url=judge_url, **flags)


def whom(
    characters: Sequence[str] | None, methods: Sequence[str] | None, metrics: Sequence[str] | None
) -> Wanted:
    """Who is asked by which methods, and what is measured."""
    return {
        "characters": characters or (),
        "methods": methods or (),
        "metrics": metrics or (),
    }


def what(path: str | None, options: Sequence[str] | None) -> Wanted:
    """Where the questions are."""
    return {"path": path, "options": loader_options(options)}


def loader_options(texts: Sequence[str] | None) -> dict[str, str]:
    """``NAME=VALUE`` as a dictionary.

    Raises:
        UsageError: a text has no value.
    """
    from offbook.errors import UsageError

    options: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--option {text!r} has no value", "write --option name=value")
        options[name.strip()] = value
    return options
