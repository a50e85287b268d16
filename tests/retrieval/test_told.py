"""What a character was told of a name: whose memories, from where, and up to when."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from offbook.memory.turns import ConversationContext
from offbook.prompts.emotion import HERE
from offbook.protocols import Store
from offbook.retrieval.memory_evidence import MOST, EvidenceSearch, MemoryEvidence, core_of
from offbook.stores import characters, conversations, documents, memories
from offbook.types import Character, Document, MemoryFragment, Message, Position

INTRODUCED = "My sister is called Ilse."


@pytest.fixture
async def ada(store: Store) -> Character:
    return await store.write(characters.create, "Ada")


async def tell(store: Store, said: str, answered: str = "I see.", principal: str = "sam") -> str:
    def add(conn) -> str:
        conversations.begin(conn, "ada", principal, principal=principal)
        turn = conversations.add_turn(conn, "ada", principal, said, answered)
        key = memories.memory_id("", "", principal=principal, turn=turn)
        found = MemoryFragment(
            key, said, answered, session=principal, turn=turn, principal=principal
        )
        memories.add(conn, "ada", [found])
        return key

    return await store.write(add)


async def author(store: Store, said: str, answered: str, at: str | None = None) -> None:
    made = MemoryFragment(memories.memory_id(said, answered), said, answered, at=at)
    await store.write(memories.add, "ada", [made])


def hearsay(
    store: Store, ada: Character, *history: str, principal: str | None = "sam"
) -> EvidenceSearch:
    turns = [m for said in history for m in (Message("user", said), Message("assistant", "So?"))]
    return EvidenceSearch(store, ada, ConversationContext(principal), turns)


def memory_ids(told: MemoryEvidence | None) -> list[str | None]:
    return [] if told is None else [item.memory for item in told.items]


async def test_a_memory_of_a_conversation_tells(store: Store, ada: Character):
    made = await tell(store, INTRODUCED)
    found = await hearsay(store, ada).of(["my sister Ilse", "Gudrun"], "Do you know Ilse?")
    assert set(found) == {"my sister ilse"}
    told = found["my sister ilse"]
    assert told.sentence == INTRODUCED
    (item,) = told.items
    assert (item.kind, item.memory, INTRODUCED in item.text) == ("memory", made, True)


async def test_what_was_only_asked_tells_nothing(store: Store, ada: Character):
    await tell(store, "Who is Gudrun?", "I know nothing of Gudrun.")
    await tell(store, "You met Gudrun in Paris.", "Did I?")
    found = hearsay(store, ada, "Tell me about Gudrun.", "Do you know Gudrun?")
    assert await found.of(["Gudrun"], "Gudrun?") == {}


async def test_others_are_not_heard(store: Store, ada: Character):
    await tell(store, INTRODUCED, principal="eve")
    for principal in ("sam", None):
        assert await hearsay(store, ada, principal=principal).of(["Ilse"], "Ilse?") == {}
    assert await hearsay(store, ada, principal="eve").of(["Ilse"], "Ilse?")


async def test_an_authored_memory_tells_with_both_halves(store: Store, ada: Character):
    await author(store, "Do you miss Rolf?", "I miss him and Gerda.")
    found = await hearsay(store, ada, principal=None).of(["Rolf", "Gerda", "Ilse"], "?")
    assert set(found) == {"rolf", "gerda"}


async def test_what_is_forgotten_tells_nothing(store: Store, ada: Character):
    made = await tell(store, INTRODUCED)
    await store.write(memories.remove, "ada", [made])
    assert await hearsay(store, ada).of(["Ilse"], "Ilse?") == {}


async def test_what_was_said_here_tells_though_it_is_no_memory(store: Store, ada: Character):
    found = (await hearsay(store, ada, INTRODUCED).of(["Ilse"], "Ilse?"))["ilse"]
    assert [(item.title, item.memory) for item in found.items] == [(HERE, None)]


async def test_a_turn_that_is_a_memory_is_told_once(store: Store, ada: Character):
    made = await tell(store, INTRODUCED, "So?")
    found = await hearsay(store, ada, INTRODUCED).of(["Ilse"], "Ilse?")
    assert memory_ids(found["ilse"]) == [made]


async def test_what_bears_on_the_question_goes_first_and_not_all_is_shown(
    store: Store, ada: Character
):
    made = [await tell(store, said) for said in (INTRODUCED, "Ilse lives in Bergen.")]
    for number in range(MOST):
        await tell(store, f"We met Ilse on day {number}.")
    found = (await hearsay(store, ada).of(["Ilse"], "Where in Bergen does Ilse live?"))["ilse"]
    assert found.sentence == "Ilse lives in Bergen."
    assert memory_ids(found)[0] == made[1]
    assert len(found.items) == MOST
    whole = await hearsay(store, ada).of(["Ilse"], "What is your sister called, is it Ilse?")
    assert whole["ilse"].sentence == INTRODUCED


async def test_a_whole_sentence_says_more_than_a_word_by_the_way(store: Store, ada: Character):
    made = [await tell(store, said) for said in (INTRODUCED, "Do you remember my sister Ilse?")]
    found = await hearsay(store, ada).of(["Ilse"], "Ilse?")
    assert memory_ids(found["ilse"]) == made


@pytest.mark.parametrize("name", ["Élise", "élise", "ÉLISE", "Elise"])
async def test_accents_and_cases_make_no_difference_where_the_engine_can_tell(
    store: Store, ada: Character, name: str
):
    await tell(store, "My aunt is called Élise.")
    found = await hearsay(store, ada, "My aunt is called Élise.").of([name], "?")
    assert len(found) == 1


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("My doctor is Dr. Watson.", "Dr. Watson"),
        ("My doctor is Dr Watson.", "Dr. Watson"),
        ("Mrs. Hudson is my landlady.", "Mrs. Hudson"),
        ("Mrs. Young is my landlady.", "Mrs. Young"),
        ("I live with St. John.", "St. John"),
        ("I live with John H. Watson.", "John H. Watson"),
        ("My grocer is Mr. Wu.", "Mr. Wu"),
    ],
)
async def test_a_name_may_have_a_stop_inside(store: Store, ada: Character, said: str, name: str):
    assert await hearsay(store, ada, said).of([name], "?")
    made = await tell(store, said)
    found = await hearsay(store, ada).of([name], "?")
    assert memory_ids(found[name.casefold()]) == [made]


async def test_memories_are_looked_for_by_the_name_and_not_by_its_title(
    store: Store, ada: Character
):
    made = await tell(store, "My grocer is Mr. Wu.")
    for number in range(201):
        await tell(store, f"Mr. Low came on day {number}.")
    found = await hearsay(store, ada).of(["Mr. Wu"], "?")
    assert memory_ids(found["mr. wu"]) == [made]


async def test_what_the_prompt_holds_is_known_and_not_told_again(store: Store, ada: Character):
    for said in (INTRODUCED, "Ilse lives in Bergen."):
        await tell(store, said, "So?")
    old, young = await store.read(memories.mentioning, "ada", ["Ilse"], principal="sam", most=9)
    assert old.turn is not None
    seen = hearsay(store, ada, INTRODUCED, "Ilse lives in Bergen.")
    # A turn that is no memory is shown here as well as one that is.
    for also in ((), ("Ilse has a boat.",)):
        present = frozenset(one.turn for one in (old, young) if one.turn is not None)
        talk = ConversationContext("sam", present, 2 + len(also))
        spoken = [*seen.history, *(m for one in also for m in (Message("user", one),))]
        found = await replace(seen, conversation=talk, history=spoken).of(["Ilse"], "Bergen?")
        assert found["ilse"] == MemoryEvidence("Ilse lives in Bergen.", ())
    part = await replace(
        seen, conversation=ConversationContext("sam", frozenset((young.turn or "",)), 1)
    ).of(["Ilse"], "?")
    assert memory_ids(part["ilse"]) == [old.id]


async def test_signs_of_a_pattern_are_signs(store: Store, ada: Character):
    await tell(store, INTRODUCED)
    assert await hearsay(store, ada).of(["%", "_", "I_se", "%lse"], "?") == {}


async def test_at_a_point_only_what_lies_before_it_is_heard(store: Store, ada: Character):
    for name in ("a.md", "b.md"):
        made = Document(name, name, "The gale took the boat.", digest=name)
        await store.write(partial(documents.put, character="ada", document=made))
    await author(store, "Rolf is dead.", "Leave me.", at="a.md")
    await author(store, "Gerda is dead.", "Leave me.", at="b.md")
    await author(store, "Sigrid is dead.", "Leave me.")
    seen, asked = hearsay(store, ada), ["Rolf", "Gerda", "Sigrid"]
    assert set(await seen.of(asked, "?")) == {"rolf", "gerda", "sigrid"}
    early = replace(seen, until=Position(0, len("The gale took the boat.")))
    assert set(await early.of(asked, "?")) == {"rolf"}


@pytest.mark.parametrize(
    ("name", "core"),
    [
        ("my sister Ilse Berg", "Ilse Berg"),
        ("Ilse", "Ilse"),
        ("ilse", "ilse"),
        ("Dr. Watson", "Dr. Watson"),
        ("my friend Mr. John H. Watson, ", "Mr. John H. Watson"),
        ("St. John", "St. John"),
        ("Prince of Low", "Prince of Low"),
        ("the “Sea Bird”", "Sea Bird"),
        ("“ilse”", "ilse"),
        ("小红", "小红"),
    ],
)
def test_the_name_in_what_a_model_may_call_somebody(name: str, core: str):
    assert core_of(name) == core
