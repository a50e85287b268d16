"""Windows of small chunks: a call for several, and each keeps what is said of it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.graph.assembly import load_graph
from offbook.ingestion.extraction import (
    by_section,
    calls_left,
    is_date,
    last_sentence,
    names_so_far,
    persons_lacking,
    read_extraction,
    windows_of,
)
from offbook.ingestion.reports import DocumentReport, tally
from offbook.names.story import Reach
from offbook.prompts.extraction import (
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    Section,
    StatedAlias,
)
from offbook.text.tokens import count_tokens
from offbook.types import Chunk, Position
from tests.graph import rules_model
from tests.graph.rules_model import RulesModel
from tests.graph.world import GraphWorld

TEXT = "\n\n".join(
    f"## Year {n}\n\n{a} met {b} in year {n}. {b} wrote to {a}."
    for n, (a, b) in enumerate([("Ana Bell", "Bo Carter"), ("Ana", "Carter"), ("Cora", "Dunn")])
)


def chunk(number: int, text: str, document: str = "one", headings: tuple[str, ...] = ()) -> Chunk:
    return Chunk(f"{document}{number}", document, "graph", number, 0, len(text), headings, text)


def entity(section: int, name: str, told: str = "", *, kind: str = "character", aliases=()):
    stated = [StatedAlias(called=called, evidence=evidence) for called, evidence in aliases]
    return ExtractedEntity(section=section, name=name, type=kind, description=told, aliases=stated)


def relation(section: int, source: str, target: str, told: str) -> ExtractedRelation:
    return ExtractedRelation(
        section=section, source=source, target=target, description=told, strength=5
    )


chunks = st.lists(
    st.tuples(st.sampled_from(["one", "two"]), st.integers(0, 40), st.booleans()), max_size=30
).map(
    lambda told: [
        (chunk(n, "word " * words, document), wanted)
        for n, (document, words, wanted) in enumerate(sorted(told, key=lambda one: one[0]))
    ]
)


@given(chunks, st.integers(0, 60))
def test_windows_hold_what_is_pending_once_in_order_and_as_much_as_fits(told, most):
    every = [one for one, _ in told]
    pending = [one for one, wanted in told if wanted and one.text.strip()]
    windows = windows_of(every, pending, most, count_tokens)
    assert [one for window in windows for one in window] == pending
    order = [one.id for one in every if one.text.strip()]
    for window in windows:
        places = [order.index(one.id) for one in window]
        assert places == list(range(places[0], places[0] + len(places))), "in a row"
        assert len({one.document for one in window}) == 1
        assert len(window) == 1 or sum(count_tokens(one.text) for one in window) <= most
    for one, other in pairwise(windows):
        follows = order.index(other[0].id) == order.index(one[-1].id) + 1
        if follows and one[0].document == other[0].document:
            size = sum(count_tokens(each.text) for each in (*one, other[0]))
            assert size > most, "the next one would have fitted"


async def test_a_window_gives_what_its_chunks_give_one_by_one(sqlite_store):
    pictures, calls = [], []
    for name, window in (("whole", 1200), ("apart", 0)):
        model = RulesModel()
        made = await GraphWorld(sqlite_store, name, model, {"window": window}).create()
        await made.put("one.md", TEXT)
        pictures.append(await made.picture())
        calls.append(model.calls["extract"])
    assert pictures[0] == pictures[1]
    assert calls == [1, 3]


def beginning(most: int):
    """A model that reads the first sections of a window only."""
    whole = rules_model.extract

    def read(inputs):
        answer = whole(inputs)
        return Extraction(
            entities=[entity for entity in answer.entities if entity.section <= most],
            relations=[relation for relation in answer.relations if relation.section <= most],
        )

    return read


PADDED = TEXT.replace(".\n", f". {'Day after day they went on. ' * 120}\n")
"""Long enough for calls to be left, in a wide window."""
WIDE = {"window": 4_000}


async def test_a_section_with_names_that_its_answer_lacks_is_asked_about_again(
    sqlite_store, monkeypatch
):
    whole, pictures = rules_model.extract, []
    for name, rule in (("whole", whole), ("first", beginning(2))):
        monkeypatch.setitem(rules_model._RULES, "extract", rule)
        made = await GraphWorld(sqlite_store, name, settings=WIDE).create()
        await made.put("one.md", PADDED)
        entities = (await made.picture())["entities"]
        pictures.append([(name, places) for name, *_, places in entities])
    assert made.model.calls["extract"] == 2
    assert pictures[0] == pictures[1]


async def test_a_section_whose_names_are_known_keeps_them_without_a_call(sqlite_store, monkeypatch):
    monkeypatch.setitem(rules_model._RULES, "extract", beginning(2))
    made = await GraphWorld(sqlite_store, settings=WIDE).create()
    text = PADDED.replace("Cora", "Bo Carter").replace("Dunn", "Ana Bell")
    await made.put("one.md", text)
    assert made.model.calls["extract"] == 1
    entities = {name: places for name, *_, places in (await made.picture())["entities"]}
    third = text.index("## Year 2")
    assert any(start > third for _, start, _ in entities["Bo Carter"])
    assert len(await passed_over(made)) == 1


async def test_of_a_section_that_is_passed_over_twice_the_known_names_are_kept(
    sqlite_store, monkeypatch
):
    monkeypatch.setitem(rules_model._RULES, "extract", beginning(1))
    made = await GraphWorld(sqlite_store, settings=WIDE).create()
    text = PADDED + "\n\n## Year 3\n\nEve Hale met Ana Bell. Eve Hale wrote to Finn Orr."
    await made.put("one.md", text)
    assert made.model.calls["extract"] == 2
    entities = {name: places for name, *_, places in (await made.picture())["entities"]}
    assert {"Cora", "Dunn"} <= entities.keys()
    assert any(start > text.index("## Year 3") for _, start, _ in entities["Ana Bell"])
    assert len(await passed_over(made)) == 1, "both sections, in one line"


async def passed_over(made: GraphWorld) -> list[str]:
    (report,) = await tally(
        made.store, made.character, [DocumentReport("one-md", "one.md", "added")], ["graph"]
    )
    return [message for message in report.messages if "passed it over" in message]


async def test_no_more_is_asked_again_than_a_text_may_cost(sqlite_store, monkeypatch):
    monkeypatch.setitem(rules_model._RULES, "extract", beginning(2))
    made = await GraphWorld(sqlite_store).create()
    await made.put("one.md", TEXT)
    assert made.model.calls["extract"] == 1


@pytest.mark.parametrize(
    ("kilobytes", "windows", "left"),
    [(3.4, 1, 0), (5, 1, 2), (19, 5, 12), (21.2, 5, 2), (50, 11, 9), (50, 30, 0)],
)
def test_what_is_left_for_asking_again_depends_on_the_length(kilobytes, windows, left):
    assert calls_left([chunk(0, "x" * round(kilobytes * 1024))], windows) == left


def test_a_person_is_listed_who_is_listed_by_another_form():
    listed = [entity(1, "Ana Bell"), entity(1, "Mr. Dunn")]
    sought = [entity(1, "Ana"), entity(1, "Dunn"), entity(1, "Anabel"), entity(1, "Cora")]
    assert persons_lacking(sought, listed) == {" anabel ", " cora "}
    assert not persons_lacking([entity(1, "Harwick", kind="location")], listed)
    assert persons_lacking([entity(1, "宝玉"), entity(1, "黛玉")], [entity(1, "贾宝玉")]) == {
        "黛玉"
    }


async def test_a_wrong_number_alone_is_no_reason_to_ask_again(sqlite_store, monkeypatch):
    """What is listed under another section's number is kept with the section that names it."""
    whole = rules_model.extract

    def all_in_the_second(inputs):
        answer, number = whole(inputs), {"section": min(2, len(inputs.sections))}
        return Extraction(
            entities=[entity.model_copy(update=number) for entity in answer.entities],
            relations=[relation.model_copy(update=number) for relation in answer.relations],
        )

    monkeypatch.setitem(rules_model._RULES, "extract", all_in_the_second)
    made = await GraphWorld(sqlite_store).create()
    await made.put("one.md", TEXT)
    assert made.model.calls["extract"] == 1
    entities = {name: places for name, *_, places in (await made.picture())["entities"]}
    assert {"Ana Bell", "Bo Carter", "Cora", "Dunn"} <= entities.keys()


