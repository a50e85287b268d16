"""Whether a character can know of what a question is about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.prompts.question import QuestionInputs
from offbook.retrieval.beyond import last_year_of, unmentioned_words
from offbook.rules import dated
from offbook.rules.dated import means_later
from offbook.rules.question import analyse_question, hypothetical_context, question_entities
from offbook.text.words import search_terms
from tests.tables import cases

_SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"
_WARDEN = (
    "# Nora Quill\n\nNora Quill (3 May 1611 – 9 June 1688) was a lock-keeper at Sedge Mill. She"
    " married Tobias Quill, a cooper, and quarrelled with Squire Dunmore over the water. She wrote"
    " an almanac, kept bees, and travelled to Norwich every summer. Her mother died young."
)
_DRAGON = "# Ysolt\n\nYsolt is a dragon of Carrow Fell. She guards the well with her brother Orm."


def judged(question, character="Nora Quill", text=_WARDEN, **more):
    held = frozenset(search_terms(text))
    return analyse_question(
        QuestionInputs(
            character=character,
            profile="",
            question=question,
            unmentioned=unmentioned_words(question, held.__contains__),
            last_year=last_year_of(character, [text]),
            **more,
        )
    )


def unknown(question, **more):
    return [entity.name for entity in judged(question, **more).entities if not entity.known]


@pytest.mark.parametrize(
    ("question", "names"), cases(__file__, "what came after a life is unknown")
)
def test_what_came_after_a_life_is_unknown(question, names):
    assert unknown(question) == names


@pytest.mark.parametrize("question", cases(__file__, "what there was in a life is known"))
def test_what_there_was_in_a_life_is_known(question):
    assert unknown(question) == []


_OTHER_CALENDAR = (
    "# Odo Brand\n\nOdo Brand (born 3 Frost 1141) composed an opera. On 9 Rime 1179 the critic"
    " Lorn Mozart heard it."
)


def test_what_the_texts_tell_in_another_calendar_is_no_later_thing():
    assert last_year_of("Odo Brand", [_OTHER_CALENDAR]) is None
    assert last_year_of("Odo Brand", [_OTHER_CALENDAR.replace("Frost", "May")]) == 1241
    told = {"character": "Odo Brand", "text": _OTHER_CALENDAR}
    assert unknown("Where was your opera first performed?", **told) == []
    assert unknown("Did you play it on Spotify?", **told) == ["Spotify"]


def test_a_later_name_within_a_longer_one_of_the_texts_is_its_bearer():
    told = {"character": "Odo Brand", "text": _OTHER_CALENDAR.replace("Frost", "May")}
    assert unknown("How do you feel about Lorn Mozart?", **told) == []
    assert unknown("Do you like Mozart?", **told) == ["Mozart"]


_CAESAR = {"character": "Gaius Pollo", "text": "Gaius Pollo (90 BC – 40 BC) was a tribune."}
_FICTION = {"character": "Ysolt", "text": _DRAGON}
_NURSE = {
    "text": "# Nora Quill\n\nNora Quill (3 May 1861 – 9 June 1934) nursed in the First World War."
    " Her second son took her to the talkies. Nylon was spun in the mill."
}


@pytest.mark.parametrize(
    ("who", "question", "names"),
    [
        # A pet name of English is unknown in antiquity alone.
        (_CAESAR, "Have you met Harry?", ["Harry"]),
        (_CAESAR, "Have you met Lucius?", []),
        ({}, "Have you met Harry?", []),
        # In fiction without a time only names matter.
        (_FICTION, "Do you own a telephone?", []),
        (_FICTION, "Is Orm your friend?", []),
        (_FICTION, "Do you know Bartholomew Finch?", []),
        (_FICTION, "Do you know Albert Einstein?", ["Albert Einstein"]),
        # Plain words that each stand somewhere do not tell of a later thing.
        (_NURSE, "Who won the Second World War?", ["Second World War"]),
        (_NURSE, "Who spins the nylon?", []),
    ],
)
def test_what_is_unknown_depends_on_who_is_asked(who, question, names):
    assert unknown(question, **who) == names


@pytest.mark.parametrize(
    ("question", "name"),
    cases(__file__, "a contemporary whom the texts never mention may be known"),
)
def test_a_contemporary_whom_the_texts_never_mention_may_be_known(question, name):
    assert unknown(question) == []
    (entity,) = [entity for entity in judged(question).entities if entity.name == name]
    assert entity.specific
    assert "never mention" in entity.reason


@pytest.mark.parametrize("word", ["W" * 3000, "Ab" * 400, "telegraph" * 300])
def test_a_word_that_no_answer_has_a_place_for_names_nothing(word):
    assert word not in unknown(f"Who keeps the lock, {word}?")


@pytest.mark.parametrize(
    ("question", "entities"),
    [
        # A place does not turn an unknown matter into a half known one.
        (
            "Did you take the train to Norwich, in Europe?",
            [("the train", False), ("Norwich", True)],
        ),
        # A given name that the texts have is somebody else's beside an unknown name.
        ("How did you discover radium with Tobias?", [("radium", False)]),
        (f"Tell me of {'self-' * 60}help.", [("Nora Quill", True)]),
        ("Who are you, Nora?", [("Nora Quill", True)]),
    ],
)
def test_a_question_is_about_these_and_no_others(question, entities):
    assert [(each.name, each.known) for each in judged(question).entities] == entities


def test_common_things_do_not_turn_an_unheard_name_into_a_half_known_one():
    entities = judged("How did Galileo praise your telescope?").entities
    assert [(entity.name, entity.specific) for entity in entities] == [("Galileo", True)]


@pytest.mark.parametrize(
    ("question", "name"),
    cases(__file__, "what all the world has heard of needs no text that speaks of it"),
)
def test_what_all_the_world_has_heard_of_needs_no_text_that_speaks_of_it(question, name):
    (entity,) = [entity for entity in judged(question).entities if entity.name == name]
    assert (entity.known, entity.specific) == (True, False)


def test_what_all_the_world_has_heard_of_is_unknown_before_and_named_where_the_texts_do():
    assert unknown("What do you think of the United States?") == ["United States"]
    told = judged("Have you ever been to Rome?", mentioned=("Rome",)).entities
    assert [(entity.name, entity.specific) for entity in told if entity.specific] == [
        ("Rome", True)
    ]


_FAMILY = (
    "# Nora Quill\n\nNora Quill keeps the lock with her sister Lydia Quill and Silas Crane."
    " A crane stood on the bank, and Mr. Aldous Wickham shot it."
)


@pytest.mark.parametrize(
    ("question", "names"), cases(__file__, "known people are named beside unknown ones")
)
def test_known_people_are_named_beside_unknown_ones(question, names):
    entities = judged(question, text=_FAMILY).entities
    assert [(entity.name, entity.known) for entity in entities if entity.specific] == names


def test_a_general_question_has_general_entities_of_a_type():
    found = {
        e.name: (e.type, e.specific, e.known) for e in judged("Tell me of your mother.").entities
    }
    assert found["mother"] == ("character", False, True)


def test_the_reason_says_both_years():
    (entity,) = judged("Do you own a telephone?").entities
    assert "1876" in entity.reason
    assert "1688" in entity.reason
    (entity,) = judged("Do you own a telephone?", **_CAESAR).entities
    assert "40 BC" in entity.reason


def test_the_hypothetical_context_holds_the_words_of_the_question_and_related_ones():
    text = hypothetical_context(
        QuestionInputs(character="Nora Quill", profile="", question="Who taught you?")
    )
    assert text.startswith("Nora Quill: ")
    assert {"taught", "teacher"} & set(text.split()) or "teach" in text


def test_chinese_questions_are_taken_whole():
    analysis = judged("你喜欢音乐吗？")
    assert [entity.known for entity in analysis.entities] == [True]
    assert "你喜欢音乐吗" in analysis.context


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
def test_any_text_has_an_answer_and_always_the_same(question):
    first = judged(question)
    assert first == judged(question)
    assert first.entities
    assert all(entity.name for entity in first.entities)


def test_every_later_topic_is_found_by_its_name():
    topics = dated.shipped_topics()
    for topic in topics.topics:
        if topic.year > 1800:
            (found, *_) = topics.find(f"Say: {topic.name}!")
            assert found.topic.year > dated.ANY_AGE
            assert found.start == len("Say: "), topic


def test_removed_topics_are_not_found():
    topics = dated.shipped_topics()
    less = topics.without(["Do you own a telephone?"])
    assert len(less.topics) < len(topics.topics)
    assert less.find("Do you own a telephone, or make phone calls?") == []
    assert less.find("Do you own a bicycle?")


@pytest.mark.parametrize(
    "plain", cases(__file__, "words of any age are no later thing of the same words")
)
def test_words_of_any_age_are_no_later_thing_of_the_same_words(plain):
    found = dated.shipped_topics().find(plain)
    assert [one.topic.name for one in found if one.topic.year > 1200] == []


def test_words_of_any_age_are_a_later_name_where_they_have_its_capitals():
    told = "Have you read War and Peace, seen the Wounded Knee or heard of the New Deal?"
    names = ["War and Peace", "Wounded Knee", "New Deal"]
    assert unknown(told) == names
    found = dated.shipped_topics().find("By radio, television; enlightenment-era Europe")
    names = ["radio", "television", "enlightenment era", "europe"]
    assert [one.topic.name for one in found] == names
    found = dated.shipped_topics().find("At 9/11, at 911")
    assert [one.topic.year for one in found] == [2001, 2001]


def _share_later(table, year):
    names = [name for row in cases(__file__, table) for name in row.split(", ")]
    return sum(means_later(name, year) for name in names) / len(names)


@pytest.mark.parametrize("year", [-44, 1368, 1727, 1827, 1934])
def test_names_mean_later_things_only_where_they_do(year):
    assert _share_later("names of people, places and bodies that stand on no list", year) <= 0.015
    least = 0.35 if year < 1900 else 0.15
    assert _share_later("names of things, bodies and events of our time", year) >= least


def test_lives_of_other_times_and_worlds():
    texts = dict(cases(__file__, "lives of three other times and worlds"))
    rows = cases(__file__, "questions to them")
    out = [
        (who, scope, question)
        for who, scope, question in rows
        if not any(entity.known for entity in judged(question, who, texts[who]).entities)
    ]
    assert [row for row in out if row[1] == "in"] == []
    assert len(out) >= 0.8 * sum(scope == "out" for _, scope, _ in rows)


def _rows(file, kinds):
    path = _SHARED / "boundary" / file
    if not path.exists():
        pytest.skip("the shared data is not at hand")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [row for row in rows if row["kind"] in kinds][::7]


def _share_out(rows):
    texts = {
        name: (_SHARED / "character_llm" / "profiles" / f"{name}.md").read_text("utf-8")
        for name in {row["persona"] for row in rows}
    }
    held = {name: frozenset(search_terms(text)) for name, text in texts.items()}
    last = {name: last_year_of(name, [text]) for name, text in texts.items()}
    out = 0
    for row in rows:
        who, question = row["persona"], row["question"]
        inputs = QuestionInputs(
            character=who,
            profile="",
            question=question,
            unmentioned=unmentioned_words(question, held[who].__contains__),
            last_year=last[who],
        )
        out += not any(entity.known for entity in question_entities(inputs).entities)
    return out / len(rows)


def test_quality_on_shared_questions_does_not_fall():
    alarms = _share_out(_rows("character_llm.jsonl", {"cllm_topic"}))
    crossed = _share_out(_rows("character_llm.jsonl", {"cross_character"}))
    later = _share_out(_rows("dated_topics.jsonl", {"dated_topic"}))
    assert alarms <= 0.05
    # Lower than what dates and worlds give: some of this gold is out by absence alone.
    assert (crossed + 1 - alarms) / 2 >= 0.88
    assert (later + 1 - alarms) / 2 >= 0.92
