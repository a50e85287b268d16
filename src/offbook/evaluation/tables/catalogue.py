"""The published tables by name, as ``tables.json`` describes them.

What stands in several tables (a remark, a line, a column) stands once in the file, under
``shared``, and is named there as ``@name``. A column is its key, title and metric, a line its key,
title and method; a table of one block is that block.
Paper: RoleRAG (001), section 5, tables 1 to 4, figure 3; AMADEUS (002), tables 1 to 6, figure 1,
and (003), tables 1 to 6 and 8, figures 6 and 8; Emotional RAG (004), section III, tables II and
III, figure 5.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from pydantic import TypeAdapter

from offbook.errors import UnknownName
from offbook.evaluation.metrics.scales import Direction

Kind = Literal["runs", "study", "ratings"]
"""Where our numbers come from: runs, a study of splitters, a file of people's ratings."""

RestsOn = Literal["judge", "extractor"]
"""Which model's answers a number is made of; where that is the offline one, it is not shown."""


@dataclass(frozen=True, slots=True)
class Use:
    """A benchmark as a table uses it.

    ``options`` are those of the dataset's loader. ``cast`` is the dataset whose characters are
    asked, where the benchmark brings none. ``typology`` is the judged scale whose letters are
    compared with labels.
    """

    key: str
    benchmark: str
    title: str
    options: tuple[tuple[str, str], ...] = ()
    cast: str = ""
    typology: Literal["", "mbti_item", "bigfive_item"] = ""
    rests_on: RestsOn = "judge"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: a metric of a use, over a group of its questions.

    ``printed`` says how the paper prints it: as a percentage, and with how many digits. ``line`` is
    the method of a column of types, which has one for each method.
    """

    key: str
    title: str
    metric: str
    use: str = ""
    group: str = "all"
    better: Direction | None = None
    percent: bool = False
    digits: int = 3
    line: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line: a method with its settings, as ``eval run --method`` takes it.

    ``group`` stands in the place of the column's, ``subject`` names the one character of a line.
    """

    key: str
    title: str
    method: str = ""
    group: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a table with columns of its own."""

    title: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A published table.

    ``differs`` says in plain sentences what is not as in the paper, ``illegible`` what of the
    paper's numbers could not be read or is not printed as a number.
    """

    name: str
    title: str
    source: str
    blocks: tuple[Block, ...]
    uses: tuple[Use, ...] = ()
    kind: Kind = "runs"
    differs: tuple[str, ...] = ()
    illegible: tuple[str, ...] = ()

    def use(self, key: str) -> Use:
        """The use of this key.

        Raises:
            KeyError: there is none.
        """
        return {each.key: each for each in self.uses}[key]

    def line(self, key: str) -> Line:
        """The line of this key.

        Raises:
            KeyError: there is none.
        """
        return {each.key: each for block in self.blocks for each in block.lines}[key]

    def needed(self) -> Iterator[tuple[Use, str]]:
        """Each use with each method that a cell rests on, once, in the order of the table."""
        uses: dict[tuple[str, str], None] = {}
        for block in self.blocks:
            for column in block.columns:
                for line in block.lines:
                    method = self.line(column.line).method if column.line else line.method
                    if column.use and method:
                        uses.setdefault((column.use, method))
        return ((self.use(key), method) for key, method in uses)


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A row of a paper: ``of`` is the model that answered (or embedded), ``values`` by column."""

    line: str
    of: str
    source: str
    values: Mapping[str, str]


def printed(table: str) -> tuple[PrintedRow, ...]:
    """The rows that the papers print for a table, in their order.

    Raises:
        KeyError: there is no such table.
    """
    keys = {
        line.key: [column.key for column in block.columns]
        for block in TABLES[table].blocks
        for line in block.lines
    }
    return tuple(
        PrintedRow(line, of, source, _by_key(keys[line], text))
        for source, models in _file("published.json")[table].items()
        for of, lines in models.items()
        for line, text in lines.items()
    )


def _by_key(keys: Sequence[str], text: str) -> dict[str, str]:
    """The values of a line of ``published.json`` by column; ``-`` is none."""
    pairs = zip(keys, text.split(), strict=True)
    return {key: value for key, value in pairs if value != "-"}


def published_types(table: str) -> dict[str, str]:
    """The labels of a table of types by character, as the papers print them."""
    return {
        row.line: row.values["type.label"] for row in printed(table) if "type.label" in row.values
    }


@cache
def _file(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(files(__package__).joinpath(name).read_text("utf-8"))
    return content


CHARACTERS: Final = "characters"
"""In the place of lines: one for each character of whom the papers print something."""


def table_named(name: str) -> Table:
    """Look up a table.

    Raises:
        UnknownName: there is none; the hint has the nearest and all of them.
    """
    if name not in TABLES:
        near = get_close_matches(name, TABLES, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownName(f"no table {name!r}", f"{hint}known: {', '.join(TABLES)}")
    return TABLES[name]


def _read() -> dict[str, Table]:
    rows = _expanded(_file("tables.json")["tables"], _file("tables.json")["shared"])
    for row in rows:
        uses = [use["key"] for use in row.get("uses", ())]
        row["blocks"] = [
            {
                "title": "" if block is row else block.get("title", ""),
                "columns": [_column(each, uses, block.get("group")) for each in block["columns"]],
                "lines": list(_lines(row, block)),
            }
            for block in row.get("blocks", [row])
        ]
    tables = TypeAdapter(list[Table]).validate_python(rows)
    return {table.name: table for table in tables}


def _column(row: Sequence[str], uses: Sequence[str], group: str | None) -> dict[str, Any]:
    """A column of key, title and metric; the key of one of several uses begins with that use's."""
    key, title, metric = row
    metrics = _file("tables.json")["metrics"]
    first, _, rest = key.partition(".")
    use = first if first in uses else next(iter(uses), "")
    return {
        "key": key,
        "title": title,
        "metric": metric,
        "use": "" if metric == "label" else use,
        "group": group or "all",
        "line": rest if metric == "type" else "",
        **metrics.get(metric, metrics.get(metric.partition(".")[2], {})),
    }


def _lines(table: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Lines of key, title and method, once a role where there are roles; or the characters'."""
    if block["lines"] == CHARACTERS:
        summary = [key for key, _, _ in table["blocks"][0]["lines"]]
        sources = _file("published.json")[table["name"]].values()
        keys = (key for models in sources for lines in models.values() for key in lines)
        for name in dict.fromkeys(key for key in keys if key not in summary):
            yield {"key": name, "title": name, "subject": name}
        return
    for role in block.get("roles", ("",)):
        for key, title, method in block["lines"]:
            line = {"key": key, "title": title, "method": method}
            if role:
                line |= {"key": f"{role}/{key}", "title": f"{role}, {title}"}
                line["group"] = f"subject={role}"
            yield line


def _expanded(value: Any, shared: dict[str, Any]) -> Any:
    """Replace ``@name`` by what is shared under that name."""
    if isinstance(value, list):
        return [_expanded(each, shared) for each in value]
    if isinstance(value, dict):
        return {name: _expanded(each, shared) for name, each in value.items()}
    is_name = isinstance(value, str) and value.startswith("@")
    return shared[value.removeprefix("@")] if is_name else value


TABLES: Final = _read()
"""All tables, in the order of docs/tables.md, "The tables"."""
