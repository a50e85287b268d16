"""The reader of HTML: what a page says, as Markdown.

Takes: the source of a page.  Gives: Markdown with its headings, lists and tables.
Left out: scripts, styles, navigation, forms, pictures, the addresses of links.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Final

from offbook.errors import UnreadableDocument

_DROPPED: Final = (
    "script", "style", "noscript", "template", "nav", "head", "iframe", "svg", "form", "button",
)  # fmt: skip
# How marked sections end, for the parser of the standard library.
_SECTION_ENDS: Final = re.compile(r"\]\s*>")
_LONG_SECTION_ENDS: Final = re.compile(r"\]\s*\]\s*>")
_LONG_SECTION: Final = re.compile(r"<!\[(?!if|else|endif)", re.IGNORECASE)
_BLANK_LINES: Final = re.compile(r"\n[ \t\u00a0]*(?:\n[ \t\u00a0]*)+\n")


def html_to_markdown(path: Path, source: str) -> str:
    """Turn a page into Markdown; ``path`` is for messages.

    Raises:
        UnreadableDocument: its tags are nested deeper than can be followed.
    """
    from bs4 import MarkupResemblesLocatorWarning

    from offbook.documents.page_converter import PageConverter
    from offbook.documents.page_tree import PageTree

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
        try:
            page = PageTree(_ended(source))
            for tag in page.find_all(_DROPPED):
                tag.decompose()
            markdown: str = PageConverter().convert_soup(page)
        except RecursionError as error:
            raise UnreadableDocument(
                f"{str(path)!r} is HTML with tags nested too deeply",
                "save the page as text or Markdown and ingest that",
            ) from error
    return _BLANK_LINES.sub("\n\n", markdown).strip() + "\n"


def _ended(source: str) -> str:
    """The source, in which what nothing ends is text.

    The parser would look for its end from each beginning anew, as far as the page goes: a hundred
    thousand characters of ``<a b`` take it minutes.
    """
    source = _text_behind(source.rfind("-->") + 1, "<!--", source)
    long = _last(_LONG_SECTION_ENDS, source)
    source = source[:long] + _LONG_SECTION.sub("&lt;![", source[long:])
    source = _text_behind(_last(_SECTION_ENDS, source), "<![", source)
    return _text_behind(source.rfind(">") + 1, "<", source)


def _last(pattern: re.Pattern[str], source: str) -> int:
    """Where the last match ends; 0 where there is none."""
    end = 0
    for found in pattern.finditer(source):
        end = found.end()
    return end


def _text_behind(start: int, beginning: str, source: str) -> str:
    return source[:start] + source[start:].replace(beginning, beginning.replace("<", "&lt;"))
