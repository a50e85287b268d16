"""Graphs made by hand; every source is a real place in a text."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from offbook.graph.assembly import Graph, Relation
from offbook.graph.drawing.quotes import Quotes
from offbook.types import Document, Entity, Source

LIGHTHOUSE = """Mara Quill keeps the lighthouse of Skerry Point. Everybody in the village calls her
the Lamplighter, and the children call her Auntie Quill.

Her brother Tobias left for Port Ansel in the winter of the great storm. Mara has not forgiven
Tobias. "He took the boat," said the Lamplighter, "and the boat was not his."

Old Dr. Fenwick taught Mara to read the sky. The Harbour Company owns the lighthouse; it pays Mara
in paraffin and promises. In the great storm the Petrel went down off Skerry Point.
"""

HOSTILE_NAME = "</script><img src=x onerror=\"document.title='owned'\">"
HOSTILE_ALIAS = "<b>bold</b> & 'quoted' \"twice\""
RIGHT_TO_LEFT = "\u202eمريم\u202c הכהן"
SEPARATED = "line\u2028separator\u2029here 👩‍🚀🕯️"
CLOSING = "<!--<script>]]>${alert(1)}{{7*7}}"
HOSTILE = f"""{HOSTILE_NAME} met {RIGHT_TO_LEFT} at dusk. Then came {HOSTILE_ALIAS}, smiling.
🕯️🕯️ {SEPARATED} wrote {CLOSING} on the wall\x01\x0b.
"""

CHINESE = """林黛玉初到荣国府，众人都叫她林姑娘。宝玉见了颦儿，便说：“这个妹妹我曾见过的。”
贾母听了大笑。大观园落成那年，黛玉住进了潇湘馆。“花谢花飞花满天！”林姑娘在园中葬花。
"""


@dataclass(slots=True)
class Made:
    """A graph that is built up from names and the text they stand in."""

    document: Document
    entities: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)

    def places(self, *names: str) -> tuple[Source, ...]:
        """Where the names stand in the text."""
        found = sorted(
            {
                match.span()
                for name in names
                for match in re.finditer(re.escape(name), self.document.text)
            }
        )
        return tuple(Source(self.document.id, f"c-{s}", s, e) for s, e in found)

    def entity(self, id_: str, kind: str, described: str, *names: str) -> None:
        """An entity under its names; its mentions are where they stand."""
        sources = self.places(*names)
        mentions = tuple(f"m-{source.start}" for source in sources)
        self.entities.append(
            Entity(id_, names[0], kind, described, tuple(names[1:]), mentions, sources)
        )

    def relation(self, source: str, target: str, described: str, strength: float) -> None:
        """A relation; the whole text is its source, as a chunk would be."""
        whole = Source(self.document.id, "c", 0, len(self.document.text))
        self.relations.append(Relation(source, target, described, strength, (whole,)))

    @property
    def graph(self) -> Graph:
        return Graph(tuple(self.entities), tuple(self.relations))

    @property
    def quotes(self) -> Quotes:
        return Quotes([self.document])


def document(name: str, text: str) -> Document:
    return Document(id=f"id of {name}", name=name, text=text, digest="")


def small() -> Made:
    made = Made(document("lighthouse.md", LIGHTHOUSE))
    described = "Keeper of the lighthouse at Skerry Point; proud, and slow to forgive."
    made.entity("e1", "character", described, "Mara Quill", "the Lamplighter", "Auntie Quill")
    made.entity("e2", "character", "Mara's brother, who left with the boat.", "Tobias")
    made.entity("e3", "location", "A cape with a lighthouse.", "Skerry Point")
    made.entity("e4", "location", "", "Port Ansel")
    made.entity("e5", "event", "The storm of that winter.", "the great storm")
    made.entity("e6", "organization", "Owner of the lighthouse.", "The Harbour Company")
    made.entity("e7", "object", "A ship that was lost.", "Petrel")
    made.entity("e8", "character", "A teacher of weather.", "Dr. Fenwick")
    made.relation("e1", "e2", "sister, who has not forgiven him", 9)
    made.relation("e1", "e3", "keeps its lighthouse", 8)
    made.relation("e2", "e4", "left for it", 6)
    made.relation("e8", "e1", "taught her to read the sky", 7)
    made.relation("e6", "e1", "pays her in paraffin and promises", 4.5)
    made.relation("e7", "e3", "went down off it", 5)
    made.relation("e7", "e5", "was lost in it", 7)
    made.relation("e2", "e5", "left in the same winter", 3)
    return made


def empty() -> Made:
    return Made(document("empty.txt", "Nothing happened."))


def single() -> Made:
    made = Made(document("one.txt", "Ishmael was alone. Ishmael knew it."))
    made.entity("only", "character", "Somebody alone.", "Ishmael")
    made.relation("only", "only", "talks to himself", 2)
    return made


def hostile() -> Made:
    made = Made(document(f"{HOSTILE_NAME}.md", HOSTILE))
    made.entity("</script>", HOSTILE_NAME, HOSTILE_NAME, HOSTILE_NAME, HOSTILE_ALIAS)
    made.entity("'\"&\r\n\t", RIGHT_TO_LEFT, SEPARATED, RIGHT_TO_LEFT)
    made.entity("%zz#", "", CLOSING + "\x01\x0b\x1b", SEPARATED, CLOSING, "x" * 10_000)
    made.relation("</script>", "'\"&\r\n\t", HOSTILE_NAME + "\x00"[:0] + "\x02", 10)
    made.relation("%zz#", "</script>", SEPARATED, 1)
    return made


def chinese() -> Made:
    made = Made(document("红楼梦.txt", CHINESE))
    made.entity("d", "character", "荣国府的外孙女，聪慧多病。", "林黛玉", "黛玉", "林姑娘", "颦儿")
    made.entity("b", "character", "荣国府的公子。", "宝玉")
    made.entity("m", "character", "", "贾母")
    made.entity("r", "location", "贾家的府第。", "荣国府")
    made.entity("g", "location", "为省亲而建的园子。", "大观园")
    made.entity("x", "location", "黛玉的住处。", "潇湘馆")
    made.relation("b", "d", "觉得曾经见过她", 9)
    made.relation("d", "r", "初到", 6)
    made.relation("d", "x", "住进", 7)
    made.relation("x", "g", "在其中", 5)
    made.relation("m", "b", "祖母", 8)
    return made


def large(nodes: int, relations: int, seed: int = 7) -> Made:
    """A few people whom everybody knows, and many whom few know, as in a long novel."""
    chance = random.Random(seed)
    kinds = ["character"] * 10 + ["location"] * 4 + ["event"] * 3
    kinds += ["organization"] * 2 + ["object"] * 2 + ["time"]
    lines = []
    for number in range(nodes):
        first = ("Person Name", "Some Place", "An Event")[number % 3]
        lines.append(f"{first} {number} was seen on the road again, as the story goes on.")
    made = Made(document("long novel.txt", "\n".join(lines)))
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for number, line in enumerate(lines):
        name = line.split(" was")[0]
        mentions = max(1, round(chance.paretovariate(1.1)))
        at = Source(made.document.id, f"c{number}", starts[number], starts[number] + len(name))
        sources = (at, *_others(made.document.id, starts, chance, min(mentions, 40)))
        made.entities.append(
            Entity(
                f"e{number}",
                name,
                chance.choice(kinds),
                f"{name} is described in a sentence of some length, as a model would write it.",
                (f"Alias {number}",) if number % 3 == 0 else (),
                tuple(f"m{number}.{k}" for k in range(mentions)),
                sources,
            )
        )
    order = chance.sample(range(nodes), nodes)
    seen = (Source(made.document.id, "c0", 0, 20),)
    for number in range(relations):
        one = order[number % nodes]
        two = order[int(nodes * chance.random() ** 4)]
        made.relations.append(
            Relation(f"e{one}", f"e{two}", "met on the road", chance.randint(1, 10), seen)
        )
    return made


def _others(
    document_id: str, starts: list[int], chance: random.Random, count: int
) -> Iterable[Source]:
    for _ in range(count - 1):
        start = chance.choice(starts[:-1])
        yield Source(document_id, "c", start, start + 6)
