"""What a question needs, in one small call: what is beyond, what to search for, how it is felt.

Takes: a question, what its names are found to be without a call, a model.  Gives: the answer, and
the analysis that the branches of the boundary go by.
Paper: ours, in place of RoleRAG's (001, section 3.4) hypothetical context and entities and of the
call for the question's emotion of Emotional RAG (004, section II-B.1). Known names come from the
graph's look-up, so that the model names only what is beyond the character.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from offbook.context.assembly import shortened
from offbook.errors import AnswerError, InputRefused
from offbook.methods.rolerag import documents_of
from offbook.models.failures import PassingError, why_without
from offbook.prompts.ask import ask
from offbook.prompts.emotion import shortened as both_ends
from offbook.prompts.question import (
    MOST_NAME,
    UNDERSTAND_QUESTION,
    QuestionEntity,
    Understanding,
    UnderstandInputs,
    Unknown,
    begun_answer,
)
from offbook.prompts.refusals import says_nothing
from offbook.retrieval.beyond import mentions
from offbook.retrieval.boundary import Analysis, QuestionNames, entity_item, relation_item
from offbook.retrieval.name_table import key_of
from offbook.text.emotion_names import EMOTIONS
from offbook.text.words import fold, search_terms
from offbook.types import Skipped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.methods.knowledge import Knowledge
    from offbook.retrieval.graph_index import GraphIndex
    from offbook.types import ContextItem

_JUDGED: Final = "boundary, query and feelings"
_PROFILE_TOKENS: Final = 300
_LINE_TOKENS: Final = 40
_LINES: Final = 5
_NAMES: Final = 6
_EARLIER: Final = 6
_EARLIER_CHARS: Final = 400
"""What the small call is shown of profile, descriptions and conversation."""
_QUERY_CHARS: Final = 400
"""A query has 12 words; one that is far longer went on and on."""
_TELLING: Final = 4
"""Letters of a word that may stand for a longer one: "phone" for "telephone"."""


def of_others(graph: GraphIndex, names: QuestionNames) -> QuestionNames:
    """The names of a question without the character's name, which pulls in nothing, as "you" does.

    Another name of the character stays: that it is one has to be told.
    """
    own_words = set(key_of(graph.character))
    known = []
    for name in names.known:
        excluded = {graph.own} if own_words.issuperset(name.key) else set()
        places = tuple(place for place in name.entities if place not in excluded)
        known += [replace(name, entities=places)] if places else []
    return replace(names, known=tuple(known))


async def understand(
    knowledge: Knowledge,
    graph: GraphIndex,
    names: QuestionNames,
    profile: str,
) -> tuple[Understanding | None, list[Skipped]]:
    """Ask what the question needs; or why there is no answer, after which the turn goes on.

    Raises:
        ConfigurationError: there is no model to ask.
        ModelError: the endpoint refuses to be asked, whatever is tried.
        BudgetReached: the call would go over the budget.
    """
    extractor = knowledge.extractor_for("ensemble")
    inputs = _inputs(knowledge, graph, names, profile)
    seconds = knowledge.settings.ensemble.wait_seconds
    if not seconds:
        return None, [Skipped("out_of_scope", _JUDGED, "not judged: ensemble.wait_seconds is 0")]
    try:
        async with asyncio.timeout(seconds):
            # Once: to ask again would be a further wait, for what the reply can do without.
            documents = documents_of(knowledge, graph, names)
            answer = await ask(
                extractor, UNDERSTAND_QUESTION, inputs, documents=documents, retries=0
            )
    except TimeoutError:
        why = f"no answer within {seconds:g} seconds (ensemble.wait_seconds)"
    except AnswerError as error:
        why = why_without(error)
        begun = begun_answer(inputs, error.answer)
        if begun is not None:
            return _of_question(begun, inputs)
    except (InputRefused, PassingError) as error:
        why = why_without(error)
    else:
        return _of_question(answer, inputs)
    return None, [Skipped("out_of_scope", _JUDGED, f"not judged: {why}")]


def _of_question(
    answer: Understanding, inputs: UnderstandInputs
) -> tuple[Understanding, list[Skipped]]:
    """Leave out what the question does not speak of, such as the example's, and "none" for none."""
    unusable = [
        Skipped(
            "out_of_scope", f"{part.partition('.')[0]} of the small call", f"passed over: {why}"
        )
        for part, why in answer.unusable.items()
    ]
    said = "\n".join([inputs.question, *(message.content for message in inputs.earlier)])
    terms, text = set(search_terms(said)), fold(said)
    unknown, skipped = list[Unknown](), list[Skipped]()
    for one in answer.unknown:
        words = {*search_terms(one.name), *key_of(one.name)}
        if any(word in text for word in words) or any(
            term in fold(one.name) for term in terms if len(term) >= _TELLING
        ):
            unknown.append(one)
        else:
            why = "the small call says that it is unknown; the question does not speak of it"
            skipped.append(Skipped("out_of_scope", one.name, why))
    premise = "" if says_nothing(answer.premise) else answer.premise
    query = answer.query if len(answer.query) <= _QUERY_CHARS else ""
    if query != answer.query:
        skipped.append(Skipped("out_of_scope", "query of the small call", "passed over: too long"))
    once = list({fold(one.name): one for one in unknown}.values())
    parts = {"query": query, "unknown": once, "premise": premise}
    return answer.model_copy(update=parts), [*unusable, *skipped]


