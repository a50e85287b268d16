"""The reader of HTML: what a page says, as Markdown, in time that grows with its length alone.

Left out: scripts, styles, navigation, forms, pictures, the addresses of links. lxml reads the tags,
and ends them as browsers do. markdownify's own patterns look at a run of blanks anew from each
blank of it: forty thousand of them would stop a server for seconds.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bs4 import BeautifulSoup
from bs4.element import NavigableString
from markdownify import ATX, MarkdownConverter

from offbook.documents.places import Places
from offbook.errors import UnreadableDocument

_NUMBERS: Final = ("colspan", "start")
_NUMBER: Final = re.compile(r"[0-9]{1,4}")
"""What else stands in these attributes, the library stumbles over."""

_PLAIN: Final = ("a", "img")
_BLANKS: Final = re.compile(r"[\t ]{2,}|[\t ]*\n\s*")
_NEXT_LINE: Final = re.compile(r"\n(?=[^\n])")
_BLANK: Final = " \n"
_BETWEEN: Final = "\n\n"
"""What stands around an empty block would else be one word."""


class PageConverter(MarkdownConverter):
    """Markdown as we read it on: headings with ``#``, nothing escaped, no addresses."""

    def __init__(self) -> None:
        super().__init__(
            heading_style=ATX,
            bullets="-",
            strip=list(_PLAIN),
            strip_pre=None,
            escape_asterisks=False,
            escape_underscores=False,
            escape_misc=False,
        )
        self._numbers: dict[int, int] = {}

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        """The text between two tags; its runs of blanks are one before the library sees them."""
        shown = el if parent_tags is not None and "pre" in parent_tags else _shortened(el)
        text: str = super().process_text(shown, parent_tags)  # type: ignore[misc]
        return text

    def convert_li(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """An item of a list, with its number; the library counts from the first to each anew."""
        listed = el.parent is not None and el.parent.name == "ol"
        bullet = f"{self._number(el)}. " if listed else "- "
        item = text.strip()
        if not item:
            return "\n"
        return bullet + _NEXT_LINE.sub("\n" + " " * len(bullet), item) + "\n"

    def _number(self, item: Any) -> int:
        """The number of an item in its list; the items of a list come one after the other."""
        items = item.parent
        if id(items) not in self._numbers:
            self._numbers[id(items)] = int(items.get("start") or 1)
        number = self._numbers[id(items)]
        self._numbers[id(items)] += 1
        return number

    def convert_pre(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """A block that keeps its blanks, without blank lines around it."""
        begins = text.rfind("\n", 0, len(text) - len(text.lstrip(_BLANK))) + 1
        code = text[begins:].rstrip(_BLANK)
        block: str = super().convert_pre(el, code, parent_tags)  # type: ignore[misc]
        return block or _BETWEEN


def _shortened(node: NavigableString) -> NavigableString:
    """The text with one blank for several and for the source's line breaks, where it stood."""
    if node.isspace() and "\n" in node:
        return node
    text = _BLANKS.sub(" ", node)
    if getattr(node.previous_sibling, "name", None) == "br":
        text = text.lstrip()
    if text == node:
        return node
    # Beside the tree and not in it: to replace one of many siblings takes a look at all of them.
    short = NavigableString(text)
    short.parent = node.parent
    short.previous_sibling, short.next_sibling = node.previous_sibling, node.next_sibling
    return short


_DROPPED: Final = (
    "script", "style", "noscript", "template", "nav", "head", "iframe", "svg", "form", "button",
)  # fmt: skip
_BLANK_LINES: Final = re.compile(r"\n[ \t\u00a0]*(?:\n[ \t\u00a0]*)+\n")


def html_to_markdown(path: Path, source: str) -> str:
    """Turn a page into Markdown; ``path`` is for messages.

    Raises:
        UnreadableDocument: its tags are nested deeper than can be followed.
    """
    from bs4 import MarkupResemblesLocatorWarning, XMLParsedAsHTMLWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        try:
            page = BeautifulSoup(source, "lxml")
            for tag in page.find_all(_DROPPED):
                tag.decompose()
            for name in _NUMBERS:
                for tag in page.select(f"[{name}]"):
                    if not _NUMBER.fullmatch(str(tag[name])):
                        del tag[name]
            markdown: str = PageConverter().convert_soup(page)
        except RecursionError as error:
            raise UnreadableDocument(
                f"{str(path)!r} is HTML with tags nested too deeply",
                "save the page as text or Markdown and ingest that",
            ) from error
    return _BLANK_LINES.sub("\n\n", markdown).strip() + "\n"


_WORD: Final = re.compile(r"\w+")
_TOKEN: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<(/?)([a-z][\w-]*)[^<>]*>|&#?\w{1,31};|(\w+)", re.DOTALL | re.IGNORECASE
)
_ROW: Final = 3
"""Words that stand in a row on both sides where the two are brought together again."""


def places_in(source: str, markdown: str) -> Places:
    """The map from the Markdown of a page to offsets in the page: word by word, in order.

    A word that the page spells otherwise, as with an entity, stands behind the one before it.
    """
    theirs = list(_words(source))
    words = [word for word, _ in theirs]
    ours = [(match.group(), match.start()) for match in _WORD.finditer(markdown)]
    rows: dict[tuple[str, ...], list[int]] = {}
    for index in range(len(words)):
        rows.setdefault(tuple(words[index : index + _ROW]), []).append(index)
    places: list[tuple[int, int]] = []
    index, shift = 0, None
    for number, (word, start) in enumerate(ours):
        if index == len(words) or words[index] != word:
            again = rows.get(tuple(each for each, _ in ours[number : number + _ROW]), [])
            behind = bisect_left(again, index)
            if behind == len(again):
                continue
            index = again[behind]
        origin = theirs[index][1]
        if origin - start != shift:
            shift = origin - start
            places.append((start, origin) if places or shift < 0 else (0, shift))
        index += 1
    return tuple(places)


def _words(source: str) -> Iterator[tuple[str, int]]:
    """The words of a page that are not in tags, nor in elements that are dropped."""
    lower = source.lower()
    last = {name: lower.rfind(f"</{name}") for name in (*_DROPPED, "title")}
    inside = ""
    for match in _TOKEN.finditer(source):
        ends, name = match[1], (match[2] or "").lower()
        if match[3] and not inside:
            yield match[3], match.start()
        elif ends and name == inside:
            inside = ""
        elif not (ends or inside) and last.get(name, 0) > match.start():
            inside = name
