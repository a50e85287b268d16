"""The nouns of a published table: what is run, its blocks, columns and lines.

Takes: nothing.  Gives: frozen values; a cell is a line and a column, and rests on one use of a
benchmark by one method.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from offbook.evaluation.protocol import Better

Kind = Literal["runs", "study", "ratings"]
"""Where our numbers come from: runs of benchmarks, the splitter study, a file of people's ratings.
"""

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
    better: Better | None = None
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
        for each in self.uses:
            if each.key == key:
                return each
        raise KeyError(key)

    def line(self, key: str) -> Line:
        """The line of this key.

        Raises:
            KeyError: there is none.
        """
        for block in self.blocks:
            for each in block.lines:
                if each.key == key:
                    return each
        raise KeyError(key)

    def needed(self) -> Iterator[tuple[Use, str]]:
        """Each use with each method that a cell rests on, once, in the order of the table."""
        seen: dict[tuple[str, str], None] = {}
        for block in self.blocks:
            for column in block.columns:
                for line in block.lines:
                    method = self.line(column.line).method if column.line else line.method
                    if column.use and method:
                        seen.setdefault((column.use, method))
        return ((self.use(key), method) for key, method in seen)
