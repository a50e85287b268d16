"""The page is one file whose markup no text can change."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.graph.assembly import Graph, Relation
from offbook.graph.drawing.page import ASSETS, entity_weights, page_data, write_html
from offbook.graph.drawing.quotes import Quotes
from offbook.types import Document, Entity, Source
from tests.graph.drawing import graphs
from tests.sizes import examples


class Seen(HTMLParser):
    """The tags of a page, and what its scripts and styles hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.attributes: dict[str, list[dict[str, str | None]]] = {}
        self.texts: dict[str, list[str]] = {"script": [], "style": [], "title": [], "h1": []}
        self._inside: list[str] | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.attributes.setdefault(tag, []).append(dict(attrs))
        self._inside = self.texts.get(tag)
        if self._inside is not None:
            self._inside.append("")

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside is not None:
            self._inside[-1] += data


def page(made: graphs.Made, name: str = "Mara Quill") -> str:
    return write_html(made.graph, name, made.quotes)


PLAIN = Seen(page(graphs.small()))


def test_the_policy_allows_this_page_s_own_code_by_hash_and_nothing_else():
    policy = next(
        meta["content"]
        for meta in PLAIN.attributes["meta"]
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}

    def hashed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == ["'none'"]
    assert rules["script-src"] == [hashed(PLAIN.texts["script"][1])]
    assert rules["style-src"] == [hashed(PLAIN.texts["style"][0])]
    assert "unsafe" not in policy
    # It stands before everything that it governs.
    order = [tag for tag, _ in PLAIN.tags]
    first = order.index("meta") + 1
    assert PLAIN.tags[first] == ("meta", ("http-equiv", "content"))
    assert first < min(order.index("style"), order.index("script"))


def test_no_address_and_no_inline_handler_is_in_the_page():
    names = {name for _, attributes in PLAIN.tags for name in attributes}
    assert not names & {"src", "href", "action", "style", "srcset", "data"}
    assert not [name for name in names if name.startswith("on")]
    assert not [tag for tag, _ in PLAIN.tags if tag in ("link", "img", "iframe", "object", "base")]
    code = "".join(path.read_text("utf-8") for path in ASSETS.iterdir())
    assert not re.findall(r"https?:|url\(|@import|\bfetch\(|XMLHttpRequest|WebSocket", code)


def test_the_code_has_no_way_to_make_markup_of_text():
    code = "".join(path.read_text("utf-8") for path in ASSETS.glob("*.js"))
    sinks = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"
    )
    assert not re.findall(sinks, code)
    assert "</" not in code


@settings(max_examples=examples(40))
@given(
    st.text(max_size=40),
    st.text(st.sampled_from("</!->scriptSTYLE\u2028 &;\"'\0\r\n{%}"), max_size=40),
)
def test_any_text_reaches_the_script_as_it_is(one, two):
    entity = Entity("a", one, two, one + two, (two,))
    made = Graph((entity,), (Relation("a", "a", two, 1),))
    seen = Seen(write_html(made, two, Quotes([Document("d", "d", "", "")])))
    assert seen.tags == PLAIN.tags
    data = json.loads(seen.texts["script"][0])
    node = data["nodes"][0]
    assert (node["name"], node["description"], node["aliases"]) == (one, one + two, [two])
    assert data["relations"][0]["description"] == two


def test_heavier_entities_come_first_and_relations_follow_their_numbers():
    data = page_data(graphs.small().graph, "Mara Quill", graphs.small().quotes)
    names = [node["name"] for node in data["nodes"]]
    assert names[:2] == ["Mara Quill", "Tobias"]
    weights = [node["weight"] for node in data["nodes"]]
    assert weights == sorted(weights, reverse=True)
    first = data["relations"][0]
    assert (names[first["source"]], names[first["target"]]) == ("Mara Quill", "Tobias")


def test_the_weight_counts_mentions_and_the_strength_of_relations():
    made = Graph(
        (Entity("a", "A", "t", "", mentions=("1", "2")), Entity("b", "B", "t", "")),
        (Relation("a", "b", "", 5), Relation("a", "a", "", 10)),
    )
    assert entity_weights(made) == {"a": 2 + 0.5 + 1, "b": 0.5}


def test_known_types_look_the_same_on_every_page_and_others_take_what_is_free():
    kinds = ["place", "Character", "god", "location", "  "] + [f"kind {n}" for n in range(8)]
    made = Graph(tuple(Entity(f"{n:02}", f"{n:02}", kind, "") for n, kind in enumerate(kinds)))
    looks = {row["name"]: row["look"] for row in page_data(made, "x", Quotes([]))["types"]}
    assert (looks["Character"], looks["location"]) == (0, 1)
    assert [looks["place"], looks["god"], looks["(no type)"]] == [6, 7, 8]
    assert all(6 <= look < 10 for name, look in looks.items() if name.startswith("kind"))


def test_a_sentence_is_in_the_page_once_with_all_its_marks():
    document = Document("d", "d.txt", "Ann saw Ann.", "")
    sources = (Source("d", "c", 8, 11), Source("d", "c", 0, 3), Source("d", "c", 0, 3))
    made = Graph((Entity("a", "Ann", "character", "", sources=sources),))
    data = page_data(made, "x", Quotes([document]))
    assert data["sentences"] == [(0, "Ann saw Ann.")]
    assert data["nodes"][0]["quotes"] == [[0, [[0, 3], [8, 11]]]]
    assert data["documents"] == ["d.txt"]


def test_a_large_graph_stays_a_small_file():
    made = graphs.large(2000, 5000)
    size = len(page(made).encode())
    assert 1_000_000 < size < 2_000_000
