"""``offbook card convert FILE OUT``: a card or a lorebook in another format.

Takes: a file, and another whose suffix is the format.  Gives: the file, and what it does not carry.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.card.printing import CardPath, Picture, Spec
from offbook.cli.globals import Json


def command(
    file: CardPath,
    out: Annotated[str, typer.Argument(metavar="OUT", help="Where to: .json, .png or .charx.")],
    spec: Spec = None,
    lorebook: Annotated[
        str | None,
        typer.Option(
            "--lorebook",
            metavar="FORMAT",
            help="Write the lorebook alone: lorebook_v3, sillytavern, agnai, novelai, risu or "
            "book.",
        ),
    ] = None,
    picture: Picture = None,
    as_json: Json = False,
) -> None:
    """Write a card or a lorebook in another format; unknown fields come along."""
    from offbook.app.card_files import convert_file
    from offbook.cli.card.printing import print_written

    written = convert_file(file, out, spec=spec, lorebook=lorebook, picture=picture)
    print_written(written, as_json)
