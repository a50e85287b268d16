"""One person is one node: stars, chains, a person's word, and nothing asked twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import InvalidAnswer
from offbook.graph.entity_normalization import Ledger, Links, normalize
from offbook.graph.verdicts import decision_id
from offbook.models.batching import Asking
from offbook.prompts.entities import GroupVerdict, VerifyGroupAnswer
from offbook.rules.model import OfflineModel
from offbook.settings.model import GraphSettings
from offbook.types import ChatResponse, Decision, RawEntity
from tests.graph.rules_model import RulesModel
from tests.graph.world import Trigrams

UNVERIFIED = GraphSettings(who_is_who=False, verify=False)
FAITHFUL = GraphSettings(
    who_is_who=False, k=3, threshold=0.7, by_name=False, homonyms=False, once=False
)

NAMES = ("Ana", "Cora", "Dora", "Flora", "Nora")


def mention(row: int, name: str, told: str = "", kind: str = "character") -> RawEntity:
    return RawEntity(f"m{row}", f"c{row}", 0, name, kind, told, None, None)


def story(*names: str) -> list[RawEntity]:
    return [mention(row, name, f"{name} came in scene {row}.") for row, name in enumerate(names)]


def word(a: str, b: str, *, same: bool) -> Decision:
    return Decision(decision_id(a, b), a, b, same, "person", "")


def asking(model: RulesModel, batch_items: int = 24) -> Asking:
    return Asking(model, "Ana", retries=0, batch_items=batch_items)


def origins(model: RulesModel) -> list[tuple[Any, Any]]:
    return [request.origin for request in model.asked if request.origin is not None]


def texts(model: RulesModel) -> list[str]:
    return [request.messages[-1].content for request in model.asked]


async def groups(entities, *, ledger=None, model=None, rules=None):
    """The names of each group, and the model that was asked."""
    model = model or RulesModel()
    rules, asked = rules or GraphSettings(who_is_who=False), asking(model)
    found = await normalize(entities, None, rules, asked, ledger)
    rows = sorted(row for group in found.groups for row in group)
    assert rows == list(range(len(entities))), "each raw entity is in exactly one group"
    return [sorted({entities[row].name for row in group}) for group in found.groups], model, found


def on_mentions(a: RawEntity, b: RawEntity, *, same: bool) -> Decision:
    return Decision(decision_id(a.id, b.id), a.id, b.id, same, "person", "")


async def kinds(entities, *words: Decision, **more: Any) -> list[list[str]]:
    """The types of each group."""
    _, _, found = await groups(
        entities,
        ledger=Ledger(words),
        rules=GraphSettings(who_is_who=False, same_type=False),
        **more,
    )
    return [[entities[row].type for row in group] for group in found.groups]


async def test_a_persons_word_means_the_bearer_of_a_name_who_is_of_the_same_type():
    fox = [mention(0, "Fox", kind="location"), mention(1, "Fox"), mention(2, "Tom Reed")]
    apart = on_mentions(fox[0], fox[1], same=False)
    said = word("Tom Reed", "Fox", same=True)
    assert await kinds(fox, apart, said) == [["location"], ["character", "character"]]
    lone = [fox[0], mention(2, "Tom Reed")]
    assert await kinds(lone, said) == [["location", "character"]]


class Splitter(RulesModel):
    """Finds each name of a group to be somebody else."""

    async def complete(self, request):
        prompt, inputs = request.origin
        if prompt.name != "verify_group":
            return await super().complete(request)
        items = [
            GroupVerdict(
                item=n, split=True, reason="", parts=[[m + 1] for m in range(len(g.members))]
            )
            for n, g in enumerate(inputs.groups, 1)
        ]
        return ChatResponse(prompt.answer.write(VerifyGroupAnswer(items=items)))


async def test_a_persons_word_on_two_mentions_of_one_name_stands_whatever_a_model_says():
    """The names do not tell them apart, so the word is on the mentions themselves."""
    three = [mention(0, "Fox", kind="location"), mention(1, "Fox"), mention(2, "Tom Fox")]
    joined = on_mentions(three[0], three[1], same=True)
    found = await kinds(three, joined, word("Fox", "Tom Fox", same=True), model=Splitter())
    assert found == [["location", "character", "character"]]


async def test_two_mentions_of_one_name_that_a_person_told_apart_are_not_chained():
    three = [mention(0, "Fox", kind="location"), mention(1, "Fox"), mention(2, "Fox", kind="event")]
    judged = [replace(on_mentions(three[2], each, same=True), by="judge") for each in three[:2]]
    assert await kinds(three, *judged) == [["location", "character", "event"]]
    apart = on_mentions(three[0], three[1], same=False)
    assert ["location", "character"] not in [
        each[:2] for each in await kinds(three, *judged, apart)
    ]


async def test_a_star_of_aliases_loses_no_member():
    names = ["Ana Bell", "Ana", "Bell", "Tom Reed", "Ana Bell"]
    found, _, _ = await groups(story(*names), rules=UNVERIFIED)
    assert found == [["Ana", "Ana Bell", "Bell"], ["Tom Reed"]]


async def test_a_chain_that_holds_two_people_is_split():
    names = ["Ana Bell", "Bell", "Tom Bell"]
    apart, model, _ = await groups(story(*names))
    assert model.calls["verify_group"] == 1
    assert sorted(map(len, apart)) == [1, 2] or len(apart) == 3
    assert not any({"Ana Bell", "Tom Bell"} <= set(group) for group in apart)
    together, _, _ = await groups(story(*names), rules=UNVERIFIED)
    assert together == [["Ana Bell", "Bell", "Tom Bell"]]


async def test_a_persons_word_wins_over_judgement_and_verification():
    names = ["Ana Bell", "Bell", "Tom Bell"]
    joined = Ledger([word("Ana Bell", "Tom Bell", same=True)])
    found, _, _ = await groups(story(*names), ledger=joined)
    assert any({"Ana Bell", "Tom Bell"} <= set(group) for group in found)
    apart = Ledger([word("Ana Bell", "Ana", same=False)])
    found, _, _ = await groups(story("Ana Bell", "Ana"), ledger=apart)
    assert found == [["Ana Bell"], ["Ana"]]


async def test_what_was_decided_is_not_asked_again():
    entities, ledger = story("Ana Bell", "Ana", "Bell", "Tom Bell"), Ledger()
    first, asked, _ = await groups(entities, ledger=ledger)
    assert asked.calls
    again, nobody, _ = await groups(entities, ledger=ledger)
    assert (again, nobody.calls) == (first, {})
    more = [*entities, mention(9, "Cora Bell", "Cora Bell came.")]
    judged = dict(ledger.decisions)
    await groups(more, ledger=ledger)
    assert judged.items() <= ledger.decisions.items(), "more text keeps what was decided"
    new = [d for key, d in ledger.decisions.items() if key not in judged]
    assert new
    assert all("m9" in (d.a, d.b) for d in new)


async def test_after_an_interruption_the_same_questions_are_put():
    families = [(f"{first} {last}", last) for last in ("Bell", "Reed", "Moor") for first in NAMES]
    names = [name for family in families for name in family]
    entities = [mention(row, name, f"{name} came. " * (31 - row)) for row, name in enumerate(names)]
    whole, first = Ledger(), RulesModel()
    outcome = await normalize(
        entities, None, GraphSettings(who_is_who=False), asking(first, batch_items=8), whole
    )
    judged = [inputs for prompt, inputs in origins(first) if prompt.name == "same_entity"]
    assert len(judged) >= 3
    # Killed when only one of the answers had been stored: others may be in the cache of calls.
    told = {part.entity.description for part in judged[0].comparisons}
    stored = {entity.id for entity in entities if entity.description in told}
    left, again = Ledger([d for d in whole.decisions.values() if d.a in stored]), RulesModel()
    found = await normalize(
        entities, None, GraphSettings(who_is_who=False), asking(again, batch_items=8), left
    )
    assert found.groups == outcome.groups
    assert texts(again) == texts(first)[1:]


async def test_decisions_keep_their_reason_and_evidence():
    ledger = Ledger()
    await groups(story("Ana Bell", "Ana"), ledger=ledger)
    (decision,) = ledger.decisions.values()
    assert (decision.same, decision.by) == (True, "same_entity")
    assert decision.reason
    assert decision.evidence == ("c0", "c1")


async def test_equal_names_are_linked_without_a_call_unless_something_speaks_against_it():
    relation = [mention(0, "Ana Bell", "A keeper."), mention(1, "Ana", "Ana met Bo.", kind="")]
    found, _, _ = await groups(relation)
    assert found == [["Ana", "Ana Bell"]], "the end of a relation is compared whatever its type"
    for count in (0, 1):
        _, model, found = await groups(story(*["Ana"] * count))
        assert (len(found.groups), model.calls) == (count, {})
    entities = [mention(0, "José Bell"), mention(1, "JOSE BELL"), mention(2, "Jose Bell")]
    _, model, found = await groups(entities)
    assert (found.groups, model.calls) == ([[0, 1, 2]], {})
    homonyms = [mention(0, "Bell", kind="character"), mention(1, "Bell", kind="location")]
    _, model, _ = await groups(homonyms, rules=GraphSettings(who_is_who=False, same_type=False))
    assert model.calls["same_entity"] == 1, "they are judged like any candidate"


async def test_faithful_rules_ask_about_every_candidate():
    entities = story("Ana Bell", "Ana Bel", "Ana Bell", "Ana Bel")
    vectors = await Trigrams().embed([entity.name for entity in entities], "document")
    asked = []
    for rules in (FAITHFUL, GraphSettings(who_is_who=False)):
        model, ledger = RulesModel(), Ledger()
        await normalize(entities, vectors, rules, Asking(model, "Ana"), ledger)
        asked.append(len(ledger.decisions))
    assert asked[0] == 3, "each of the later mentions with the nearest of the other name"
    assert asked[1] < asked[0], "two names are not judged again and again"


async def test_a_question_without_an_answer_links_nothing_and_is_told():
    def fail(request) -> None:
        raise InvalidAnswer("nonsense")

    found, _, outcome = await groups(story("Ana Bell", "Ana"), model=RulesModel(fail))
    assert found == [["Ana Bell"], ["Ana"]]
    assert [(rows, why) for rows, why in outcome.aside] == [((1, 0), "nonsense")]


async def test_decisions_of_one_question_have_reasons_of_their_own():
    entities = [
        mention(0, "Ana Bell", "Ana Bell came."),
        mention(1, "Captain Bell", "Captain Bell sailed."),
        mention(2, "Bell", "Bell slept."),
    ]
    ledger = Ledger()
    await normalize(
        entities, None, GraphSettings(who_is_who=False), Asking(OfflineModel(), "Ida"), ledger
    )
    told = {d.b: d.reason for d in ledger.decisions.values() if d.a == "m2"}
    assert len(told) == 2
    assert len(set(told.values())) == 2
    assert not any(reason[:1].isdigit() or reason.startswith("of all") for reason in told.values())


def test_those_told_apart_never_meet_not_even_by_a_detour():
    links = Links(["ann", "bell", "anna", "ann"], [("anna", "bell")])
    assert links.join(0, 1)
    assert not links.join(0, 2)
    assert not links.join(2, 1)
    assert links.join(3, 2), "another mention of the name is another row"
    assert not links.join(3, 0)
    assert links.sets() == [[0, 1], [2, 3]]


@given(st.data())
def test_sets_are_the_connected_parts(data):
    count = data.draw(st.integers(1, 30))
    row = st.integers(0, count - 1)
    joined = data.draw(st.lists(st.tuples(row, row), max_size=40))
    links = Links([str(n) for n in range(count)])
    for a, b in joined:
        assert links.join(a, b)
    parts = [{n} for n in range(count)]
    for a, b in joined:
        one = next(p for p in parts if a in p)
        other = next(p for p in parts if b in p)
        if one is not other:
            parts.remove(other)
            one |= other
    assert links.sets() == sorted(sorted(part) for part in parts)
    assert all(links.root(n) == min(next(p for p in parts if n in p)) for n in range(count))
