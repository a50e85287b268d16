"""Which conversation a request belongs to: first messages, histories, swipes, edits, names."""

from __future__ import annotations

import asyncio
import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.loopback.server import LoopbackServer
from tests.server.openai.asking import QUESTION, ask, remembered, said, stored
from tests.server.served import MODEL, Served, settings_in, with_ada
from tests.waiting import until

MORE = "And what became of him, in the end?"
LAST = "Do you still sleep through storms, or not at all?"


@pytest.fixture(autouse=True)
def other_each_time(endpoint: LoopbackServer) -> None:
    """Every reply of the model is another one."""
    numbers = itertools.count(1)
    endpoint.answer = lambda _: f"My brother Tom taught me how, and I tell it in {next(numbers)}."


def shown(endpoint: LoopbackServer) -> list[str]:
    """Contents of the last request to the model."""
    return [message["content"] for message in endpoint.chat_bodies[-1]["messages"]]


def test_a_first_message_always_starts_a_new_conversation(server: Served, endpoint: LoopbackServer):
    endpoint.answer = lambda _: "Good evening to you, whoever you may be out there."
    first, second = ask(server, "Hi"), ask(server, "Hi")
    assert first["offbook"]["session"] != second["offbook"]["session"]
    assert len(stored(server)) == 2


def test_a_history_that_goes_on_is_gone_on_with(server: Served):
    first = ask(server, QUESTION)
    second = ask(server, QUESTION, said(first), MORE)
    third = ask(server, QUESTION, said(first), MORE, said(second), LAST)
    assert len({each["offbook"]["session"] for each in (first, second, third)}) == 1
    (talk,) = stored(server)
    assert talk == [(QUESTION, said(first)), (MORE, said(second)), (LAST, said(third))]
    assert len(remembered(server)) == 3


def test_two_who_begin_alike_and_go_on_differently_are_two(
    server: Served, endpoint: LoopbackServer
):
    endpoint.answer = lambda _: "Good evening to you, whoever you may be out there."
    reply = said(ask(server, "Hi"))
    ask(server, "Hi")
    anna = ask(server, "Hi", reply, "I am called Anna and keep goats.")
    bert = ask(server, "Hi", reply, "What am I called, do you know?")
    assert anna["offbook"]["session"] != bert["offbook"]["session"]
    assert not any("Anna" in content for content in shown(endpoint)[1:-1])


def test_a_reply_made_anew_takes_the_place_of_the_other(server: Served):
    first = said(ask(server, QUESTION))
    old = ask(server, QUESTION, first, MORE)
    new = ask(server, QUESTION, first, MORE)
    assert old["offbook"]["session"] == new["offbook"]["session"]
    assert said(old) != said(new)
    assert stored(server) == [[(QUESTION, first), (MORE, said(new))]]
    assert sorted(remembered(server)) == sorted([(QUESTION, first), (MORE, said(new))])


def test_a_reply_that_is_to_be_more_concise_takes_the_place_of_the_other(server, endpoint):
    old = ask(server, QUESTION)
    new = ask(server, QUESTION, said(old), "More Concise")
    *before, last = shown(endpoint)
    assert len(before) == 1, "the words that are answered have no history"
    assert [last.count(each) for each in (QUESTION, said(old), "More Concise")] == [1, 1, 1]
    assert stored(server) == [[(QUESTION, said(new))]]
    assert remembered(server) == [(QUESTION, said(new))]
    # From then on Open WebUI sends the new one only, and sends no name of the chat by itself.
    further = ask(server, QUESTION, said(new), MORE)
    assert {each["offbook"]["session"] for each in (old, new, further)} == {
        old["offbook"]["session"]
    }


def test_whoever_goes_on_from_the_other_reply_has_it_back(server: Served):
    first = said(ask(server, QUESTION))
    old = said(ask(server, QUESTION, first, MORE))
    ask(server, QUESTION, first, MORE)
    last = said(ask(server, QUESTION, first, MORE, old, LAST))
    assert stored(server) == [[(QUESTION, first), (MORE, old), (LAST, last)]]
    assert sorted(remembered(server)) == sorted([(QUESTION, first), (MORE, old), (LAST, last)])


