"""Paragraphs, headings and evidence recovered from several forms of one text.

FILE is plain text or Markdown with blank lines between its paragraphs. Its paragraphs and headings
are the truth: lines that begin with # are headings, and so are short blocks that begin with
"Chapter 5", "PART ONE" and their like; a block whose lines are indented or short is verse and keeps
its lines. From these are made: Markdown; text wrapped at several widths, with words broken at line
ends, with indented paragraphs and no blank lines; PDF with running heads and page numbers, its
paragraphs indented or parted by gaps, or in two columns (needs reportlab); EPUB. Each is read as a
user's file is.

Reported per form: F1 of paragraphs and of headings, compared without white space (a paragraph
counts if it is recovered whole, as a block of its own and on one line), and how many of 100
sentences, drawn at random with a fixed seed, stand whole in no paragraph: the evidence that
questions lose. ``itself`` is FILE as it stands.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import sys
import textwrap
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.util import find_spec
from typing import Any, Final

from offbook.documents.readers import ReadDocument, read_content
from offbook.text.sentences import sentences

HELP: Final = "paragraphs and headings recovered from wrapped, PDF and EPUB forms of a text"
_LABEL: Final = re.compile(
    r"(?:(?:chapter|part|book|volume|vol\.|letter|act|scene)\s+\S+|[IVXLC]+\.$|(?:the )?(?:prologue"
    r"|epilogue|preface)\b)", re.IGNORECASE
)  # fmt: skip
_VERSE_WIDTH: Final = 50
_SENTENCES: Final = 100
_LEAST_SENTENCE: Final = 40
_SEED: Final = 21
_BREAKS: Final = re.compile(r"(?<=[aeiouy][bcdfglmnprstv])(?=[bcdfglmnprstv][aeiouy])")


@dataclass(frozen=True)
class Block:
    """A paragraph, a heading (``level`` from 1), or verse of several lines."""

    lines: tuple[str, ...]
    level: int = 0

    @property
    def text(self) -> str:
        """Its lines as one."""
        return " ".join(self.lines)


@dataclass(frozen=True)
class Form:
    """What was recovered of one form."""

    name: str
    paragraphs: float
    headings: float
    lost: int
    asked: int
    seconds: float


@dataclass(frozen=True)
class Report:
    """All forms of one text."""

    file: str
    paragraphs: int
    headings: int
    forms: Sequence[Form]

    def as_json(self) -> dict[str, Any]:
        """Figures of each form by its name."""
        return {
            "file": self.file,
            "n": {"paragraphs": self.paragraphs, "headings": self.headings},
            "forms": {
                form.name: {
                    "paragraphs_f1": round(form.paragraphs, 4),
                    "headings_f1": round(form.headings, 4),
                    "sentences_lost": form.lost,
                    "sentences": form.asked,
                    "seconds": round(form.seconds, 3),
                }
                for form in self.forms
            },
        }

    def as_table(self) -> str:
        """The same as Markdown."""
        lines = [
            f"{self.file}: {self.paragraphs} paragraphs, {self.headings} headings",
            "",
            "| form | F1 of paragraphs | F1 of headings | sentences lost | seconds |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {form.name} | {form.paragraphs:.3f} | {form.headings:.3f} | {form.lost} of "
            f"{form.asked} | {form.seconds:.2f} |"
            for form in self.forms
        ]
        return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--form", action="append", help="only this form; again for more")


def run(arguments: argparse.Namespace) -> Report:
    raw = arguments.file.read_text(encoding="utf-8-sig")
    blocks = list(_blocks(raw))
    makers: dict[str, Callable[[], tuple[str, bytes]]] = {
        "itself": lambda: (arguments.file.name, raw.encode()),
        "markdown": lambda: ("a.md", _markdown(blocks).encode()),
        **{f"wrapped {width}": partial(_wrapped_file, blocks, width) for width in (60, 72, 80)},
        "wrapped 72, hyphens": partial(_wrapped_file, blocks, 72, hyphens=True),
        "wrapped 72, indented": partial(_wrapped_file, blocks, 72, "    "),
        "pdf, indented": lambda: ("a.pdf", _pdf(blocks, indent=14)),
        "pdf, gaps": lambda: ("a.pdf", _pdf(blocks, indent=0)),
        "pdf, two columns": lambda: ("a.pdf", _pdf(blocks, indent=14, columns=2)),
        "epub": lambda: ("a.epub", _epub(blocks)),
    }
    if find_spec("reportlab") is None:
        print("left out: the forms in PDF; pip install 'offbook[bench]'", file=sys.stderr)
        makers = {name: make for name, make in makers.items() if not name.startswith("pdf")}
    drawn = _drawn(blocks)
    forms = []
    for name, make in makers.items():
        if not arguments.form or name in arguments.form:
            file, data = make()
            begun = time.perf_counter()
            document = read_content(file, data)
            seconds = time.perf_counter() - begun
            forms.append(_compared(name, document, blocks, drawn, seconds))
    count = sum(block.level > 0 for block in blocks)
    return Report(arguments.file.name, len(blocks) - count, count, forms)


def _blocks(raw: str) -> Iterator[Block]:
    for part in re.split(r"\n[ \t]*(?:\n[ \t]*)+", raw.strip("\n")):
        lines = [line for line in part.split("\n") if line.strip()]
        if not lines:
            continue
        first = lines[0].strip()
        if first.startswith("#"):
            yield Block((first.lstrip("# "),), len(first) - len(first.lstrip("#")))
            lines = lines[1:]
        elif _LABEL.match(first) and len(lines) <= 3 and max(map(len, lines)) < 90:
            yield Block(tuple(line.strip() for line in lines), 1)
            continue
        short = all(len(line) < _VERSE_WIDTH for line in lines)
        if len(lines) > 1 and (short or any(line[:1].isspace() for line in lines)):
            yield Block(tuple(line.rstrip() for line in lines))
        elif lines:
            yield Block((" ".join(" ".join(lines).split()),))


def _markdown(blocks: Sequence[Block]) -> str:
    return "\n\n".join(
        f"{'#' * block.level} {block.text}" if block.level else "\n".join(block.lines)
        for block in blocks
    )


def _wrapped_file(
    blocks: Sequence[Block], width: int, indent: str = "", *, hyphens: bool = False
) -> tuple[str, bytes]:
    parts: list[str] = []
    for block in blocks:
        if block.level:
            # A heading without a label cannot be told from a short line.
            marks = "" if _LABEL.match(block.text) else "#" * block.level + " "
            parts.append("\n" + marks + "\n".join(block.lines) + "\n")
        elif len(block.lines) > 1:
            parts.append(
                "\n".join(block.lines) if not indent else "\n" + "\n".join(block.lines) + "\n"
            )
        else:
            text = _broken(block.text, width) if hyphens else block.text
            parts.append(text if hyphens else textwrap.fill(
                text, width, initial_indent=indent, break_long_words=False, break_on_hyphens=False
            ))  # fmt: skip
    return "a.txt", ("\n" if indent else "\n\n").join(parts).encode()


def _broken(text: str, width: int) -> str:
    """The text wrapped, words broken between consonants where they do not fit."""
    lines, line = list[str](), ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            room = width - len(line) - 2
            places = [at.start() for at in _BREAKS.finditer(word) if 2 < at.start() <= room]
            if word.isalpha() and places and len(word) - places[-1] > 2:
                lines.append(f"{line} {word[: places[-1]]}-")
                line = word[places[-1] :]
                continue
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def _pdf(blocks: Sequence[Block], indent: int, columns: int = 1) -> bytes:
    from reportlab.lib.enums import TA_JUSTIFY
    from reportlab.lib.pagesizes import A4, A5
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

    def furniture(canvas: Any, document: Any) -> None:
        canvas.setFont("Times-Roman", 9)
        head = "THE AUTHOR" if document.page % 2 else "THE TITLE"
        canvas.drawCentredString(size[0] / 2, size[1] - 30, head)
        canvas.drawCentredString(size[0] / 2, 25, str(document.page))

    size = A5 if columns == 1 else A4
    common = {"fontName": "Times-Roman", "fontSize": 10, "leading": 12.5}
    gap = 0 if indent else 7
    prose = ParagraphStyle(
        "prose", **common, firstLineIndent=indent, spaceAfter=gap,
        alignment=TA_JUSTIFY if indent else 0,
    )  # fmt: skip
    verse = ParagraphStyle("verse", **common, leftIndent=30, spaceBefore=7, spaceAfter=7)
    heading = ParagraphStyle(
        "heading", fontName="Times-Bold", fontSize=15, leading=20, spaceBefore=20, spaceAfter=12
    )
    flow = []
    for block in blocks:
        style = heading if block.level else prose if len(block.lines) == 1 else verse
        lines = [block.text] if block.level else block.lines
        flow.append(Paragraph("<br/>".join(escape(line.strip()) for line in lines), style))
    out = io.BytesIO()
    document = BaseDocTemplate(out, pagesize=size)
    width = (size[0] - 100) / columns
    frames = [Frame(50 + at * width, 45, width, size[1] - 95) for at in range(columns)]
    document.addPageTemplates([PageTemplate(frames=frames, onPage=furniture)])
    document.build(flow)
    return out.getvalue()


def _epub(blocks: Sequence[Block]) -> bytes:
    pages: list[list[str]] = [[]]
    for block in blocks:
        if block.level:
            if block.level == 1 and pages[-1]:
                pages.append([])
            pages[-1].append(f"<h{block.level}>{escape(block.text)}</h{block.level}>")
        else:
            filled = [
                textwrap.fill(escape(line), 80, break_on_hyphens=False) for line in block.lines
            ]
            pages[-1].append(f"<p>{'<br/>'.join(filled)}</p>")
    items = "".join(f'<item id="i{n}" href="{n}.html" media-type="application/xhtml+xml"/>'
                    for n in range(len(pages)))  # fmt: skip
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(pages)))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "a.opf", f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>"
        )
        for n, page in enumerate(pages):
            archive.writestr(f"{n}.html", f"<html><body>{chr(10).join(page)}</body></html>")
    return out.getvalue()


def _drawn(blocks: Sequence[Block]) -> list[str]:
    """Sentences of the prose, drawn with a fixed seed, without white space."""
    every = [
        _plain(block.text[start:end])
        for block in blocks
        if not block.level and len(block.lines) == 1
        for start, end in sentences(block.text)
        if end - start >= _LEAST_SENTENCE
    ]
    return random.Random(_SEED).sample(every, min(_SENTENCES, len(every)))


def _plain(text: str) -> str:
    return "".join(text.split())


def _title(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _compared(
    name: str, document: ReadDocument, blocks: Sequence[Block], drawn: Sequence[str], seconds: float
) -> Form:
    paragraphs: list[str] = []
    headings: list[str] = []
    true = [_plain(block.text) for block in blocks if not block.level]
    verse = {_plain(block.text) for block in blocks if len(block.lines) > 1}
    for part in re.split(r"\n[ \t]*\n", document.text):
        first, _, rest = part.strip().partition("\n")
        is_heading = re.match(r"#{1,6} ", first) is not None
        if is_heading:
            headings.append(_title(first))
        body = rest.strip() if is_heading else part.strip()
        if body:
            whole = "\n" not in body or _plain(body) in verse
            paragraphs.append(_plain(body) if whole else body)
    lost = sum(not any(sentence in part for part in paragraphs) for sentence in drawn)
    return Form(
        name,
        _f1(paragraphs, true),
        _f1(headings, [_title(block.text) for block in blocks if block.level]),
        lost,
        len(drawn),
        seconds,
    )


def _f1(found: Sequence[str], true: Sequence[str]) -> float:
    if not found and not true:
        return 1.0
    return 2 * (Counter(found) & Counter(true)).total() / (len(found) + len(true))
