"""A picture as a part of a page: no style attributes, no foreign ids, colours of the page.

Takes: the SVG that matplotlib wrote.  Gives: an ``<svg>`` element that a strict content security
policy lets through, whose colours are variables, so that it is dark where the page is.
"""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as ET

from offbook.evaluation.report.pictures.looks import VARIABLES

_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "http://www.w3.org/1999/xlink"
_KEPT_PROPERTIES: Final = frozenset(
    {
        "fill",
        "fill-opacity",
        "fill-rule",
        "opacity",
        "stroke",
        "stroke-dasharray",
        "stroke-dashoffset",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-miterlimit",
        "stroke-opacity",
        "stroke-width",
    }
)
_DROPPED: Final = frozenset({"metadata", "style"})
_LONG: Final = re.compile(r"-?\d+\.\d{3,}")
"""Places behind the point that no screen shows."""
_URL: Final = re.compile(r"url\(#([^)]+)\)")


def inlined(svg: str, prefix: str, alt: str) -> str:
    """The picture as markup.

    Args:
        svg: As matplotlib wrote it; nothing else is read here.
        prefix: Goes before every id, so that pictures of one page do not share any.
        alt: What the picture shows, for whoever does not see it.
    """
    root = ET.fromstring(svg)  # noqa: S314 - it is our own, written a moment ago
    prefix = re.sub(r"[^a-zA-Z0-9-]", "-", prefix)
    _clean(root, prefix)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", alt)
    return _written(root)


def _clean(element: ET.Element, prefix: str) -> None:
    for child in list(element):
        name = child.tag.rpartition("}")[2]
        if name in _DROPPED:
            element.remove(child)
        else:
            _clean(child, prefix)
    style = element.attrib.pop("style", "")
    for declared in filter(None, map(str.strip, style.split(";"))):
        name, _, value = declared.partition(":")
        if name.strip() in _KEPT_PROPERTIES:
            element.set(name.strip(), value.strip())
    for name, value in list(element.attrib.items()):
        element.set(name, _value(name, value, prefix))
    reference = element.attrib.pop(f"{{{_XLINK}}}href", None)
    if reference is not None:
        element.set("href", f"#{prefix}-{reference.removeprefix('#')}")


def _value(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name in ("fill", "stroke"):
        variable = VARIABLES.get(value.lower())
        return f"var(--{variable}, {value})" if variable else value
    if name == "d":
        return _LONG.sub(lambda found: f"{float(found.group()):.2f}", value)
    return _URL.sub(rf"url(#{prefix}-\1)", value)


def _written(root: ET.Element) -> str:
    """Markup without name spaces: within a page of HTML there are none."""
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    return ET.tostring(root, encoding="unicode", short_empty_elements=False)
