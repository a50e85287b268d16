"""What a reply rests on, as the citations of OpenAI's API: links to passages.

A link leads to the passage on the page where there is a page, else to its text by the API. A
citation is of the whole reply: what is known is which passages were before the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from fastapi import Request

_MOST: Final = 12
"""Citations of a reply: programs show each beside it, and the extras hold all that there is."""
_PAGE: Final = "page"
"""The name of the route of the pages."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that was before the model: where it is, and what it is called."""

    url: str
    title: str

    def as_json(self, text: str) -> dict[str, Any]:
        """As in responses, for a reply."""
        return {"type": "url_citation", **self._of(text)}

    def as_chat_json(self, text: str) -> dict[str, Any]:
        """As in chat completions, for a reply."""
        return {"type": "url_citation", "url_citation": self._of(text)}

    def _of(self, text: str) -> dict[str, Any]:
        return {"url": self.url, "title": self.title, "start_index": 0, "end_index": len(text)}


def citations_of(request: Request, recall: Mapping[str, Any]) -> tuple[Citation, ...]:
    """The passages of documents in a recall, as JSON has it: each once, in its order."""
    cited: dict[str, Citation] = {}
    has_page = any(getattr(route, "name", "") == _PAGE for route in request.app.router.routes)
    base = str(request.base_url).rstrip("/")
    for item in recall.get("context", ()):
        for source in item.get("sources") or ():
            # What is cut from a document, not what is told of places that only name somebody.
            is_passage = source["end"] - source["start"] >= len(item["text"])
            if source.get("chunk") and is_passage and len(cited) < _MOST:
                path = _path(recall["character_id"], source, has_page=has_page)
                title = item.get("title") or source["document"]
                cited.setdefault(path, Citation(f"{base}{path}", str(title)))
    return tuple(cited.values())


def _path(character: str, source: Mapping[str, Any], *, has_page: bool) -> str:
    name = quote(character, safe="")
    places = {"start": source["start"], "end": source["end"]}
    if has_page:
        whole = {"document": source["document"], "chunk": source["chunk"], **places}
        return f"/c/{name}?{urlencode(whole)}"
    document = quote(source["document"], safe="/")
    return f"/api/characters/{name}/documents/{document}?{urlencode(places)}"
