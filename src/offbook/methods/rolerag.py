"""RoleRAG: what the graph knows of whom the question names, and what the character cannot know.

Takes: a question.  Gives: summary, entities, relations, source chunks, and what is out of scope.
Paper: RoleRAG (001) section 3.4. One call instead of two, people found by a part of their name, a
name that nothing is found for is said to be unknown, and source chunks beside the graph;
``faithful`` asks twice, looks for whole names and gives no chunks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.errors import AnswerError, ConfigurationError, InputRefused
from offbook.models.failures import why_without
from offbook.types import ContextItem, Needs, Skipped

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.retrieval.boundary import Analysis, Findings
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.retrieval.question_names import QuestionNames
    from offbook.settings import SettingsModel
    from offbook.settings.model import RoleragSettings
    from offbook.types import Recall


class RoleRag:
    """Boundary-aware recall from a graph in which one person is one node."""

    name = "rolerag"

    def needs(self, settings: SettingsModel) -> Needs:
        """The graph with its chunks and vectors, and the summary."""
        del settings
        return Needs(("graph",), vectors=True, profile=True, graph=True)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """Who is named, what is known of it, and what cannot be known."""
        from offbook.retrieval.boundary import find_context, hearsay_of, of_names_alone

        settings = knowledge.settings.rolerag
        profile, grounds = await knowledge.profile()
        graph = await knowledge.graph()
        # 1 -- what the question names, without a call -----------------------------------------
        names = await knowledge.names(graph, question)
        # 2 -- hypothetical context and entities, the vectors beside them ----------------------
        analysis, unjudged = await analyse_question(knowledge, graph, names, profile)
        # 3 -- not known, known by name, known in general --------------------------------------
        if analysis is None:
            found = of_names_alone(graph, names)
        else:
            # Where questions are read by themselves (``faithful``), nobody was told anything.
            asked = hearsay_of(graph, analysis) if knowledge.settings.retrieval.follow_up else []
            told = await knowledge.told(asked, question)
            types = knowledge.settings.graph.entity_types
            found = find_context(graph, names, analysis, settings, grounds, told, types)
        # 4 -- what the texts themselves say ---------------------------------------------------
        chunks = await _source_chunks(knowledge, names, analysis, found)
        # 5 -- within a budget that is divided -------------------------------------------------
        own = ContextItem("profile", knowledge.character.name, profile, 1.0, grounds)
        kinds = {
            "profile": [own] if profile else [],
            "entities": [*found.told, *found.entities],
            "relations": found.relations,
            "chunks": chunks,
            "what is unknown": found.outside,
        }
        return knowledge.divided_recall(
            self.name,
            question,
            kinds,
            dict(zip(kinds, _shares(settings), strict=True)),
            boundary=found.boundary,
            skipped=(*unjudged, *found.skipped),
        )


async def analyse_question(
    knowledge: Knowledge, graph: GraphIndex, names: QuestionNames, profile: str
) -> tuple[Analysis | None, list[Skipped]]:
    """What the model makes of a question, as ``rolerag.hyde`` says; or why there is no analysis.

    Raises:
        ConfigurationError: there is no model to ask.
        ModelError: an endpoint failed for good.
    """
    from offbook.prompts.question import QuestionInputs
    from offbook.retrieval.boundary import analyse, analyse_in_two_calls

    if knowledge.extractor is None:
        raise ConfigurationError(
            "the method 'rolerag' asks a model about the question, and was given none",
            "give Knowledge an extractor",
        )
    character, settings = knowledge.character, knowledge.settings
    inputs = QuestionInputs(
        character=character.name,
        profile=profile,
        question=names.question,
        mentioned=names.mentioned,
        history=knowledge.recent if settings.retrieval.follow_up else (),
        unmentioned=names.unmentioned,
        last_year=graph.last_year,
    )
    separate = settings.rolerag.hyde == "separate"
    try:
        analysis = await (analyse_in_two_calls if separate else analyse)(
            knowledge.extractor,
            knowledge.embedder,
            inputs,
            names,
            documents=_documents(knowledge, graph, names),
            retries=settings.answers.retries,
        )
    except (AnswerError, InputRefused) as error:
        # No verdict is better than a made-up one: boundary stays empty, and it is said why.
        return None, [Skipped("out_of_scope", "the boundary", f"not judged: {why_without(error)}")]
    return analysis, []


def _documents(knowledge: Knowledge, graph: GraphIndex, names: QuestionNames) -> frozenset[str]:
    """Whose text the prompt may hold: the profile's, the conversation's, and what has the names."""
    known = (graph.entity(at) for name in names.known for at in name.entities)
    own = knowledge.character
    found = {source.document for entity in known for source in entity.sources}
    found |= knowledge.talk.documents
    return frozenset(f"{own.id}/{name}" for name in (*own.profile_documents, *found))


async def _source_chunks(
    knowledge: Knowledge, names: QuestionNames, analysis: Analysis | None, found: Findings
) -> list[ContextItem]:
    """The chunks that speak of what the graph lacks, and those that fit question and context."""
    most = knowledge.settings.rolerag.source_chunks
    if not most or (found.boundary is not None and found.boundary.verdict == "out"):
        return []
    if analysis is None:
        hits = await knowledge.search(names.question, "graph", most)
    else:
        text = f"{names.question}\n{analysis.context}"
        hits = await knowledge.search(text, "graph", most, vector=analysis.question)
    named = await knowledge.chunks(found.passages[:most])
    by_place = {item.sources: item for item in [*map(knowledge.passage, hits), *named]}
    return sorted(by_place.values(), key=lambda item: -item.score)[:most]


def _shares(settings: RoleragSettings) -> tuple[float, ...]:
    """Of profile, entities, relations, chunks, and what is unknown."""
    return (
        settings.profile_share,
        settings.entity_share,
        settings.relation_share,
        settings.chunk_share,
        settings.outside_share,
    )