def _inputs(
    knowledge: Knowledge, graph: GraphIndex, names: QuestionNames, profile: str
) -> UnderstandInputs:
    """Put together what is known without a call: also whom it names, and ties to the character."""
    character, count = knowledge.character, knowledge.count
    called, self_place = [*graph.called], graph.own
    places = dict.fromkeys(place for name in names.known if name.sure for place in name.entities)
    items: list[ContextItem] = []
    for place in [*places][:_LINES]:
        ties = [] if self_place is None else graph.between(self_place, place)[:1]
        items += [entity_item(graph, place, 1.0), *(relation_item(graph, tie) for tie in ties)]
    if self_place is not None:
        called += graph.entity(self_place).names
    others = (name for name in dict.fromkeys(called) if fold(name) != fold(character.name))
    earlier = knowledge.history[-_EARLIER:] if knowledge.settings.retrieval.follow_up else ()
    return UnderstandInputs(
        character=character.name,
        profile=shortened(profile, _PROFILE_TOKENS, count),
        question=both_ends(names.question),
        mentioned=names.mentioned,
        earlier=tuple(
            replace(message, content=both_ends(message.content, _EARLIER_CHARS))
            for message in earlier
        ),
        unmentioned=tuple(
            word
            for word in names.lacking
            if not (mentions(profile, word) or graph.describing(word))
        ),
        last_year=graph.last_year,
        names=tuple(islice(others, _NAMES)),
        lines=tuple(f"{one.title}: {shortened(one.text, _LINE_TOKENS, count)}" for one in items),
        as_of="" if knowledge.point is None else knowledge.point.text,
    )


def emotion_of(answer: Understanding | None) -> dict[str, int] | None:
    """Fill in all eight emotions; those that are not named have 1, not at all.

    None where nothing usable was said of them.
    """
    if answer is None or not answer.judged("feelings"):
        return None
    strengths = {feeling.emotion: feeling.strength for feeling in answer.feelings}
    return {name: strengths.get(name, 1) for name in EMOTIONS}


def analysis_of(
    answer: Understanding | None, names: QuestionNames, vectors: NDArray[np.float32]
) -> Analysis | None:
    """The entities of the question, each with its verdict, and the vectors to look them up with.

    Args:
        answer: What the model found to be beyond the character; without that there is no analysis.
        names: What else the question names: known, as far as it is not among that.
        vectors: Those of the question and of ``names.candidates``.
    """
    if answer is None or not answer.judged("unknown"):
        return None
    unknown = [
        QuestionEntity(
            name=one.name, type="object", known=False, specific=_is_name(one.name),
            reason=one.reason,
        )
        for one in answer.unknown
    ]  # fmt: skip
    beyond = [set(key_of(one.name)) for one in unknown]
    others = [name.text for name in names.known if name.sure]
    others += [name for name in names.candidates if fold(name) in names.places]
    known = [
        QuestionEntity(name=name, type="character", known=True, specific=True, reason="")
        for name in dict.fromkeys(others)
        if len(name) <= MOST_NAME
        and not any(key <= set(key_of(name)) or key >= set(key_of(name)) for key in beyond)
    ]
    by_name = {}
    for entity in (*unknown, *known):
        if (place := names.nearest_candidate(entity.name)) is not None:
            by_name[fold(entity.name)] = vectors[place + 1]
    return Analysis(answer.query, (*unknown, *known), vectors[0], by_name)


def _is_name(name: str) -> bool:
    """Whether it has a name of its own: one word with a capital, or a script without capitals."""
    return name.lower() == name.upper() or any(word[:1].isupper() for word in name.split())
