"""AMADEUS: what the character's deeds let infer of it, beside what its texts say.

Takes: a question.  Gives: summary, most similar chunks, chunks that reveal something, attributes.
Paper: AMADEUS (003), section 4; chunks are judged side by side, or once at ingestion (``indexed``:
one call less to wait for), and the summary stands in front. ``faithful`` gives no summary.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from offbook.errors import AnswerError, ConfigurationError, InputRefused
from offbook.models.failures import why_without
from offbook.types import ContextItem, Needs, Skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from offbook.methods.knowledge import Knowledge
    from offbook.protocols import ChatModel
    from offbook.retrieval.guided_selection import Selection
    from offbook.retrieval.passages import Passage
    from offbook.settings import SettingsModel
    from offbook.types import Recall


class Amadeus:
    """Guided selection and the attribute extractor, on adaptive chunks."""

    name = "amadeus"

    def needs(self, settings: SettingsModel) -> Needs:
        """The chunks with their vectors, the summary, and for ``indexed`` what chunks reveal."""
        return Needs(
            (settings.amadeus.splitter,),
            vectors=settings.retrieval.mode != "lexical",
            profile=settings.amadeus.profile,
            traits=settings.amadeus.gs == "indexed",
        )

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What the texts say, and what they let infer."""
        settings = knowledge.settings.amadeus
        # 1 -- who it is, and the chunks by similarity -----------------------------------------
        who = await _summary(knowledge) if settings.profile else []
        ranked = await rank(knowledge, question)
        similar = ranked[: settings.k]
        # 2 -- guided selection ----------------------------------------------------------------
        chosen, skipped, fallback = similar, list[Skipped](), None
        if settings.gs != "off":
            selection = await select(knowledge, question, ranked)
            chosen, skipped = list(selection.chosen), notes(selection)
            fallback = selection.found_nothing
        # 3 -- beliefs and values, and traits, from what was selected --------------------------
        attributes, failed = list[ContextItem](), list[Skipped]()
        if settings.ae:
            attributes, failed = await extract(knowledge, question, chosen)
        # 4 -- in the paper's order, a chunk once, within a budget that is divided -------------
        known = {hit.chunk.id for hit in similar}
        kinds = {
            "profile": who,
            "knowledge": [knowledge.passage(hit) for hit in similar],
            "selected": [knowledge.passage(h) for h in chosen if h.chunk.id not in known],
            "attributes": attributes,
        }
        shares = {
            "profile": settings.profile_share,
            "knowledge": settings.knowledge_share,
            "selected": settings.selected_share,
            "attributes": settings.attribute_share,
        }
        left = (*skipped, *failed)
        found = knowledge.divided_recall(self.name, question, kinds, shares, skipped=left)
        return replace(found, fallback=fallback)


async def rank(
    knowledge: Knowledge, question: str, vector: NDArray[np.float32] | None = None
) -> list[Passage]:
    """The chunks by similarity to the question: as many as any step looks at.

    With a ``vector``, the question is taken as it is.
    """
    settings = knowledge.settings.amadeus
    most = max(settings.k, settings.n, settings.m + 1)
    return await knowledge.search(question, settings.splitter, most, vector=vector)


async def select(
    knowledge: Knowledge, question: str, ranked: Sequence[Passage]
) -> Selection[Passage]:
    """Guided selection among ranked chunks, as ``amadeus.gs`` says: live or by what is stored."""
    from offbook.retrieval.guided_selection import select_live, select_stored, trait_judge
    from offbook.retrieval.trait_index import check_traits, judgements_of, verdicts_for

    settings, character = knowledge.settings.amadeus, knowledge.character
    asked = knowledge.in_full(question)
    if settings.gs != "indexed":
        judge = trait_judge(
            _extractor(knowledge), character, asked, knowledge.settings.answers.retries
        )
        return await select_live(ranked, judge, n=settings.n, m=settings.m, window=settings.window)
    looked = ranked[: settings.n]
    await knowledge.store.read(lambda conn: check_traits(conn, character, settings.splitter))
    found = await knowledge.store.read(
        lambda conn: judgements_of(conn, character.id, looked, knowledge.until)
    )
    verdicts = verdicts_for(asked, looked, found)
    return select_stored(ranked, verdicts, n=settings.n, m=settings.m)


def notes(selection: Selection[Passage]) -> list[Skipped]:
    """What of a selection a person should know: the fallback, and chunks without a verdict."""
    found = unjudged(selection)
    if selection.is_fallback and selection.looked_at:
        why = (
            f"{none_revealing(selection.looked_at, len(selection.unjudged))}; "
            f"the {len(selection.chosen)} most similar stand in (amadeus.n, amadeus.m)"
        )
        found.append(Skipped("knowledge", "guided selection", why))
    return found


def none_revealing(looked_at: int, unjudged: int) -> str:
    """That no chunk was found to reveal anything; one without a verdict counts for neither."""
    if looked_at == unjudged:
        return f"for none of {looked_at} chunks a verdict could be got"
    found = (
        f"none of {looked_at - unjudged} chunks was found to reveal how the character takes this"
    )
    return f"{found}, and {unjudged} could not be judged" if unjudged else found


def unjudged(selection: Selection[Passage]) -> list[Skipped]:
    """The chunks of a selection for which no verdict could be got."""
    return [
        Skipped("knowledge", passage.chunk.heading_path, f"not judged: {why}")
        for passage, why in selection.unjudged
    ]


async def extract(
    knowledge: Knowledge, question: str, chosen: Sequence[Passage]
) -> tuple[list[ContextItem], list[Skipped]]:
    """The attributes that the chosen chunks let infer, or why there are none."""
    from offbook.retrieval.attributes import extract_attributes

    character = knowledge.character
    try:
        found = await extract_attributes(
            _extractor(knowledge),
            character.name,
            knowledge.in_full(question),
            [knowledge.passage(hit) for hit in chosen],
            documents=frozenset(f"{character.id}/{hit.chunk.document}" for hit in chosen),
            retries=knowledge.settings.answers.retries,
        )
    except (AnswerError, InputRefused) as error:
        return [], [Skipped("attribute", "the attributes", f"not extracted: {why_without(error)}")]
    return found, []


async def _summary(knowledge: Knowledge) -> list[ContextItem]:
    text, grounds = await knowledge.profile()
    return [ContextItem("profile", knowledge.character.name, text, 1.0, grounds)] if text else []


def _extractor(knowledge: Knowledge) -> ChatModel:
    if knowledge.extractor is None:
        raise ConfigurationError(
            "the method 'amadeus' asks a model about the question, and was given none",
            "give Knowledge an extractor",
        )
    return knowledge.extractor