def test_an_edited_reply_makes_a_branch_of_the_same_conversation(server: Served):
    first = ask(server, QUESTION)
    second = ask(server, QUESTION, said(first), MORE)
    edited = "He was drowned in the gale, and I will not speak of it."
    third = ask(server, QUESTION, said(first), MORE, edited, LAST)
    assert third["offbook"]["session"] == first["offbook"]["session"]
    assert stored(server) == [[(QUESTION, said(first)), (MORE, edited), (LAST, said(third))]]
    assert (MORE, said(second)) not in remembered(server)
    assert (MORE, edited) in remembered(server)


def test_an_edited_question_makes_a_branch_of_the_same_conversation(server: Served):
    first = ask(server, QUESTION)
    ask(server, QUESTION, said(first), MORE)
    other = ask(server, QUESTION, said(first), LAST)
    assert other["offbook"]["session"] == first["offbook"]["session"]
    assert stored(server) == [[(QUESTION, said(first)), (LAST, said(other))]]


def test_a_history_from_elsewhere_is_kept_and_not_remembered(server: Served, endpoint):
    made = ask(server, "Do you like tea?", "Tea is for the mainland.", QUESTION)
    assert stored(server) == [
        [("Do you like tea?", "Tea is for the mainland."), (QUESTION, said(made))]
    ]
    assert remembered(server) == [(QUESTION, said(made))]
    assert "Tea is for the mainland." in shown(endpoint)
    again = ask(server, "Do you like tea?", "Tea is for the mainland.", QUESTION, said(made), MORE)
    assert again["offbook"]["session"] == made["offbook"]["session"]


def test_one_greeting_is_the_beginning_of_many_conversations(server: Served):
    greeting = {"role": "assistant", "content": "The lamp is lit. Who is there?"}
    first = ask(server, greeting, {"role": "user", "content": QUESTION})
    second = ask(server, greeting, {"role": "user", "content": QUESTION})
    assert first["offbook"]["session"] != second["offbook"]["session"]
    third = ask(
        server,
        greeting,
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": said(first)},
        {"role": "user", "content": MORE},
    )
    assert third["offbook"]["session"] == first["offbook"]["session"]
    assert not any(said == "" for said, _ in remembered(server))


def test_a_client_that_cuts_off_the_head_of_a_long_history_goes_on(server: Served):
    told: list[str] = [QUESTION]
    for number in range(4):
        made = ask(server, *told)
        told += [said(made), f"Tell me more of the gales, and of number {number}."]
    cut = ask(server, *told[2:])
    assert cut["offbook"]["session"] == made["offbook"]["session"]
    assert len(stored(server)) == 1
    assert len(stored(server)[0]) == 5


def test_conversations_have_names_of_clients(server: Served):
    for name in ("x-session-id", "x-openwebui-chat-id"):
        one = ask(server, "Hi", headers={name: "porch"})
        two = ask(server, "Hi", said(one), QUESTION, headers={name: "porch"})
        assert one["offbook"]["session"] == two["offbook"]["session"] == "porch"
    named = ask(server, QUESTION, metadata={"session_id": "attic"})
    assert named["offbook"]["session"] == "attic"
    for sent, known in (("屋根裏/💡".encode(), "屋根裏/💡"), (b"caf\xe9", "café")):
        told = ask(server, QUESTION, headers={"x-session-id": sent})
        assert told["offbook"]["session"] == known


def test_a_named_conversation_goes_on_without_its_history(server: Served, endpoint):
    told = {"x-session-id": "game"}
    first = said(ask(server, QUESTION, headers=told))
    second = said(ask(server, MORE, headers=told))
    assert stored(server) == [[(QUESTION, first), (MORE, second)]]
    assert first in shown(endpoint)


def at_once(server: Served, endpoint: LoopbackServer, *words: str) -> list[str]:
    """Replies in one conversation to words that come before any of them is answered."""
    endpoint.gather(len(words), path="/chat/completions")
    told = {"x-session-id": "game"}
    with ThreadPoolExecutor(len(words)) as pool:
        return list(pool.map(lambda each: said(ask(server, each, headers=told)), words))


