"""One look at all names: what resembles nothing is joined, one name of two is parted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from offbook.errors import InvalidAnswer
from offbook.graph.candidates import Blocks
from offbook.graph.entity_normalization import Ledger, normalize
from offbook.graph.verdicts import decision_id
from offbook.graph.who_is_who import _WINDOW_TOKENS, Window, settle
from offbook.models.batching import Asking, tokens_of
from offbook.prompts.who_is_who import (
    WHO_IS_WHO,
    KnownName,
    OneAndTheSame,
    SeveralBearers,
    WhoIsWho,
    WhoIsWhoInputs,
    check_who_is_who,
)
from offbook.rules.model import OfflineModel
from offbook.settings.model import GraphSettings
from offbook.stores import documents, graph
from offbook.types import ChatResponse, Decision, RawEntity
from tests.graph.rules_model import RulesModel
from tests.graph.world import GraphWorld


def mention(row: int, name: str, told: str = "", aliases: tuple[str, ...] = ()) -> RawEntity:
    return RawEntity(f"m{row}", f"c{row}", 0, name, "character", told, None, None, aliases)


FAMILY = [
    mention(0, "Wren", "The elder Wren, who built the mill."),
    mention(1, "Wren", "The miller's son, who went to sea."),
    mention(2, "the Grey Fox", "A smuggler whom nobody had seen."),
    mention(3, "Old Tom", "He built the mill."),
    mention(4, "Wren", "He came home from sea."),
]


class Telling(RulesModel):
    """Answers who is who as told; its inputs are kept."""

    def __init__(self, same=(), several=()) -> None:
        super().__init__()
        self.same, self.several = same, several

    @property
    def inputs(self) -> list[WhoIsWhoInputs]:
        origins = [request.origin for request in self.asked if request.origin is not None]
        return [inputs for prompt, inputs in origins if prompt is WHO_IS_WHO]

    async def complete(self, request):
        prompt, _ = request.origin
        if prompt is not WHO_IS_WHO:
            return await super().complete(request)
        self.asked.append(request)
        answer = WhoIsWho(
            same=[OneAndTheSame(reason="it says so", names=n, sentences=s) for n, s in self.same],
            several=[
                SeveralBearers(reason="father and son", number=n, bearers=b)
                for n, b in self.several
            ],
        )
        return ChatResponse(prompt.answer.write(answer))


async def groups(entities, model, ledger=None, **rules: Any):
    asking = Asking(model, "Ana", retries=0)
    found = await normalize(entities, None, GraphSettings(**rules), asking, ledger)
    return found.groups, found.aside


async def test_names_that_resemble_nothing_are_joined_in_one_call():
    model, ledger = Telling(same=[([2, 3], [4])]), Ledger()
    found, _ = await groups(FAMILY, model, ledger)
    assert found == [[0, 1, 4], [2, 3]]
    assert model.calls == {"who_is_who": 1}
    (decision,) = ledger.decisions.values()
    assert (decision.a, decision.b, decision.same) == ("m3", "m2", True)
    assert (decision.by, decision.reason) == ("who_is_who", "it says so")
    assert decision.evidence == ("c2", "c3", "c2")[:2]
    again = Telling()
    assert await groups(FAMILY, again, ledger) == (found, [])
    assert not again.calls, "what was answered is not asked again"


async def test_a_name_of_several_is_parted_and_each_joined_with_its_own_others():
    model, ledger = Telling(same=[([1, 3], [1, 5])], several=[(1, [[1], [2, 3]])]), Ledger()
    found, _ = await groups(FAMILY, model, ledger)
    assert found == [[0, 3], [1, 4], [2]]
    (parted,) = [each for each in ledger.decisions.values() if not each.same]
    assert ({parted.a, parted.b}, parted.reason) == ({"m0", "m1"}, "father and son")


async def test_a_name_of_several_without_a_sentence_stays_where_it_is():
    model = Telling(same=[([1, 3], [])], several=[(1, [[1], [2, 3]])])
    found, _ = await groups(FAMILY, model)
    assert found == [[0], [1, 4], [2], [3]], "whose other name it is was not said"


def test_windows_that_part_a_name_differently_join_none_of_its_bearers():
    blocks = Blocks([0] * 3, [])
    three = [mention(row, "Wren", f"{row}.") for row in range(3)]
    windows = [Window(((0, 1, 2),), (), (0, 1, 2), (chunk,)) for chunk in ("c0", "c1")]
    windows[1] = replace(windows[1], names=KNOWN)
    answers = {
        window.key: WhoIsWho(
            same=[], several=[SeveralBearers(reason="", number=1, bearers=bearers)]
        )
        for window, bearers in zip(windows, ([[1, 2], [3]], [[1], [2, 3]]), strict=True)
    }
    assert len(set(settle(three, blocks, windows, answers).blocks.of)) == 3


async def test_a_persons_word_overrules_the_look():
    apart = Decision(decision_id("the Grey Fox", "Old Tom"), "the Grey Fox", "Old Tom", False,
                     "person", "")  # fmt: skip
    found, _ = await groups(FAMILY, Telling(same=[([2, 3], [4])]), Ledger([apart]))
    assert found == [[0, 1, 4], [2], [3]]


async def test_a_look_without_an_answer_links_nothing_and_is_told():
    def fail(request) -> None:
        raise InvalidAnswer("nonsense")

    found, aside = await groups(FAMILY, RulesModel(fail))
    assert found == [[0, 1, 4], [2], [3]]
    assert aside == [((0, 2, 3), "nonsense")]


async def test_rules_judge_pairs_and_are_not_asked_about_all_at_once():
    class Offline(OfflineModel):
        asked: list[str] = []  # noqa: RUF012

        async def complete(self, request):
            self.asked.append(request.origin[0].name)
            return await super().complete(request)

    await groups([mention(0, "Ana Bell", "A."), mention(1, "Ana", "B.")], Offline())
    assert Offline.asked == ["same_entity"]


async def test_a_long_cast_is_shown_in_windows_that_all_hold_the_leading_names():
    told = "A sailor of the north, who came to the island in a winter of ice and stayed. " * 3
    many = [
        mention(n, f"{chr(65 + n % 26)}{chr(97 + n // 26)}lo", f"{n}. {told}") for n in range(300)
    ]
    hero = [mention(300 + n, "Ana Bell", f"Ana Bell did {n}. {told}") for n in range(5)]
    model = Telling()
    await groups([*many, *hero], model)
    assert len(model.inputs) > 1
    for inputs in model.inputs:
        assert sum(tokens_of(name.line()) for name in inputs.names) <= _WINDOW_TOKENS
        assert [name.name for name in inputs.names].count("Ana Bell") == 1
        (ana,) = [name for name in inputs.names if name.name == "Ana Bell"]
        assert (ana.mentions, len(ana.told)) == (5, 3)
    shown = {name.name for inputs in model.inputs for name in inputs.names}
    assert len(shown) == 301


async def test_names_that_may_be_one_are_shown_together_and_not_two_by_two():
    told = "A sailor of the north, who came to the island in a winter of ice and stayed. " * 3
    many = [
        mention(n, f"{chr(65 + n % 26)}{chr(97 + n // 26)}lo", f"{n}. {told}") for n in range(200)
    ]
    vectors = np.random.default_rng(1).standard_normal((len(many), 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    model = Telling()
    await normalize(many, vectors, GraphSettings(), Asking(model, "Ana", retries=0))
    assert len(model.inputs) > 2
    assert set(model.calls) == {"who_is_who"}


async def test_what_an_older_look_came_to_does_not_outlive_it():
    ledger = Ledger()
    await groups(FAMILY, Telling(same=[([2, 3], [4])]), ledger)
    assert [each.same for each in ledger.decisions.values()] == [True]
    more = [*FAMILY, mention(5, "Nan", "She came last.")]
    found, _ = await groups(more, Telling(), ledger)
    assert found == [[0, 1, 4], [2], [3], [5]]
    assert not ledger.decisions


async def test_another_name_that_a_passage_states_is_compared_though_it_is_like_nothing():
    both = [
        mention(0, "Ana Bell", "She kept the light.", ("Puffin",)),
        RawEntity("m1", "c0", 1, "Puffin", "character", "they called her Puffin", None, None),
        mention(2, "Cora", "She came."),
    ]
    model = RulesModel()
    await groups(both, model, who_is_who=False)
    ((_, inputs),) = [r.origin for r in model.asked if r.origin]
    (comparison,) = inputs.comparisons
    assert (comparison.entity.name, comparison.candidates[0].name) == ("Puffin", "Ana Bell")
    assert comparison.entity.description == "they called her Puffin"


async def test_what_rests_on_a_deleted_document_goes_with_it(sqlite_store):
    model = RulesModel()
    made = await GraphWorld(sqlite_store, model=model).create()
    await made.put("one.md", "Ana Bell met Bo.\n")
    await made.put("two.md", "Ana Bell is none other than Sparrow. Sparrow left.\n")
    assert any(set(e.names) >= {"Ana Bell", "Sparrow"} for e in (await made.graph()).entities)
    await made.remove("two.md")
    assert [e.names for e in (await made.graph()).entities] == [("Ana Bell",), ("Bo",)]


async def test_no_reason_outlives_a_document_that_the_look_was_shown(sqlite_store):
    """A reason may quote any sentence that was shown, whatever the answer cites."""
    made = await GraphWorld(sqlite_store).create()
    await made.put("one.md", "Ana Bell is none other than Sparrow. Sparrow left.\n")
    await made.put("two.md", "Cora came.\n")

    def decided(conn):
        return graph.list_decisions(conn, made.character)

    assert [each.by for each in await made.store.read(decided)] == ["who_is_who"]
    info = await made.store.read(lambda c: documents.require(c, made.character, "two.md"))
    await made.store.write(lambda c: documents.remove(c, made.character, info.id))
    assert await made.store.read(decided) == []
    await made.build(extract=False)
    assert [each.by for each in await made.store.read(decided)] == ["who_is_who"]


KNOWN = (KnownName("Ana", "character", 2, ("a", "b"), 1), KnownName("Bo", "", 1, ("c",), 3))


@pytest.mark.parametrize(
    ("same", "several", "why"),
    [
        ([([1, 9], [])], [], "no number"),
        ([([1, 2], [9])], [], "none of them"),
        ([([1, 2], []), ([2, 1], [])], [], "several groups"),
        ([], [(1, [[1], [3]])], "part its sentences"),
        ([], [(1, [[1], [1, 2]])], "stand twice"),
        ([], [(3, [[1], [2]])], "no number"),
        ([], [(1, [[1], [2]]), (1, [[2], [1]])], "stand twice in several"),
        ([([1, 2], [3]), ([1], [])], [(1, [[1], [2]])], ""),
    ],
)
def test_numbers_that_make_no_sense_are_refused(same, several, why):
    answer = WhoIsWho(
        same=[OneAndTheSame(reason="", names=n, sentences=s) for n, s in same],
        several=[SeveralBearers(reason="", number=n, bearers=b) for n, b in several],
    )
    if not why:
        check_who_is_who(WhoIsWhoInputs("Ana", KNOWN), answer)
        return
    with pytest.raises(InvalidAnswer, match=why):
        check_who_is_who(WhoIsWhoInputs("Ana", KNOWN), answer)