async def test_an_edit_asks_about_what_it_touches_alone(sqlite_store):
    made = await GraphWorld(sqlite_store).create()
    await made.put("one.md", TEXT)
    asked = len(made.model.asked)
    await made.put("one.md", TEXT.replace("Carter in year 1", "Carter by the sea"))
    ((_, inputs),) = [
        r.origin for r in made.model.asked[asked:] if r.origin and r.origin[0].name == "extract"
    ]
    assert [section.headings for section in inputs.sections] == ["Year 1"]
    assert inputs.before == "Bo Carter wrote to Ana Bell."


async def test_nothing_of_a_later_section_is_known_before_it(sqlite_store):
    made = await GraphWorld(sqlite_store).create()
    await made.put("one.md", TEXT)
    early = Position(0, TEXT.index("## Year 1"))
    found = await made.store.read(lambda c: load_graph(c, made.character, Reach(early)))
    assert [e.names for e in found.entities] == [("Ana Bell",), ("Bo Carter",)]
    told = [one.description for one in (*found.entities, *found.relations)]
    assert not any("year 1" in one for one in told)
    assert any("year 0" in one for one in told)


def test_a_wrong_number_moves_nothing_to_an_earlier_section_than_it_was_read_in():
    sections = (Section("", "Ana met Bo."), Section("", "Bo left."), Section("", "Ana wept."))
    answer = Extraction(
        entities=[entity(2, "Ana"), entity(3, "Bo"), entity(1, "Bo"), entity(2, "Nobody")],
        relations=[relation(3, "Ana", "Bo", "They met.")],
    )
    first, second, third = by_section(sections, answer)
    assert [one.name for one in first.entities] == ["Bo"]
    assert [one.name for one in second.entities] == ["Bo", "Nobody"]
    assert [one.name for one in third.entities] == ["Ana"]
    assert [len(one.relations) for one in (first, second, third)] == [1, 0, 0]


