"""AMADEUS: what the character's deeds let infer of it, beside what its texts say.

Takes: a question.  Gives: summary, most similar chunks, chunks that reveal something, attributes.
Paper: AMADEUS (003), section 4; chunks are judged side by side, or once at ingestion (``indexed``:
one call less to wait for), and the summary stands in front. ``faithful`` gives no summary.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from offbook.errors import AnswerError, InputRefused
from offbook.models.failures import why_without
from offbook.prompts.ask import ask
from offbook.prompts.traits import EXTRACT_ATTRIBUTES, AttributesInputs
from offbook.retrieval.guided_selection import (
    Selection,
    check_traits,
    judgements_of,
    select_live,
    select_stored,
    trait_judge,
    verdicts_for,
)
from offbook.types import ContextItem, IndexRequirements, Skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.methods.knowledge import Knowledge
    from offbook.settings import SettingsModel
    from offbook.settings.methods import GuidedSelection
    from offbook.types import Passage, Recall


class Amadeus:
    """Guided selection and the attribute extractor, on adaptive chunks."""

    name = "amadeus"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """The chunks with their vectors, the summary, and for ``indexed`` what chunks reveal."""
        return IndexRequirements(
            (settings.amadeus.splitter,),
            vectors=settings.retrieval.mode != "lexical",
            profile=settings.amadeus.profile,
            traits=settings.amadeus.gs == "indexed",
        )

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What the texts say, and what they let infer."""
        settings = knowledge.settings.amadeus
        # 1 -- who it is, and the chunks by similarity -----------------------------------------
        summary: list[ContextItem] = []
        if settings.profile:
            text, grounds = await knowledge.profile()
            summary = knowledge.summary(text, grounds)
        most = max(settings.k, settings.n, settings.m + 1)
        ranked = await knowledge.search(question, settings.splitter, most)
        similar = ranked[: settings.k]
        # 2 -- guided selection ----------------------------------------------------------------
        chosen, skipped, fallback, selected = similar, list[Skipped](), None, None
        if settings.gs != "off":
            selection = await select(knowledge, question, ranked, settings.gs)
            chosen, skipped = list(selection.chosen), notes(selection)
            fallback = selection.found_nothing
            selected = tuple(hit.chunk.id for hit in chosen)
        # 3 -- beliefs and values, and traits, from what was selected --------------------------
        attributes, failed = list[ContextItem](), list[Skipped]()
        if settings.ae:
            attributes, failed = await extract(knowledge, question, chosen)
        # 4 -- in the paper's order, a chunk once, within a budget that is divided -------------
        known = {hit.chunk.id for hit in similar}
        kinds = {
            "profile": (settings.profile_share, summary),
            "knowledge": (settings.knowledge_share, [knowledge.passage(hit) for hit in similar]),
            "selected": (
                settings.selected_share,
                [knowledge.passage(hit) for hit in chosen if hit.chunk.id not in known],
            ),
            "attributes": (settings.attribute_share, attributes),
        }
        left = (*skipped, *failed)
        recalled = knowledge.divided_recall(self.name, question, kinds, skipped=left)
        return replace(recalled, fallback=fallback, selected=selected)


async def select(
    knowledge: Knowledge, question: str, ranked: Sequence[Passage], gs: GuidedSelection
) -> Selection[Passage]:
    """Guided selection among ranked chunks: live, or by what is stored."""
    settings, character = knowledge.settings.amadeus, knowledge.character
    full_question = knowledge.in_full(question)
    if gs != "indexed":
        judge = trait_judge(
            knowledge.extractor_for("amadeus"),
            character,
            full_question,
            knowledge.settings.answers.retries,
        )
        return await select_live(ranked, judge, n=settings.n, m=settings.m, window=settings.window)
    looked = ranked[: settings.n]
    await knowledge.store.read(check_traits, character, settings.splitter)
    judgements = await knowledge.store.read(judgements_of, character.id, looked, knowledge.reach)
    verdicts = verdicts_for(full_question, looked, judgements)
    return select_stored(ranked, verdicts, n=settings.n, m=settings.m)


def notes(selection: Selection[Passage]) -> list[Skipped]:
    """What of a selection a person should know: the fallback, and chunks without a verdict."""
    skipped = unjudged(selection)
    if selection.is_fallback and selection.looked_at:
        why = (
            f"{none_revealing(selection.looked_at, len(selection.unjudged))}; "
            f"the {len(selection.chosen)} most similar stand in (amadeus.n, amadeus.m)"
        )
        skipped.append(Skipped("knowledge", "guided selection", why))
    return skipped


def none_revealing(looked_at: int, unjudged: int) -> str:
    """That no chunk was found to reveal anything; one without a verdict counts for neither."""
    if looked_at == unjudged:
        return f"for none of {looked_at} chunks a verdict could be got"
    outcome = (
        f"none of {looked_at - unjudged} chunks was found to reveal how the character takes this"
    )
    return f"{outcome}, and {unjudged} could not be judged" if unjudged else outcome


def unjudged(selection: Selection[Passage]) -> list[Skipped]:
    """The chunks of a selection for which no verdict could be got."""
    return [
        Skipped("knowledge", passage.chunk.heading_path, f"not judged: {why}")
        for passage, why in selection.unjudged
    ]


BELIEFS: Final = "Beliefs and values"
TRAITS: Final = "Psychological traits"
"""Titles of the two attributes, in the order of the dynamic context."""


async def extract(
    knowledge: Knowledge, question: str, chosen: Sequence[Passage]
) -> tuple[list[ContextItem], list[Skipped]]:
    """Infer from the chosen chunks what bears on the question (section 4.3), or say why not.

    One call; what it finds nothing of is left empty, and without chunks no call is made.
    """
    if not chosen:
        return [], []
    character, passages = knowledge.character, [knowledge.passage(hit) for hit in chosen]
    texts = tuple(f"{p.title}\n{p.text}" if p.title else p.text for p in passages)
    try:
        answer = await ask(
            knowledge.extractor_for("amadeus"),
            EXTRACT_ATTRIBUTES,
            AttributesInputs(character.name, knowledge.in_full(question), texts),
            documents=frozenset(f"{character.id}/{hit.chunk.document}" for hit in chosen),
            retries=knowledge.settings.answers.retries,
        )
    except (AnswerError, InputRefused) as error:
        return [], [Skipped("attribute", "the attributes", f"not extracted: {why_without(error)}")]
    sources = tuple(source for passage in passages for source in passage.sources)
    score = max(passage.score for passage in passages)
    inferred = {BELIEFS: answer.belief_and_values, TRAITS: answer.psychological_traits}
    return [
        ContextItem("attribute", title, " ".join(text.split()), score, sources)
        for title, text in inferred.items()
        if text.strip()
    ], []
