"""Commands for character cards and lorebooks: ``card show``, ``lint``, ``convert`` and others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from offbook.cli.options import CharacterName, Json, command_group, settings_for
from offbook.cli.output import answer, counted, print_json, say, shortened, with_offbook, write

if TYPE_CHECKING:
    from offbook.app.cards import CardReport
    from offbook.cards.files import LintReport
    from offbook.foreign_files import WrittenFile
    from offbook.types import Finding


CardPath = Annotated[
    str, typer.Argument(metavar="FILE", help="A card or a lorebook, in any format that is known.")
]
Spec = Annotated[
    int | None,
    typer.Option("--spec", metavar="1|2|3", help="Version of the card, for .json; default: its."),
]
Picture = Annotated[
    str | None,
    typer.Option("--picture", metavar="PNG", help="The picture; default: the card's own."),
]


def finding_lines(findings: Iterable[dict[str, Any]]) -> list[str]:
    """A line a finding, and one for how to mend it."""
    lines: list[str] = []
    for row in findings:
        where = f" {row['path']}" if row["path"] else ""
        lines.append(f"{row['severity']}:{where}: {row['message']} [{row['code']}]")
        if row["mend"]:
            lines.append(f"  {row['mend']}")
    return lines


def say_warnings(findings: Sequence[Finding]) -> None:
    """Warnings on standard error."""
    for finding in findings:
        if finding.severity != "note":
            where = f"{finding.path}: " if finding.path else ""
            say(f"offbook: warning: {where}{finding.message}")


def print_written(written: WrittenFile, as_json: bool) -> None:
    """A file that was written, and what it does not carry."""
    say_warnings(written.losses)
    line = f"written: {written.file} ({written.format}, {len(written.data)} bytes)"
    answer(as_json, written.as_json(), line)


def print_taken(report: CardReport, as_json: bool) -> None:
    """What became of a card or lorebook."""
    say_warnings(report.warnings)
    for row in report.documents:
        for message in row.messages:
            say(f"offbook: {message}")
    if as_json:
        print_json(report.as_json())
        return
    names = ", ".join(f"{row.name!r} {row.status}" for row in report.documents)
    say(f"{report.kind} {report.file!r}: {names}")
    parts = []
    if report.greetings:
        parts.append(counted(report.greetings, "greeting"))
    if report.entries:
        parts.append(f"a lorebook of {report.entries}")
    if report.never_fit:
        parts.append(_never_fit(report.never_fit, report.entries))
    if parts:
        say("  " + ", ".join(parts))
    say(f"next: offbook ingest {report.character.id}")


def _never_fit(number: int, entries: int) -> str:
    return (
        f"{number} of {counted(entries, 'entry')} can never fit "
        "(lore.budget_tokens or chat.context_tokens gives them room)"
    )


_TEXTS: Final = (
    "description",
    "personality",
    "scenario",
    "system_prompt",
    "post_history_instructions",
    "creator_notes",
)
_SUFFIXES: Final = frozenset(
    {
        ".json",
        ".png",
        ".charx",
        ".webp",
        ".jpg",
        ".jpeg",
        ".yaml",
        ".yml",
        ".apng",
        ".byaf",
        ".scenario",
        ".story",
    }
)
_WIDTH: Final = 160


def show_command(
    file: str = typer.Argument(
        ..., metavar="FILE|NAME", help="A card, a lorebook, or a character that has one."
    ),
    as_json: Json = False,
) -> None:
    """Show what is in a card or a lorebook, with warnings."""
    from offbook.cards.files import show_file

    if Path(file).suffix.lower() in _SUFFIXES or Path(file).expanduser().exists():
        settings = settings_for().values
        tokens = settings.lore.budget(settings.chat.context_tokens)
        shown = show_file(file, lore_tokens=tokens)
    else:
        shown = with_offbook(settings_for(), lambda book: book.cards.show(file))
    if as_json:
        print_json(shown)
    else:
        write("\n".join(_lines(shown)) + "\n")


def _lines(shown: dict[str, Any]) -> list[str]:
    lines = [f"{shown['kind']} in {shown['file']} ({shown['format']})"]
    if shown["card"] is not None:
        lines += _card_lines(shown["card"])
    if shown["lorebook"] is not None:
        lines += _book_lines(shown["lorebook"])
    for asset in shown["assets"]:
        size = "" if asset["bytes"] is None else f", {asset['bytes']} bytes"
        lines.append(f"asset {asset['type']} {asset['name']!r} ({asset['kind']}{size})")
    return lines + finding_lines(shown["warnings"])


def _card_lines(card: dict[str, Any]) -> list[str]:
    called = f", called {card['nickname']}" if card["nickname"] else ""
    lines = [f"{card['name']}{called} ({card['spec'] or 'V1'})"]
    short = (name for name in ("creator", "character_version") if card[name])
    lines += [f"{name}: {shortened(card[name], _WIDTH)}" for name in short]
    if card["tags"]:
        lines.append("tags: " + shortened(", ".join(card["tags"]), _WIDTH))
    long = ((name, card[name]) for name in _TEXTS if card[name].strip())
    lines += [f"{n} ({len(text)} characters): {shortened(text, _WIDTH)}" for n, text in long]
    greetings = enumerate(card["greetings"], 1)
    lines += [f"greeting {number}: {shortened(text, _WIDTH)}" for number, text in greetings]
    if card["example_dialogues"]:
        turns = sum(map(len, card["example_dialogues"]))
        lines.append(f"example dialogues: {len(card['example_dialogues'])}, {turns} turns")
    if card["extensions"]:
        lines.append("extensions: " + shortened(", ".join(card["extensions"]), _WIDTH))
    macros = (shortened(macro, _WIDTH) for macro in card["unknown_macros"])
    return [*lines, *(f"macro that stays as it is: {macro}" for macro in macros)]


def _book_lines(book: dict[str, Any]) -> list[str]:
    lines = [f"lorebook {book['name']!r}: {len(book['entries'])} entries"]
    if book["never_fit"]:
        lines.append(_never_fit(book["never_fit"], len(book["entries"])))
    for entry in book["entries"]:
        marks = [] if entry["enabled"] else ["off"]
        marks += ["constant"] if entry["constant"] else []
        keys = shortened(", ".join(entry["keys"]), 60)
        details = "; ".join([*marks, f"keys: {keys}" if keys else "", f"{entry['tokens']} tokens"])
        lines.append(f"  {shortened(entry['title'], 60)} ({details.strip('; ')})")
        lines.append(f"      {shortened(entry['text'], _WIDTH)}")
    return lines


def lint_command(
    files: list[str] = typer.Argument(..., metavar="FILE...", help="Cards and lorebooks."),
    as_json: Json = False,
) -> int:
    """Check cards and lorebooks strictly; ends with 1 where an error or a warning is found."""
    from offbook.cards.files import lint_file
    from offbook.errors import OffbookError

    rows: list[dict[str, Any]] = []
    unreadable: OffbookError | None = None
    for file in files:
        try:
            report = lint_file(file)
        except OffbookError as error:  # the other files are checked all the same
            if len(files) == 1:
                raise
            say(f"{file}: {error.message}")
            unreadable = error
            rows.append({"file": file, **error.as_json()})
            continue
        rows.append(report.as_json())
        if not as_json:
            _tell(report)
    if as_json:
        print_json(rows)
    if unreadable is not None:
        if as_json:
            return unreadable.exit_code
        raise unreadable
    return 0 if all(row["ok"] for row in rows) else 1


def _tell(report: LintReport) -> None:
    """The findings on standard output, their number on standard error."""
    for line in finding_lines(finding.as_json() for finding in report.findings):
        write(f"{line}\n" if line.startswith("  ") else f"{report.file}: {line}\n")
    notes = len(report.findings) - report.errors - report.warnings
    counts = f"{report.errors} errors, {report.warnings} warnings, {notes} notes"
    say(f"{report.file}: {report.kind} ({report.format}): {counts}")


def convert_command(
    file: CardPath,
    out: str = typer.Argument(..., metavar="OUT", help="Where to: .json, .png or .charx."),
    spec: Spec = None,
    lorebook: str | None = typer.Option(
        None,
        metavar="FORMAT",
        help="Write the lorebook alone: lorebook_v3, sillytavern, agnai, novelai, risu or book.",
    ),
    picture: Picture = None,
    as_json: Json = False,
) -> None:
    """Write a card or a lorebook in another format; unknown fields come along."""
    from offbook.app.files import require_place, write_whole
    from offbook.cards.files import convert_file

    written = convert_file(file, out, spec=spec, lorebook=lorebook, picture=picture)
    write_whole(require_place(Path(out)), written.data)
    print_written(written, as_json)


def attach_command(name: CharacterName, file: CardPath, as_json: Json = False) -> None:
    """Give a character a lorebook, or a card if it has none.

    Its text becomes a document: `offbook ingest NAME` builds what the method needs of it.
    """
    report = with_offbook(settings_for(), lambda book: book.cards.attach(name, file))
    print_taken(report, as_json)


def export_command(
    name: CharacterName,
    file: str = typer.Argument(..., metavar="FILE", help="Where to: .json, .png or .charx."),
    spec: Spec = None,
    picture: Picture = None,
    as_json: Json = False,
) -> None:
    """Write a character as a card: the one that it came from, or one made of what it is."""
    written = with_offbook(
        settings_for(), lambda book: book.cards.export(name, file, spec=spec, picture=picture)
    )
    print_written(written, as_json)


app = command_group("Character cards and lorebooks: look into, check, convert, attach, export.")
app.command("show")(show_command)
app.command("lint")(lint_command)
app.command("convert")(convert_command)
app.command("attach")(attach_command)
app.command("export")(export_command)
