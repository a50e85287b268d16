"""``story``: the scenes of a book, who knows of each and how; and a person's word on that."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Literal

import typer

from offbook.cli.options import Json, settings_for
from offbook.cli.output import print_json, say, shortened, table, with_offbook, write
from offbook.errors import UsageError

if TYPE_CHECKING:
    from offbook.app.story import SceneRow, StoryReport

Kind = Literal["auto", "story", "persona"]
How = Literal["present", "told", "read", "overheard", "common", "absent", "undo"]
_MOST = 40
_ENDS = 60


def story_command(
    book: str = typer.Argument(..., metavar="BOOK", help="A book or character that there is."),
    scene: int | None = typer.Option(
        None, "--scene", min=1, help="Show this scene whole; with --witness, correct it."
    ),
    witness: str | None = typer.Option(
        None, "--witness", metavar="NAME", help="Of whom --how is said."
    ),
    how: How | None = typer.Option(
        None, "--how", help="How they know of the scene; undo: take your word back."
    ),
    kind: Kind | None = typer.Option(
        None, "--kind", help="Say whether the texts are a story or about one person."
    ),
    limit: int = typer.Option(
        _MOST, "--limit", "-n", min=0, help="The most scenes to list; 0: all. JSON has all."
    ),
    as_json: Json = False,
) -> None:
    """List the scenes of a book: where, when, who knows of each and how. No model is asked.

    With `--scene N --witness NAME --how HOW` your word counts above a model's and the rules', for
    as long as the text of the scene is the same.
    """
    if (witness is None) != (how is None) or (witness is not None and scene is None):
        raise UsageError(
            "a correction names a scene, a person and how they know of it",
            "offbook story BOOK --scene 3 --witness NAME --how absent",
        )
    settings = settings_for()
    if kind is not None:
        said = None if kind == "auto" else kind
        with_offbook(settings, lambda home: home.set_kind(book, said))
    if scene is not None and witness is not None:
        word = None if how == "undo" else how
        with_offbook(settings, lambda home: home.correct_witness(book, scene, witness, word))
    report = with_offbook(settings, lambda home: home.story(book))
    if as_json:
        print_json(report.as_json())
    elif scene is not None and report.kind == "story":
        _show_one(report, scene)
    else:
        _list(report, book, limit)


def _list(report: StoryReport, book: str, limit: int) -> None:
    if report.kind == "persona":
        say(f"{report.book!r} is about one person, who knows all of it: it has no scenes")
        say(f"if it is a story, say so: offbook story {shlex.quote(book)} --kind story")
        return
    rows = report.scenes[:limit] if limit else report.scenes
    write(table([_columns(row) for row in rows]))
    if left := len(report.scenes) - len(rows):
        say(f"and {left} more: offbook story {shlex.quote(book)} -n 0")


def _columns(row: SceneRow) -> tuple[str, ...]:
    where = ", ".join(filter(None, (row.where, row.when)))
    known = ", ".join(
        each.name + ("" if each.how == "present" else f" ({each.how})") for each in row.witnesses
    )
    return (
        str(row.number),
        shortened(row.place, _MOST),
        shortened(where, _MOST) if row.kind == "scene" else row.kind,
        shortened(known, _ENDS),
        shortened(row.opening, _ENDS),
    )


def _show_one(report: StoryReport, number: int) -> None:
    """One scene, with what its people lived through."""
    row = report.scene(number)
    lines = ["  ".join(filter(None, _columns(row)[:3])), row.opening]
    for each in row.witnesses:
        by = ", by your word" if each.by_person else ""
        evidence = f": “{shortened(each.evidence, _ENDS)}”" if each.evidence else ""
        lines.append(f"{each.name}, {each.how}{by}{evidence}")
        if each.lived:
            felt = f" ({each.feeling} {each.strength})" if each.feeling else ""
            lines.append(f"  {each.lived}{felt}")
    write("\n".join(lines) + "\n")