def test_a_name_that_the_section_states_is_a_mention_under_the_words_that_state_it():
    said = "Ana Bell kept the light.  Her father called\nher Puffin."
    stated = [("Puffin", "her father CALLED her Puffin"), ("ana bell", "Ana Bell kept")]
    found = read_extraction(
        chunk(0, said), Extraction(entities=[entity(1, "Ana Bell", aliases=stated)], relations=[])
    )
    ana, puffin = found.mentions
    assert ana.aliases == ("Puffin",)
    assert (puffin.name, puffin.type) == ("Puffin", "character")
    assert puffin.description == "her father CALLED her Puffin"
    assert said[puffin.start : puffin.end] == "Puffin"
    assert found.note == ""


async def test_a_name_that_the_section_does_not_state_is_left_out_and_counted(
    sqlite_store, monkeypatch
):
    invented = [("Puffin", "she was called Puffin"), ("Sparrow", "Ana met Bo"), ("Bo", ".")]

    def extract(inputs):
        return Extraction(entities=[entity(1, "Ana", aliases=invented)], relations=[])

    monkeypatch.setitem(rules_model._RULES, "extract", extract)
    made = await GraphWorld(sqlite_store).create()
    await made.put("one.md", "## Sea\n\nAna met Bo.\n")
    assert [entity.names for entity in (await made.graph()).entities] == [("Ana",)]
    (report,) = await tally(
        made.store, made.character, [DocumentReport("one-md", "one.md", "added")], ["graph"]
    )
    (told,) = report.messages
    assert "the section does not state them: 3" in told
    assert "Sea" in told
    assert report.status == "added"


def test_a_date_alone_is_no_entity_and_what_relates_it_is_told_of_the_other_end():
    answer = Extraction(
        entities=[entity(1, "Ana"), entity(1, "2 May 1844", kind="time")],
        relations=[relation(1, "Ana", "2 May 1844", "Ana was wed on that day.")],
    )
    found = read_extraction(chunk(0, "Ana was wed on 2 May 1844."), answer)
    assert [(one.name, one.description) for one in found.mentions] == [
        ("Ana", "Ana was wed on that day.")
    ]
    assert not found.relations
    kept = read_extraction(chunk(0, "Ana was wed on 2 May 1844."), answer, dates=True)
    assert [one.name for one in kept.mentions] == ["Ana", "2 May 1844"]
    assert len(kept.relations) == 1
    book = Extraction(entities=[entity(1, "1984", kind="object")], relations=[])
    assert read_extraction(chunk(0, "She read 1984."), book).mentions


def test_dates_are_told_from_names_with_a_number():
    for name in ("1831", "March 1874", "the 8th of February, 1855", "1851 to 1852", "1861年2月3日"):
        assert is_date(name), name
    for name in ("May", "April Lane", "Apollo 11", "Year of the Four Emperors", "", "No. 7"):
        assert not is_date(name), name


def test_a_later_name_stands_over_no_earlier_passage():
    story = [
        chunk(0, "Ana Bell, born August 9, kept the light. Ana slept.", headings=("Ana Bell",)),
        chunk(1, "Ana was known as Puffin to the sailors.", headings=("Ana Bell",)),
    ]
    names = names_so_far("Ana Bell", story)
    assert not {"Puffin", "August"} & set(names["one0"])
    assert {"Ana Bell", "Puffin"} <= set(names["one1"])


def test_the_sentence_before_is_the_last_one_and_short():
    assert last_sentence("Ana came. Bo\nleft.") == "Bo left."
    assert last_sentence("") == ""
    assert len(last_sentence("word " * 1_000)) <= 300
