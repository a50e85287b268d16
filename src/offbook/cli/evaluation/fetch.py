"""``offbook eval fetch DATASET``: a dataset from upstream, because a person says so.

Takes: its name.  Gives: its files in the home folder, with licence, commit and checksums shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.globals import Json, settings_for

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.evaluation.datasets.fetching import Fetched


def command(
    dataset: Annotated[
        str | None,
        typer.Argument(metavar="[DATASET]", help="Its name; none: what can be fetched."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch a dataset; what is there already is checked instead."""
    from offbook.cli.running import print_json, say, table, with_offbook, write

    if dataset is None:
        rows = _sources()
        if as_json:
            print_json(rows)
        else:
            write(table([["dataset", "licence", "from"], *([*row.values()] for row in rows)]))
        return
    name = dataset

    async def body(book: Offbook) -> Fetched:
        from offbook.evaluation.datasets.sources import source

        known = source(name)
        say(f"{known.name}: {known.page}")
        say(f"licence: {known.licence}")
        if known.note:
            say(f"note: {known.note}")
        return await book.evaluation.fetch(name, told=say)

    found = with_offbook(settings_for(), body)
    if as_json:
        print_json(found.as_json())
        return
    rows_of_files = [[f.path, f"{f.size:,}", f.sha256] for f in found.files]
    write(table([["file", "bytes", "sha256"], *rows_of_files]))
    say(f"commit {found.commit}; in {found.folder}")


def _sources() -> list[dict[str, str]]:
    from offbook.evaluation.datasets.sources import SOURCES

    return [
        {"dataset": each.name, "licence": each.licence, "page": each.page}
        for each in SOURCES.values()
    ]
