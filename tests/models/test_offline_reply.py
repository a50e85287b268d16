"""The offline reply: grounded, in the first person, honest about what it does not know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.models.offline.reply import is_answered, reply
from offbook.prompts.memory_text import write_memory
from offbook.prompts.reply import ReplyInputs
from offbook.types import ContextItem, Message, MessageRole
from tests.waiting import work_below

NORA = """Nora Vey (1871 – 1940) was a clockmaker in Hull [1]. She was born in Whitby, where her \
father, Amos Vey, mended nets. Her aunt Ruth taught her to read.

Nora hates rain because her brother drowned in a flood in 1883. According to the parish records, \
she never married. She trusts Tom Ferris, the baker, and owes him two pounds.

Some biographers believe that she was in London in 1901. However, Nora loved the sea."""


def inputs(
    question: str,
    text: str = NORA,
    *,
    voice: Sequence[str] = (),
    history: Sequence[str] = (),
    profile: str = "",
    outside: Sequence[str] = (),
) -> ReplyInputs:
    context = [ContextItem("knowledge", "Nora Vey", text, 1.0)] if text else []
    context.extend(ContextItem("out_of_scope", name, "after her time", 0.0) for name in outside)
    roles: tuple[MessageRole, ...] = ("user", "assistant")
    messages = tuple(Message(roles[at % 2], said) for at, said in enumerate(history))
    return ReplyInputs("Nora Vey", profile, tuple(voice), messages, tuple(context), question)


def ask(question: str, text: str = NORA, **more: Any) -> str:
    return reply(inputs(question, text, **more))


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Where were you born?", "I was born in Whitby, where my father, Amos Vey, mended nets."),
        ("Who taught you to read?", "My aunt Ruth taught me to read."),
        ("Why do you hate rain?", "I hate rain because my brother drowned in a flood in 1883."),
        ("Did you ever marry?", "I never married."),
        (
            "What do you think of Tom Ferris?",
            "I trust Tom Ferris, the baker, and owe him two pounds.",
        ),
        ("Did you love the sea?", "I loved the sea."),
        ("What was your trade as a clockmaker?", "I was a clockmaker in Hull."),
    ],
)
def test_what_the_context_holds_is_told_in_the_first_person(question, part):
    assert part in ask(question)
    assert is_answered(inputs(question))


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Talk about the car you drove yesterday?", "the car"),
        ("What is your favourite movie?", "movie"),
        ("How do you write a quick sort in Python?", "Python"),
        ("Do you know Napoleon Bonaparte?", "Napoleon Bonaparte"),
        ("What is in your refrigerator?", "refrigerator"),
    ],
)
def test_what_the_context_does_not_hold_is_declined_by_name(question, named):
    answer = ask(question)
    assert named in answer
    assert not is_answered(inputs(question))
    assert all(fact not in answer for fact in ("Hull", "Whitby", "clock", "rain"))


@pytest.mark.parametrize("start", ["Who", "When", "Where", "Why", "How", "How many", "Did", "What"])
def test_refusals_fit_the_kind_of_question(start):
    answer = ask(f"{start} zzzing?")
    assert answer.endswith(".")
    assert "AI" not in answer
    assert len(answer) < 90


def test_refusals_vary_and_repeat_themselves_exactly():
    questions = [f"What is your {thing}?" for thing in ("car", "radio", "lamp", "yacht", "robot")]
    answers = [ask(question) for question in questions]
    patterns = {
        answer.replace(q.split()[-1][:-1], "X")
        for answer, q in zip(answers, questions, strict=True)
    }
    assert len(patterns) > 1
    assert answers == [ask(question) for question in questions]


def test_an_entity_out_of_scope_is_declined_even_if_the_context_is_full():
    assert "Napoleon" in ask("What do you think of Napoleon and the rain?", outside=["Napoleon"])
    assert "rain because" not in ask("Why do you hate rain?", outside=["Napoleon"])
    assert ask("Why do you hate rain?", outside=[""])


def test_without_context_nothing_is_claimed():
    answer = ask("Where were you born?", text="")
    assert "born" not in answer
    assert "Whitby" not in answer


def test_the_profile_alone_is_enough_to_answer_from():
    assert "I was born in Whitby" in ask("Where were you born?", text="", profile=NORA)


def test_notes_hedges_and_talk_of_biographers_are_left_out():
    for question in ("Did you ever marry?", "Who are you?", "Were you in London in 1901?"):
        answer = ask(question)
        assert "[1]" not in answer
        assert "According" not in answer
        assert "biographers" not in answer
        assert "(1871" not in answer


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("Hello!", "Nora Vey"),
        ("What is your name?", "I am Nora Vey."),
        ("Who are you?", "I was a clockmaker in Hull."),
        ("Thank you!", "."),
        ("Goodbye.", "."),
        ("How are you?", "?"),
        ("I am so sad today.", "sad"),
        ("I am so happy today!", "?"),
    ],
)
def test_small_talk_gets_a_short_answer(said, part):
    answer = ask(said)
    assert part in answer
    assert len(answer) < 120


@pytest.mark.parametrize(
    "said", ["Are you an AI?", "Are you a robot?", "Are you real?", "You are a language model?"]
)
def test_the_character_stays_itself_whatever_it_is_taken_for(said):
    answer = ask(said)
    assert answer.startswith("I am Nora Vey")
    assert not re.search(r"AI|robot|model", answer)


def test_a_character_that_is_a_machine_says_so():
    text = "Nora Vey is a robot made in Hull. She repairs clocks."
    assert "I am a robot" in ask("Are you a robot?", text)


def test_nothing_is_told_of_what_came_after_the_character():
    text = f"{NORA}\n\nNora died in 1940. Her shop was sold in 1951, and burned in 1960."
    for question in ("What happened after you died?", "Who bought your shop in 1951?"):
        assert "1951" not in ask(question, text)
    assert "I rose" in ask(
        "What happened after you died?", "Nora died in 1940. Nora rose as a ghost."
    )


@pytest.mark.parametrize(
    "said",
    [
        "Nora Vey, why do you hate rain?",
        "As Nora Vey, why do you hate rain?",
        "Nora, do you hate rain?",
    ],
)
def test_the_name_of_the_one_who_is_asked_asks_for_nothing(said):
    assert "I hate rain" in ask(said)


def test_a_noun_that_the_text_lacks_makes_what_follows_another_thing():
    text = "The number of the house was seven. In Hull Nora spoke a language of the north."
    assert not is_answered(inputs("What is your telephone number?", text))
    assert is_answered(inputs("What is the number of your house?", text))
    assert not is_answered(inputs("Which programming language did you use?", text))


def test_what_was_felt_is_told_where_it_is_asked():
    text = (
        "Nora learned that her brother had drowned. The boats lay in the harbour. In the shop Nora"
        " felt such grief that her hands shook."
    )
    answer = ask("What did you feel when you learned of your brother?", text)
    assert "I felt such grief that my hands shook." in answer.replace("In the shop ", "")


def test_what_others_do_is_no_answer_to_what_the_character_does():
    text = "The baker lives in a mill near York.\n\nIn Hull Nora lives with two cats."
    assert ask("Where do you live?", text).startswith("In Hull I live")


def test_a_follow_up_is_read_with_the_turn_before():
    history = ("Who is Tom Ferris?", "I trust Tom Ferris, the baker, and owe him two pounds.")
    text = "Tom Ferris bakes bread. Amos mends nets. Tom lent Nora two pounds for her shop."
    assert "Tom" in ask("What did he lend you?", text, history=history)
    assert "Tom" in ask("Tell me more.", text, history=history)


def test_a_question_that_is_asked_again_is_answered_again():
    first = ask("Why do you hate rain?")
    history = ["Why do you hate rain?", first]
    heard = {first}
    for _ in range(3):
        again = ask("Why do you hate rain?", history=history)
        assert "I hate rain because my brother drowned in a flood in 1883." in again
        assert again not in heard, "nobody says the same thing three times in the same words"
        heard.add(again)
        history += ["Why do you hate rain?", again]


def test_another_question_may_be_answered_by_what_was_said():
    history = ("Tell me of your brother.", "I hate rain because my brother drowned in a flood.")
    text = "Nora hates rain because her brother drowned in a flood."
    answer = ask("How did your brother drown?", text, history=history)
    assert answer.endswith(history[1])
    assert answer != history[1]


def test_who_asks_to_be_told_hears_something_new_first():
    text = "Nora built a clock in Hull. Nora sold another clock in York for nine pounds."
    history = ("Tell me about a clock.", "I built a clock in Hull.")
    answer = ask("Tell me about a clock.", text, history=history)
    assert answer == "I sold another clock in York for nine pounds."


@pytest.mark.parametrize("more", ["Go on.", "Tell me more.", "And then?", "What else?"])
def test_who_wants_more_hears_nothing_twice(more):
    text = "Tom Ferris bakes bread. Tom Ferris owes Nora two pounds for a clock."
    told = "Tom Ferris bakes bread. Tom Ferris owes me two pounds for a clock."
    history = ["Who is Tom Ferris?", "Tom Ferris bakes bread."]
    assert ask(more, text, history=history) == "Tom Ferris owes me two pounds for a clock."
    history = ["Who is Tom Ferris?", told]
    over = ask(more, text, history=history)
    assert "Tom Ferris" not in over
    assert not is_answered(inputs(more, text, history=history))
    assert ask(more, text, history=()) != over, "nothing was told of which there were no more"


def test_what_is_told_again_is_told_with_what_it_leans_on():
    text = "Nora built a great clock. It struck thirteen at noon."
    told = "I built a great clock. It struck thirteen at noon."
    again = ask("What struck thirteen?", text, history=("What struck thirteen?", told))
    assert again.endswith(told)


def test_a_memory_is_told_again_without_the_note_of_its_own_time():
    told = "As I told you: The ferry left at six."
    memory = ContextItem("memory", "", write_memory("When did the ferry leave?", told), 1.0)
    asked = replace(inputs("When did the ferry leave?", ""), context=(memory,))
    assert reply(asked) == "The ferry left at six."
    said = (Message("user", asked.question), Message("assistant", "The ferry left at six."))
    again = reply(replace(asked, history=said))
    assert again.endswith("The ferry left at six.")
    assert again != "The ferry left at six."


def test_of_two_memories_the_one_that_was_not_told_yet_goes_first():
    first, second = "The ferry left at six.", "The ferry left late that day."
    pairs = [("When did the ferry leave?", first), ("Did the ferry leave late?", second)]
    context = tuple(ContextItem("memory", "", write_memory(*pair), 1.0) for pair in pairs)
    asked = replace(inputs("When did the ferry leave?", ""), context=context)
    assert reply(asked) == first
    said = (Message("user", asked.question), Message("assistant", first))
    assert reply(replace(asked, history=said)) == second


def test_a_text_in_the_first_person_is_quoted_as_it_is():
    text = "I was born in a village by the sea. My father taught me to sail."
    assert ask("Who taught you to sail?", text).startswith("My father taught me to sail.")


def test_a_card_that_says_you_is_spoken_as_i():
    text = "You are Nora Vey, a clockmaker. You hate rain and your father was a sailor."
    assert ask("Do you hate rain?", text) == "I hate rain and my father was a sailor."
    assert ask("Who are you?", text) == "I am Nora Vey, a clockmaker."


VOICE = (
    "Mind the glass.",
    "Of that I know nothing, and I say so.",
    "Be welcome, and shut the door.",
    "No thanks are due.",
    "Farewell, and mind the step.",
)


def test_speech_samples_are_used_word_for_word_where_they_fit():
    declined = {ask(f"What is your {x}?", voice=VOICE) for x in ("car", "radio", "lamp", "robot")}
    assert any(answer.endswith(VOICE[1]) for answer in declined)
    greeted = {ask(said, voice=VOICE) for said in ("Hello!", "Hi", "Good morning", "Greetings!")}
    assert any(answer.startswith(VOICE[2]) for answer in greeted)
    questions = ("Why do you hate rain?", "Did you ever marry?", "Who taught you to read?")
    answered = {ask(question, voice=VOICE) for question in questions}
    assert any(answer.startswith(VOICE[0]) for answer in answered)


def test_a_speech_sample_is_heard_once_in_a_conversation():
    for question in ("Why do you hate rain?", "Did you ever marry?", "Who taught you to read?"):
        history = ("Hello", " ".join(VOICE))
        assert not any(sample in ask(question, voice=VOICE, history=history) for sample in VOICE)


ZH = (
    "李白，字太白，是唐代诗人。李白出生于碎叶城，五岁迁居四川。"
    "李白与杜甫是好朋友。他说：“李白斗酒诗百篇。”"
)
KO = "이순신은 조선의 장군이다. 이순신은 한산도에서 왜군을 물리쳤다. 이순신의 어머니는 변씨이다."
JA = "夏目漱石は日本の小説家である。夏目漱石はロンドンに留学した。"


@pytest.mark.parametrize(
    ("name", "text", "question", "answer"),
    [
        ("李白", ZH, "你出生在哪里？", "我出生于碎叶城，五岁迁居四川。"),
        ("李白", ZH, "你和杜甫是什么关系？", "我与杜甫是好朋友。"),
        ("李白", ZH, "你会用手机吗？", "这件事我不知道，也不愿随口乱说。"),
        ("李白", ZH, "你是谁？", "我是李白。"),
        ("李白", ZH, "你好！", "你好，我是李白。"),
        ("이순신", KO, "한산도에서 무엇을 했습니까?", "나는 한산도에서 왜군을 물리쳤다."),
        ("이순신", KO, "당신의 어머니는 누구입니까?", "나의 어머니는 변씨이다."),
        ("이순신", KO, "이름이 뭐예요?", "나는 이순신입니다."),
        ("夏目漱石", JA, "ロンドンで何をしましたか？", "私はロンドンに留学した。"),
        ("夏目漱石", JA, "スマートフォンを使いますか？", "それについては、私は何も知りません。"),
        (
            "Nora Vey",
            NORA,
            "你出生在哪里？",
            "我的记忆是用另一种文字写下的，用这些话问，我找不到答案。",
        ),
    ],
)
def test_other_scripts_are_answered_in_their_own_language(name, text, question, answer):
    context = (ContextItem("knowledge", name, text, 1.0),)
    assert reply(ReplyInputs(name, "", (), (), context, question)) == answer


def test_korean_sentences_are_parted_by_a_blank():
    context = (ContextItem("knowledge", "이순신", KO, 1.0),)
    answer = reply(ReplyInputs("이순신", "", (), (), context, "조선의 장군, 한산도 왜군"))
    assert answer == "나는 조선의 장군이다. 나는 한산도에서 왜군을 물리쳤다."


def test_a_quotation_in_chinese_keeps_the_name():
    context = (ContextItem("knowledge", "李白", ZH, 1.0),)
    answer = reply(ReplyInputs("李白", "", (), (), context, "斗酒诗百篇"))
    assert "“李白斗酒诗百篇。”" in answer


def test_a_boundary_in_chinese_is_named():
    context = (ContextItem("out_of_scope", "手机", "", 0.0),)
    assert "手机" in reply(ReplyInputs("李白", "", (), (), context, "你会用手机吗？"))


def test_an_english_question_to_a_chinese_text_says_so():
    assert "another language" in ask("Where were you born?", ZH)


@given(st.text(max_size=80), st.text(max_size=300))
def test_any_question_on_any_text_is_answered_with_some_text(question, text):
    answer = ask(question, text)
    assert answer == answer.strip()
    assert answer


@given(st.sampled_from(NORA.replace("\n", " ").split(". ")))
def test_every_sentence_of_the_text_can_be_asked_for_without_failing(sentence):
    assert ask(f"What about {sentence.split(' ', 1)[-1]}?")


def test_ten_long_items_take_less_than_a_moment():
    paragraph = NORA.replace("\n\n", " ")
    context = tuple(
        ContextItem("knowledge", "Nora", f"In {year}, {paragraph * 8}", 1.0)
        for year in range(1890, 1900)
    )
    question = ReplyInputs("Nora Vey", "", (), (), context, "Why do you hate rain?")
    first = reply(question)
    with work_below(1):  # 50 ms on an idle machine; see benchmarks
        assert reply(question) == first
    assert first


def test_a_relative_with_the_longer_name_is_not_taken_for_the_character():
    own = ContextItem("knowledge", "Vey", "Nora Vey was born in Whitby. Vey mended a clock.", 1.0)
    aunt = ContextItem("entity", "Wilhelmina Vey", "Wilhelmina Vey was born in Hull.", 1.0)
    told = ReplyInputs("Vey", "", (), (), (own, aunt), "Where were you born?")
    assert reply(told).startswith("I was born in Whitby.")


def test_the_pronouns_that_the_documents_use_are_not_guessed_from_one_passage():
    text = "Vey met Ferris in Hull. He bought a clock. She sold a second one in York that year."
    asked = replace(inputs("Who sold a clock in York?", text), character="Vey")
    told = {gender: reply(replace(asked, gender=gender)) for gender in ("m", "f")}
    assert "I sold a second one" in told["f"]
    assert "I sold a second one" not in told["m"]


def test_yes_or_no_of_oneself_is_not_answered_by_what_holds_of_others():
    text = "Ruth married a baker. The sailors loved Nora like a sister. Nora hated rain."
    assert not is_answered(inputs("Are you married?", text))
    assert "rain" in ask("Do you hate rain?", text)
    assert "married a baker" in ask("Who married a baker?", text)
    assert "I married Tom" in ask("Are you married?", "In 1899 Nora married Tom Ferris.")


def test_all_and_every_are_no_subject_of_a_question():
    text = "In a book Nora wrote down all that she had learned about clocks and rain."
    assert not is_answered(inputs("What do you eat all week?", text))
