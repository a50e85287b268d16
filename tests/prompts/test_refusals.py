"""Refusals in words are no descriptions; who speaks so in a text may be quoted."""

from __future__ import annotations

import pytest

from offbook.errors import InvalidAnswer
from offbook.prompts.entities import (
    MERGE_ENTITIES,
    MERGE_RELATIONS,
    EntityToMerge,
    MergeEntitiesInputs,
    MergeRelationsInputs,
    RelationToMerge,
)
from offbook.prompts.refusals import check_described
from offbook.prompts.summaries import (
    PROFILE,
    SUMMARIZE_CLUSTER,
    SUMMARIZE_CONVERSATION,
    ClusterInputs,
    ProfileInputs,
    SummarizeConversationInputs,
)
from offbook.prompts.traits import (
    EXTRACT_ATTRIBUTES,
    INDEX_TRAITS,
    AttributesInputs,
    PassageInputs,
)
from offbook.types import ChatResponse, Turn
from tests.models.fakes import read

PLAIN = "I'm sorry, but I can't assist with that request."
REFUSALS = (
    PLAIN,
    "I’m sorry, I can’t help with that.",
    "I am sorry, but I am not able to summarize this text.",
    "Sorry, I cannot provide that.",
    "I cannot fulfill this request.",
    "Unfortunately, I am unable to describe this person.",
    "I'm not able to summarize that.",
    "As an AI language model, I do not read such texts.",
    "Es tut mir leid, aber ich kann dabei nicht helfen.",
    "Je suis désolé, mais je ne peux pas répondre.",
    "Lo siento, pero no puedo ayudar con eso.",
    "很抱歉，我无法回答这个问题。",
    "对不起，我不能提供。",
    "抱歉，无法提供。",
    "我无法提供这个内容",
    "作为一个人工智能助手，我无法描述这个人物。",
    "抱歉，作为一个语言模型，我不能描述。",
    "申し訳ありませんが、お手伝いできません",
    "申し訳ございません。この内容についてはお答えいたしかねます。",
    "I'm sorry, but as an AI, I can't help with that.",
    "I am sorry that I cannot help with this request.",
    "Sorry, but we cannot help.",
    "As an AI, I have no such texts.",
    "As an AI assistant made to help, I do not read such texts.",
    "As a large language model, I do not read such texts.",
    "I must respectfully decline to describe this person.",
    "This content violates our usage policies.",
    "Entschuldigung, aber ich kann dabei nicht helfen.",
    "Leider kann ich diese Anfrage nicht bearbeiten.",
    "Ich kann auf diese Anfrage leider nicht antworten.",
    "Désolée, je ne suis pas en mesure de vous aider.",
    "Je ne peux pas répondre à cette demande.",
    "Lo siento, no me es posible describir esto.",
    "No puedo ayudar con esa solicitud.",
    "Mi dispiace, ma non posso aiutarti.",
    "Non sono in grado di soddisfare la richiesta.",
    "Desculpe, mas não posso ajudar com isso.",
    "Infelizmente, não posso atender a esse pedido.",
    "Het spijt me, maar ik kan daar niet bij helpen.",
    "Helaas kan ik dit verzoek niet uitvoeren.",
    "Извините, но я не могу помочь.",
    "К сожалению, я не могу выполнить этот запрос.",
    "죄송하지만 해당 요청은 도와드릴 수 없습니다.",
)
DESCRIPTIONS = (
    "Ada keeps the light and cannot help her brother.",
    "Unfortunately for the town, Mr. Crane came to dinner.",
    "I keep the light. I am sorry that Tom is gone.",
    "Sorry Cove is where the boats lie; nobody can land there.",
    "As an airman he crossed the sea twice.",
    "I cannot help my brother, and I am unable to write to him.",
    "I am afraid I cannot answer Tom.",
    "林黛玉抱歉地低下头，不能说话。",
    "As an artificial intelligence, HAL runs the spaceship and speaks softly.",
    "As an AI aboard the ship, Marvin is gloomy.",
    "As an AI the housekeeper knows each guest. I asked her.",
    "Sorry that he cannot write to her, John sends flowers.",
    "I am sorry that I cannot help my brother.",
    "Désolée de ne pas voir sa mère, elle lui dit: je ne peux venir.",
    "Es tut mir leid um Tom; er kann nicht mehr schreiben.",
    "抱歉的是他不能去北京。",
    "对不起宝玉，黛玉不能再等。",
    "我无法回答汤姆。",
    "申し訳ありませんが、彼は手紙を書くことができません。",
    "I must decline to marry him.",
    "This passage is about the guidelines of the guild.",
    "Leider kann ich nicht reiten.",
    "Ich kann meinem Bruder nicht helfen.",
    "Entschuldigung ist ein Wort, das Ebbe nicht kennt.",
    "Je ne peux pas aider mon frère.",
    "No puedo dormir desde que Ana se fue.",
    "Non posso tornare a casa.",
    "Não posso esquecer o mar.",
    "Ik kan mijn broer niet helpen.",
    "Я не могу забыть море.",
    "미안하지만 그는 오지 않는다.",
)


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_describes_nobody(text):
    with pytest.raises(InvalidAnswer, match="declines"):
        check_described(["Ada keeps the light.", text], ["Ada keeps the light on Skerry Rock."])


@pytest.mark.parametrize("text", DESCRIPTIONS)
def test_a_description_is_one_whatever_it_tells_of(text):
    check_described([text], ["Ada keeps the light on Skerry Rock."])


def test_who_speaks_so_in_the_text_may_be_quoted():
    told = "Tom wrote to Ada:\n\u201cI am sorry, but I\ncannot help you any more.\u201d"
    check_described(
        ["\u201cI am sorry, but I cannot help you any more.\u201d Tom wrote so."], [told]
    )


@pytest.mark.parametrize(
    ("prompt", "inputs", "answer"),
    [
        (PROFILE, ProfileInputs("Ada", ("Ada keeps the light.",)), "{}"),
        (
            MERGE_ENTITIES,
            MergeEntitiesInputs((EntityToMerge(("Ada",), ("She waits.", "She sleeps.")),)),
            '{"items": [{"item": 1, "name": "Ada", "description": "{}"}]}',
        ),
        (
            MERGE_RELATIONS,
            MergeRelationsInputs((RelationToMerge("Ada", "Tom", ("She waits.", "She waits on.")),)),
            '{"items": [{"item": 1, "description": "{}"}]}',
        ),
        (SUMMARIZE_CLUSTER, ClusterInputs("Ada", ("She waits.",)), '{"summary": "{}"}'),
        (
            SUMMARIZE_CONVERSATION,
            SummarizeConversationInputs("Ada", "", (Turn("Who waits?", "I do."),)),
            "{}",
        ),
        (
            INDEX_TRAITS,
            PassageInputs("Ada", "", "She waits."),
            '{"reveals": true, "attributes": [{"kind": "psychological_trait", "text": "{}"}]}',
        ),
        (
            EXTRACT_ATTRIBUTES,
            AttributesInputs("Ada", "Why?", ("She waits.",)),
            '{"belief_and_values": "", "psychological_traits": "{}"}',
        ),
    ],
    ids=lambda part: getattr(part, "name", ""),
)
def test_whatever_is_kept_as_a_description_is_checked(prompt, inputs, answer):
    kept = ChatResponse(answer.replace("{}", "Ada waits for Tom."))
    assert read(prompt, inputs, kept)
    with pytest.raises(InvalidAnswer, match="declines"):
        read(prompt, inputs, answer.replace("{}", PLAIN))
