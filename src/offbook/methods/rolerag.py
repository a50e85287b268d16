"""RoleRAG: what the graph knows of whom the question names, and what the character cannot know.

Takes: a question.  Gives: summary, entities, relations, source chunks, and what is out of scope.
Paper: RoleRAG (001), section 3.4. Differs by default: one call instead of two, people found by a
part of their name, source chunks beside the graph, and a name that the model says is known is known
even where nothing is found for it. ``faithful`` asks twice, looks for whole names, gives no chunks,
and says that such a name is unknown (``rolerag.unmentioned = "out"``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.context.assembly import fit_history
from offbook.errors import AnswerError, InputRefused
from offbook.models.failures import why_without
from offbook.prompts.question import QuestionInputs
from offbook.retrieval.boundary import (
    Analysis,
    Findings,
    QuestionNames,
    analyse,
    analyse_in_two_calls,
    find_context,
    names_to_look_up,
    of_names_alone,
)
from offbook.retrieval.memory_evidence import EvidenceSearch, MemoryEvidence
from offbook.types import ContextItem, IndexRequirements, Skipped

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.settings import SettingsModel
    from offbook.types import Recall, Source


class RoleRag:
    """Boundary-aware recall from a graph in which one person is one node."""

    name = "rolerag"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """The graph with its chunks and vectors, and the summary."""
        del settings
        return IndexRequirements(("graph",), vectors=True, profile=True, graph=True)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """Who is named, what is known of it, and what cannot be known."""
        settings = knowledge.settings.rolerag
        profile, grounds = await knowledge.profile()
        graph = await knowledge.graph()
        # 1 -- what the question names, without a call -----------------------------------------
        names = await knowledge.names(graph, question)
        # 2 -- hypothetical context and entities, the vectors beside them ----------------------
        analysis, unjudged = await analyse_question(knowledge, graph, names, profile)
        # 3 -- not known, known by name, known in general --------------------------------------
        findings = await look_up(knowledge, graph, names, analysis, profile, grounds)
        # 4 -- what the texts themselves say ---------------------------------------------------
        chunks = await _source_chunks(knowledge, names, analysis, findings)
        # 5 -- within a budget that is divided -------------------------------------------------
        return knowledge.divided_recall(
            self.name,
            question,
            {
                "profile": (settings.profile_share, knowledge.summary(profile, grounds)),
                "entities": (settings.entity_share, [*findings.told, *findings.entities]),
                "relations": (settings.relation_share, findings.relations),
                "chunks": (settings.chunk_share, chunks),
                "what is unknown": (settings.outside_share, findings.outside),
            },
            boundary=findings.boundary,
            skipped=(*unjudged, *findings.skipped),
        )


async def analyse_question(
    knowledge: Knowledge, graph: GraphIndex, names: QuestionNames, profile: str
) -> tuple[Analysis | None, list[Skipped]]:
    """What the model makes of a question, as ``rolerag.hyde`` says; or why there is no analysis.

    Raises:
        ConfigurationError: there is no model to ask.
        ModelError: an endpoint failed for good.
    """
    extractor = knowledge.extractor_for("rolerag")
    character, settings = knowledge.character, knowledge.settings
    earlier = fit_history(knowledge.history, settings.context.history_tokens, knowledge.count)
    inputs = QuestionInputs(
        character=character.name,
        profile=profile,
        question=names.question,
        mentioned=names.mentioned,
        earlier=earlier if settings.retrieval.follow_up else (),
        unmentioned=names.lacking,
        last_year=graph.last_year,
    )
    separate = settings.rolerag.hyde == "separate"
    try:
        analysis = await (analyse_in_two_calls if separate else analyse)(
            extractor,
            knowledge.embedder,
            inputs,
            names,
            documents=documents_of(knowledge, graph, names),
            retries=settings.answers.retries,
        )
    except (AnswerError, InputRefused) as error:
        # No verdict is better than a made-up one: boundary stays empty, and it is said why.
        return None, [Skipped("out_of_scope", "the boundary", f"not judged: {why_without(error)}")]
    return analysis, []


def documents_of(knowledge: Knowledge, graph: GraphIndex, names: QuestionNames) -> frozenset[str]:
    """Whose text a prompt on the question may hold: profile, conversation, what has the names."""
    character = knowledge.character
    known = (graph.entity(place) for name in names.known for place in name.entities)
    documents = {source.document for entity in known for source in entity.sources}
    documents |= {*character.profile_documents, *knowledge.conversation.documents}
    return frozenset(f"{character.id}/{name}" for name in documents)


async def look_up(
    knowledge: Knowledge,
    graph: GraphIndex,
    names: QuestionNames,
    analysis: Analysis | None,
    profile: str,
    grounds: tuple[Source, ...],
) -> Findings:
    """Follow the branches of section 3.4; whom the character was told of is not unknown."""
    if analysis is None:
        return of_names_alone(graph, names)
    evidence: dict[str, MemoryEvidence] = {}
    # Where questions are read by themselves (``faithful``), nobody was told anything.
    wanted = names_to_look_up(graph, analysis) if knowledge.settings.retrieval.follow_up else []
    if wanted:
        search = EvidenceSearch(
            knowledge.store,
            knowledge.character,
            knowledge.conversation,
            knowledge.history,
            knowledge.until,
        )
        evidence = await search.of(wanted, names.question)
    return find_context(
        graph,
        names,
        analysis,
        knowledge.settings.rolerag,
        grounds,
        evidence,
        knowledge.settings.graph.entity_types,
        profile,
        at_a_point=knowledge.reach is not None,
    )


async def _source_chunks(
    knowledge: Knowledge, names: QuestionNames, analysis: Analysis | None, findings: Findings
) -> list[ContextItem]:
    """The chunks that speak of what the graph lacks, and those that fit question and context."""
    most = knowledge.settings.rolerag.source_chunks
    if not most or (findings.boundary is not None and findings.boundary.verdict == "out"):
        return []
    if analysis is None:
        hits = await knowledge.search(names.question, "graph", most)
    else:
        text = f"{names.question}\n{analysis.context}"
        hits = await knowledge.search(text, "graph", most, vector=analysis.question)
    named = await knowledge.chunks(findings.passages[:most])
    by_place = {item.sources: item for item in [*map(knowledge.passage, hits), *named]}
    return sorted(by_place.values(), key=lambda item: -item.score)[:most]
