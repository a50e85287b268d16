"""The offline reply: it quotes what answers, speaks as "I" where that is safe, else declines."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.prompts.emotion import write_memory
from offbook.prompts.reply import ReplyInputs
from offbook.rules.declining import DECLINES
from offbook.rules.reply import ENGLISH_ONLY, is_answered, reply
from offbook.types import ContextItem, Message
from tests.waiting import work_below

NORA = (
    "Nora Vey (1871 – 1940) was a clockmaker in Hull [1]. She was born in Whitby, where her father,"
    " Amos Vey, mended nets. Her aunt Ruth taught her to read.\n\nNora hates rain because her"
    " brother drowned in a flood in 1883. She trusts Tom Ferris, the baker, and owes him two"
    " pounds. Ruth told Tom that she had never married.\n\nWho would buy a clock without hands?"
)
LISTED = (
    "- **Born:** 3 May 1871 in Whitby\n- **Fears:** bees, thin ice\n- **Pet:** a one-eyed goose\n\n"
    "## Childhood\n\nMarit held her brother by his collar."
)


def inputs(
    question: str,
    text: str = NORA,
    *,
    character: str = "Nora Vey",
    history: tuple[str, ...] | list[str] = (),
    outside: list[str] | None = None,
    **more: Any,
) -> ReplyInputs:
    context = [ContextItem("knowledge", character, text, 1.0)] if text else []
    context += [ContextItem("out_of_scope", name, "", 0.0) for name in outside or ()]
    turns = tuple(
        Message("assistant" if at % 2 else "user", said) for at, said in enumerate(history)
    )
    given = {"profile": "", "voice": (), **more}
    return ReplyInputs(
        character=character, history=turns, context=tuple(context), question=question, **given
    )


def ask(question: str, text: str = NORA, **more: Any) -> str:
    return reply(inputs(question, text, **more))


SHOP = (
    "Nora kept a shop in Hull with two rooms. In 1890 Nora opened the shop. Nora left the shop"
    " because the roof fell in."
)
MARRIED = "Ruth married a baker. Nora hated rain."


@pytest.mark.parametrize(
    ("question", "text", "part"),
    [
        # What the character is the subject of is told in the first person.
        (
            "Where were you born?",
            NORA,
            "I was born in Whitby, where my father, Amos Vey, mended nets. (Nora Vey)",
        ),
        (
            "Why do you hate rain?",
            NORA,
            "I hate rain because my brother drowned in a flood in 1883. (Nora Vey)",
        ),
        ("What do you think of Tom?", NORA, "I trust Tom Ferris, the baker, and owe him two"),
        ("Are you married?", "In 1899 Nora married Tom Ferris.", "I married Tom"),
        (
            "Who taught you to sail?",
            "I was born in a village by the sea. My father taught me to sail.",
            "My father taught me to sail.",
        ),
        # What others are the subject of is quoted word for word, with what it leans on.
        ("Who taught you to read?", NORA, "“Her aunt Ruth taught her to read.” (Nora Vey)"),
        ("Did Ruth ever marry?", NORA, "“Ruth told Tom that she had never married.” (Nora Vey)"),
        (
            "How many people did it carry?",
            "The boat was painted red. It carried twelve people and a cow.",
            "painted red. It carried twelve",
        ),
        ("Who married a baker?", MARRIED, "Ruth married a baker"),
        # The kind of a question says what its answer holds.
        ("When did you open the shop?", SHOP, "In 1890"),
        ("Why did you leave the shop?", SHOP, "because the roof"),
        ("How many rooms had the shop?", SHOP, "two rooms"),
        ("Who are you?", NORA, "was a clockmaker in Hull"),
        ("Tell me about yourself.", NORA, "was a clockmaker in Hull"),
    ],
)
def test_what_answers_is_told(question, text, part):
    assert part in ask(question, text)
    assert is_answered(inputs(question, text))


SHEET = (
    "# Odo Brand\n\nAge: 43\nTrade: cooper\nHome: the mill at Stell\nPartner: Ada, a weaver\n\n"
    "## Life\n\nOdo works with a borrowed hammer. His mother, Ursa, kept bees. Ursa died of a fever"
    " in the great frost.\n\nMy friend Bram sails the ferry. Bram came on Sunday.\n\nOdo saw the"
    " flood. The water took the bridge. He rowed the miller to the church."
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # A line of a sheet answers by its key, or by a word for the same thing.
        ("How old are you?", "“Age: 43” (Odo Brand)"),
        ("What is your job?", "“Trade: cooper” (Odo Brand)"),
        ("Where do you live?", "“Home: the mill at Stell” (Odo Brand)"),
        # A name that the text gives to somebody stands for the word.
        ("What is your mother's name?", "“His mother, Ursa, kept bees."),
        ("How did your mother die?", "Ursa died of a fever in the great frost."),
        ("Who is Bram?", "My friend Bram sails the ferry."),
        # What follows is told where an account is asked for.
        ("What happened in the flood?", "The water took the bridge."),
    ],
)
def test_the_line_or_the_sentence_that_answers_is_quoted(question, answer):
    said = ask(question, SHEET, character="Odo Brand")
    assert answer in said
    assert is_answered(inputs(question, SHEET, character="Odo Brand"))
    assert not said.startswith(("I am not sure", "I cannot say", "This may not"))


TOLD_OF = (
    "# Isa Varn\n\nIsa Varn is a mender of bells. She wakes at 05:15 and rings the yard bell. She"
    " took up early work in the dark. Isa married Corin Hale. Hale lives in Tarn all winter because"
    " he hates the noise. She does not eat eels, on the grounds that they look back.\n\n"
    "**Her cousin, Bett**\n\nIsa was pushed forward at the fair. She was fifteen. But Ruta ran off"
    " at twelve. In 1873 the poet Sorrel sent her a ballad about drowned men, who are said to sing."
    "\n\nYou will ask what a bell-wife is. So you call the bell-wife. She climbs up and quiets the"
    ' bell.\n\n"Put down that I\'m fifty-one and not deaf. It was never courage.\n\n"Is that all?"'
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What time do you wake up?", "at 05:15"),
        ("How old are you?", "I'm fifty-one and not deaf."),
        ("How old were you when you were pushed forward?", "I was fifteen."),
        ("Why does your husband live in Tarn?", "because he hates the noise"),
        ("Who wrote the ballad of the drowned men?", "the poet Sorrel"),
        ("Fancy some eels?", "not eat eels"),
        ("What do you do?", "a mender of bells"),
        ("What does a bell-wife do?", "quiets the bell"),
        ("Is it courage?", "It was never courage."),
    ],
)
def test_what_is_told_in_other_words_than_it_is_asked_in_is_quoted(question, answer):
    assert answer in ask(question, TOLD_OF, character="Isa Varn").replace("’", "'")


def test_an_account_goes_on_before_another_sentence_is_told():
    text = (
        "My brother Bram was one of the seven. He was thirty. He had given his coat to the miller."
        "\n\nMy father named his third son Bram after a mule."
    )
    said = ask("What happened to Bram?", text, character="Isa Varn")
    assert "given his coat" in said
    assert "mule" not in said


def test_a_line_in_bold_heads_what_stands_below_it():
    assert "(Her cousin, Bett)" in ask("Who sent a ballad?", TOLD_OF, character="Isa Varn")


@pytest.mark.parametrize(
    "question",
    ["Who was the first man on the moon?", "What is the speed of light?", "Who paints cathedrals?"],
)
def test_what_is_asked_of_the_world_is_declined_without_a_quotation(question):
    said = ask(question, SHEET, character="Odo Brand")
    assert DECLINES.search(said)
    assert "“" not in said


def test_what_may_be_no_answer_is_called_so():
    # What holds of another is no answer to a question about oneself.
    text = "Odo fears no man. Ada fears storms and wolves."
    said = ask("Do you fear storms?", text, character="Odo")
    assert said.startswith(("I am not sure", "I cannot say", "This may not"))


def test_yes_or_no_of_oneself_is_not_answered_by_what_holds_of_others():
    assert "Ruth" not in ask("Are you married?", MARRIED)


@pytest.mark.parametrize(
    ("said", "part"),
    [("Good Afternoon, Nora!", "Nora Vey"), ("hey nora hows it going", "?"), ("ok", "?"),
     ("im so sorry about your loss", "hank you"), ("thanks, good night", "."),
     ("evening nora, may i come in", "Nora Vey"), ("you are funny", "kind"),
     ("ahoy there, nora!", "Nora Vey"), ("hi there nora :)", "Nora Vey"),
     ("Good morrow, Mistress Vey!", "Nora Vey"), ("hello nora, is this a bad time?", "Nora Vey"),
     ("*knocks on the door* hello?", "Nora Vey"),
     ("evening, old timer, how are you keeping", "?"), ("sorry you lost your son", "hank you"),
     ("good evening. may i come in out of the rain?", "Nora Vey"),
     ("Hello!", "Nora Vey"), ("What is your name?", "I am Nora Vey."), ("Thank you!", "."),
     ("Goodbye.", "."), ("Good morning! How are you?", "?"),
     ("Buongiorno, maestra!", "Nora Vey"), ("Bonjour Madame", "Nora Vey"), ("¡Hasta luego!", "."),
     ("Hola, ¿cómo estás?", "?"), ("It was nice talking to you.", "."), ("How was your day?", "?"),
     ("Pleased to make your acquaintance.", "Nora Vey"), ("Nice weather, isn't it?", "?"),
     ("I am so sad today.", "sad")],
)  # fmt: skip
def test_small_talk_gets_a_short_answer(said, part):
    answer = ask(said)
    assert part in answer
    assert len(answer) < 120


def test_a_line_of_a_list_is_quoted_alone_and_with_its_key():
    answer = ask("When were you born?", LISTED, character="Marit")
    assert "“Born: 3 May 1871 in Whitby” (Marit)" in answer
    assert "bees" not in answer
    assert "“Fears: bees, thin ice”" in ask("What are you afraid of?", LISTED, character="Marit")
    assert "one-eyed goose" in ask("Do you have any animals?", LISTED, character="Marit")


def test_no_heading_question_or_fragment_is_an_answer():
    text = "# Clocks of Hull\n\nWhat is a clock without hands?\n\nwho mended the clock of\n\nVey,"
    for question in ("Do you mend a clock?", "What is in Hull?", "What of hands?"):
        assert not is_answered(inputs(question, text))
        assert "“" not in ask(question, text)


@pytest.mark.parametrize(
    "question",
    [
        "Talk about the car you drove yesterday?",
        "What is in your refrigerator?",
        "Do you know Napoleon Bonaparte?",
        "How do you write a quick sort in Python?",
        "What do you eat all week?",
    ],
)
def test_what_the_context_does_not_hold_is_declined(question):
    answer = ask(question)
    assert DECLINES.search(answer)
    assert not is_answered(inputs(question))
    assert all(fact not in answer for fact in ("Hull", "Whitby", "clock", "rain"))
    assert answer == ask(question)


def test_what_is_beyond_the_character_is_declined_by_name_even_if_the_context_is_full():
    assert "Napoleon" in ask("What do you think of Napoleon and the rain?", outside=["Napoleon"])
    assert "rain because" not in ask("Why do you hate rain?", outside=["Napoleon"])
    assert DECLINES.search(ask("Why do you hate rain?", outside=[""]))


def test_what_comes_nearest_is_called_so():
    answer = ask("What did Tom Ferris sing at the harbour?")
    assert answer.startswith("Of that itself nothing was told. Nearest")
    assert "Tom Ferris" in answer
    assert not is_answered(inputs("What did Tom Ferris sing at the harbour?"))


def test_without_context_nothing_is_claimed_and_the_profile_is_enough():
    assert DECLINES.search(ask("Where were you born?", text=""))
    assert "I was born in Whitby" in ask("Where were you born?", text="", profile=NORA)


def test_the_character_stays_itself_and_a_machine_says_so():
    assert not re.search(r"AI|robot", ask("Are you an AI?"))
    assert "I am a robot" in ask("Are you a robot?", "Nora Vey is a robot made in Hull.")


def test_a_follow_up_is_read_with_the_turn_before():
    history = ("Who is Tom Ferris?", "I trust Tom Ferris, the baker, and owe him two pounds.")
    text = "Tom Ferris bakes bread. Amos mends nets. Tom lent Nora two pounds for her shop."
    assert "Tom lent" in ask("What did he lend you?", text, history=history)
    assert "Tom" in ask("Tell me more.", text, history=history)


def test_what_was_said_before_is_said_again_as_such_and_more_is_something_new():
    question = "Why do you hate rain?"
    first = ask(question)
    assert ask(question, history=(question, first)) == f"As I told you: {first}"
    text = "Tom Ferris bakes bread. Tom Ferris owes Nora two pounds for a clock."
    told = ask("Who is Tom Ferris?", text)
    history = ("Who is Tom Ferris?", f"{told} {text}")
    assert not is_answered(inputs("Tell me more.", text, history=history))


def test_a_memory_is_told_again_without_the_words_before_it():
    told = "As I told you: The ferry left at six."
    memory = ContextItem("memory", "", write_memory("When did the ferry leave?", told), 1.0)
    asked = replace(inputs("When did the ferry leave?", ""), context=(memory,))
    assert reply(asked) == "The ferry left at six."


def test_of_two_memories_the_one_that_was_not_told_yet_goes_first():
    first, second = "The ferry left at six.", "The ferry left late that day."
    pairs = [("When did the ferry leave?", first), ("Did the ferry leave late?", second)]
    context = tuple(ContextItem("memory", "", write_memory(*pair), 1.0) for pair in pairs)
    asked = replace(inputs("When did the ferry leave?", ""), context=context)
    assert reply(asked) == first
    said = (Message("user", asked.question), Message("assistant", first))
    assert reply(replace(asked, history=said)) == second


def test_a_terse_character_leads_in_with_few_words_and_knows_nothing_in_its_own():
    voice = ("Mind the glass.", "Of that I know nothing.", "Be welcome, and shut the door.")
    quoted = ask("Who taught you to read?", voice=voice)
    assert len(quoted.split("“")[0].split()) <= 6
    assert quoted.endswith("“Her aunt Ruth taught her to read.” (Nora Vey)")
    declined = {ask(f"What is your {x}?", voice=voice) for x in ("car", "radio", "lamp", "yacht")}
    assert voice[1] in declined
    assert any(ask(said, voice=voice).startswith(voice[2]) for said in ("Hello!", "Hi"))


@pytest.mark.parametrize(
    ("name", "text", "question", "quoted"),
    [
        ("李白", "李白，字太白。李白出生于碎叶城。", "你出生在哪里？", "李白出生于碎叶城。"),
        ("漱石", "漱石はロンドンにいた。", "ロンドンで何を？", "漱石はロンドンにいた。"),
        ("Нора", "Нора родилась в Йорке.", "Где родилась Нора?", "Нора родилась в Йорке."),
        ("Nora Vey", NORA, "你出生在哪里？", ""),
        ("Nora Vey", NORA, "Wo wurdest du geboren?", ""),
        ("李白", "李白，字太白。", "你是谁？", ""),
    ],
)  # fmt: skip
def test_in_other_languages_it_searches_and_quotes_and_says_once_that_it_is_english(
    name, text, question, quoted
):
    context = (ContextItem("knowledge", name, text, 1.0),)
    asked = ReplyInputs(name, "", (), (), context, question)
    answer = reply(asked)
    assert answer.startswith(ENGLISH_ONLY)
    assert f"“{quoted}”" in answer if quoted else "“" not in answer
    said = (Message("user", question), Message("assistant", answer))
    assert ENGLISH_ONLY not in reply(replace(asked, history=said))


@given(st.text(max_size=80), st.text(max_size=300))
def test_any_question_on_any_text_is_answered_with_some_text(question, text):
    answer = ask(question, text)
    assert answer == answer.strip()
    assert answer


def test_ten_long_items_take_less_than_a_moment():
    paragraph = NORA.replace("\n\n", " ")
    context = tuple(
        ContextItem("knowledge", "Nora", f"In {year}, {paragraph * 8}", 1.0)
        for year in range(1890, 1900)
    )
    question = ReplyInputs("Nora Vey", "", (), (), context, "Why do you hate rain?")
    first = reply(question)
    with work_below(1):  # 50 ms on an idle machine
        assert reply(question) == first
    assert first


def test_a_relative_with_the_longer_name_is_not_taken_for_the_character():
    own = ContextItem("knowledge", "Vey", "Nora Vey was born in Whitby. Vey mended a clock.", 1.0)
    aunt = ContextItem("entity", "Wilhelmina Vey", "Wilhelmina Vey was born in Hull.", 1.0)
    told = ReplyInputs("Vey", "", (), (), (own, aunt), "Where were you born?")
    assert reply(told).startswith("I was born in Whitby.")
