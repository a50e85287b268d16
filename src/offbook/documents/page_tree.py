"""The tags of a page, ended where HTML says that they end.

Takes: the source of a page.  Gives: its tree. The library's parser ends a paragraph, an item or a
cell at its end tag only, which HTML lets people leave out: each would hold all that follow it.
Source: HTML Living Standard, 13.2.6.4.7 and 13.1.2.4, as far as texts need it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from bs4 import BeautifulSoup

_ENDS_PARAGRAPH: Final = frozenset((
    "address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hgroup", "hr", "li", "main", "menu", "nav", "ol", "p", "pre", "section",
    "table", "ul",
))  # fmt: skip
_CELLS: Final = frozenset(("td", "th"))
_PARTS: Final = frozenset(("thead", "tbody", "tfoot"))
_WITHIN: Final = frozenset(("button", "caption", "object", "table", "td", "template", "th"))
"""What goes on around these is not ended by what they hold."""

_ENDED: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "li": (frozenset(("li",)), _WITHIN | {"ul", "ol", "menu", "dir"}),
    **dict.fromkeys(("dt", "dd"), (frozenset(("dt", "dd")), _WITHIN | {"dl"})),
    **dict.fromkeys(_CELLS, (_CELLS, frozenset(("tr", "table")))),
    "tr": (frozenset(("tr",)), frozenset(("table",))),
    **dict.fromkeys(_PARTS, (_PARTS | {"tr"}, frozenset(("table",)))),
}
"""What the beginning of a tag ends, and where it looks no further."""

_PARAGRAPH: Final = frozenset(("p",))
_DEEPEST: Final = 64
"""So far it looks for what it ends, for the tags of a page may be nested without end."""

_NUMBERS: Final = ("colspan", "start")
_MOST_DIGITS: Final = 4


class PageTree(BeautifulSoup):
    """A page that ``html.parser`` has read."""

    def __init__(self, source: str) -> None:
        super().__init__(source, "html.parser")

    def handle_starttag(
        self, name: str, namespace: Any, nsprefix: Any, attrs: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Called by the parser where a tag begins."""
        for ended, within in _ended_by(name):
            self._end(ended, within)
        return super().handle_starttag(
            name, namespace, nsprefix, _with_numbers(attrs), *args, **kwargs
        )

    def _end(self, ended: frozenset[str], within: frozenset[str]) -> None:
        """End the outermost of these tags, with all that it holds."""
        if not any(self.open_tag_counter.get(name) for name in ended):
            return
        outermost = 0
        for depth in range(1, min(_DEEPEST, len(self.tagStack))):
            name = self.tagStack[-depth].name
            if name in ended:
                outermost = depth
            elif name in within:
                break
        if outermost:
            self.endData()
        for _ in range(outermost):
            self.popTag()


def _ended_by(name: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    if name in _ENDED:
        yield _ENDED[name]
    if name in _ENDS_PARAGRAPH:
        yield _PARAGRAPH, _WITHIN


def _with_numbers(attrs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Attributes without numbers that are none, which whoever reads them would stumble over."""
    if not any(name in attrs for name in _NUMBERS):
        return attrs
    return {k: v for k, v in attrs.items() if k not in _NUMBERS or _is_number(v)}


def _is_number(value: Any) -> bool:
    told = str(value)
    return told.isascii() and told.isdigit() and len(told) <= _MOST_DIGITS