@pytest.mark.parametrize("begun", [False, True])
def test_words_that_come_at_once_follow_one_another(server: Served, endpoint, begun):
    known = []
    if begun:
        known = [(QUESTION, said(ask(server, QUESTION, headers={"x-session-id": "game"})))]
    words = [f"And what became of the boat in {year}?" for year in (1880, 1881, 1882)]
    replies = at_once(server, endpoint, *words)
    (talk,) = stored(server)
    assert talk[: len(known)] == known
    assert sorted(talk[len(known) :]) == sorted(zip(words, replies, strict=True))


def test_the_same_words_at_once_are_answered_once(server: Served, endpoint: LoopbackServer):
    first = said(ask(server, QUESTION, headers={"x-session-id": "game"}))
    replies = at_once(server, endpoint, MORE, MORE)
    (talk,) = stored(server)
    assert talk[0] == (QUESTION, first)
    assert [words for words, _ in talk] == [QUESTION, MORE]
    assert talk[1][1] in replies


def test_a_named_first_message_once_more_is_answered_anew(server: Served):
    told = {"x-session-id": "game"}
    ask(server, QUESTION, headers=told)
    new = said(ask(server, QUESTION, headers=told))
    assert stored(server) == [[(QUESTION, new)]]


def test_a_chat_of_open_webui_is_what_it_sends(server: Served):
    told = {"x-openwebui-chat-id": "c1"}
    ask(server, QUESTION, headers=told)
    edited = said(ask(server, MORE, headers=told))
    assert stored(server) == [[(MORE, edited)]]


@pytest.mark.parametrize(
    "how",
    [
        {"user": "anna"},
        {"safety_identifier": "anna"},
        {"headers": {"x-openwebui-user-id": "anna"}},
        {"model": f"{MODEL}@anna"},
    ],
    ids=["user", "safety_identifier", "open-webui", "model"],
)
def test_a_person_is_named_inside_of_the_principal(server: Served, how):
    first = ask(server, QUESTION, **how)
    assert first["offbook"]["user"] == "anna"
    assert len(stored(server, "owner/anna")) == 1
    stranger = ask(server, QUESTION, said(first), MORE, user="bert")
    assert stranger["offbook"]["session"] != first["offbook"]["session"]
    assert len(stored(server, "owner/anna")[0]) == 1


def test_nobody_sees_the_conversation_of_another_by_its_name(server: Served, endpoint):
    told = {"x-session-id": "secret"}
    ask(server, "The key is under the third stone.", user="anna", headers=told)
    ask(server, "Where is the key, then?", user="bert", headers=told)
    assert not any("third stone" in content for content in shown(endpoint))


def test_memories_of_one_person_are_not_recalled_for_another(tmp_path):
    settings = settings_in(tmp_path, method="ensemble")  # "naive" recalls no memories at all
    asyncio.run(with_ada(settings))
    with Served(settings) as served:
        ask(served, "My goat Berta eats only thistles and old rope.", user="anna")

        def recalled(person: str) -> bool:
            found = ask(served, "What does the goat Berta eat, do you recall?", user=person)
            return any("thistles" in item["text"] for item in found["offbook"]["context"])

        # It is embedded behind the conversation.
        until(lambda: recalled("anna"), "what anna has told")
        assert not recalled("bert")


def test_swipes_are_kept_side_by_side_and_any_can_be_gone_on_from(server: Served):
    made = ask(server, QUESTION, n=3)
    texts = [said(made, index) for index in range(3)]
    assert len(set(texts)) == 3
    assert stored(server) == [[(QUESTION, texts[0])]]
    assert remembered(server) == [(QUESTION, texts[0])]
    later = said(ask(server, QUESTION, texts[2], MORE))
    assert stored(server) == [[(QUESTION, texts[2]), (MORE, later)]]
    assert sorted(remembered(server)) == sorted([(QUESTION, texts[2]), (MORE, later)])


def test_a_reply_that_is_gone_on_with_is_one_reply(server: Served, endpoint: LoopbackServer):
    first = said(ask(server, QUESTION))
    endpoint.answer = lambda _: " He drowned, and the sea kept him."
    rest = said(ask(server, QUESTION, first, MORE, "I will tell you."))
    assert rest == "He drowned, and the sea kept him."
    assert stored(server)[0][-1] == (MORE, f"I will tell you.{rest}")
    assert "I will tell you." in shown(endpoint)[-1]
    assert shown(endpoint)[-1].count(MORE) == 1
