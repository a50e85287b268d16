"""``offbook card show FILE|NAME``: what is in a card or a lorebook.

Takes: a file, or a character.  Gives: fields, greetings, lorebook, assets, and warnings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from offbook.cli.globals import Json, settings_for

_TEXTS: Final = (
    "description",
    "personality",
    "scenario",
    "system_prompt",
    "post_history_instructions",
    "creator_notes",
)
_SUFFIXES: Final = frozenset(
    {".json", ".png", ".charx", ".webp", ".jpg", ".jpeg", ".yaml", ".yml", ".apng"}
)
_WIDTH: Final = 160


def command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NAME", help="A card, a lorebook, or a character that has one."
        ),
    ],
    as_json: Json = False,
) -> None:
    """Show what is in a card or a lorebook, with warnings."""
    from offbook.app.card_files import show_file
    from offbook.cli.running import print_json, with_offbook, write

    if Path(file).suffix.lower() in _SUFFIXES or Path(file).expanduser().exists():
        shown = show_file(file)
    else:
        shown = with_offbook(settings_for(), lambda book: book.cards.show(file))
    if as_json:
        print_json(shown)
    else:
        write("\n".join(_lines(shown)) + "\n")


def _lines(shown: dict[str, Any]) -> list[str]:
    from offbook.cli.card.printing import finding_lines

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
    from offbook.cli.running import shortened

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
    from offbook.cli.running import shortened

    lines = [f"lorebook {book['name']!r}: {len(book['entries'])} entries"]
    for entry in book["entries"]:
        marks = [] if entry["enabled"] else ["off"]
        marks += ["constant"] if entry["constant"] else []
        keys = shortened(", ".join(entry["keys"]), 60)
        told = "; ".join([*marks, f"keys: {keys}" if keys else "", f"{entry['tokens']} tokens"])
        lines.append(f"  {shortened(entry['title'], 60)} ({told.strip('; ')})")
        lines.append(f"      {shortened(entry['text'], _WIDTH)}")
    return lines
