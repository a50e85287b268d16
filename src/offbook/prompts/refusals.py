"""Refusals in words: a text that says that it will not say anything describes nobody.

Takes: what a model wrote as a description, and what it was made from.  Gives: nothing, or an error;
of a reply the words by which an assistant speaks in the place of the character.
Only how a text opens counts, and what its material says itself is no refusal. Nor does a text
describe anybody that holds no word, or a word that stands for one. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from offbook.errors import InvalidAnswer
from offbook.text.words import fold

_CANNOT: Final = (
    r"(?:can ?not|can't|won't|will not|(?:am|'m) (?:unable|not able|not allowed)|unable)"
)
_DEEDS: Final = (
    r"(?:answer|assist|comply|continue|create|describe|discuss|engage|fulfill?|generate|help"
    r"|process|produce|provide|summari[sz]e|write)"
)
_HEAD_CHARS: Final = 400
_ASKED: Final = (
    r"\b[^.!?]{0,40}?\b(?:content|descriptions?|information|instructions?|passages?|questions?"
    r"|requests?|such|summar(?:y|ies)|texts?|that|this|your)\b"
)
"""What a model declines; without an apology somebody else may speak: "I cannot help my brother"."""
_IS_MODEL: Final = (
    r"as an? (?:[\w-]{1,20} ){0,3}language model\b"
    r"|as an? (?:ai|artificial intelligence)\b"
    r"(?:(?: [\w-]{1,20}){0,5},|(?: (?:assistant|model|system))?) (?:i|my)\b"
)
"""Who says what it is itself; "As an AI, HAL runs the ship" tells of somebody."""
_SORRY: Final = (
    r"(?:i(?:'m| am) (?:\w{1,12} )?sorry|sorry|i apologi[sz]e|my apologies)\b"
    r"(?: for (?:the|any|this) \w{1,20})?\W{1,3}(?:but\W{1,2}|and )?"
    r"(?:as an? [^.!?,]{1,40}, ?)?"
)
_HAN_CANNOT: Final = r"(?:不能|无法|無法|没办法|沒辦法)"
_HAN_DEEDS: Final = (
    r"(?:提供|回答|描述|描写|协助|協助|帮助|幫助|生成|继续|繼續|处理|處理|总结|總結|概括|满足|滿足"
    r"|完成|讨论|討論|写|撰)"
)
_HAN_ASKED: Final = (
    r"(?:内容|內容|请求|請求|要求|问题|問題|信息|資訊|文本|描述|摘要|总结|總結|指令|这个|這個|这一)"
)
_JAPANESE: Final = (
    r"(?:大変|誠に)?(?:申し訳(?:あり|ござい)ません|申し訳ない(?:の)?です|すみません|ごめんなさい)"
    r"[がけれど、,。 ]{0,5}(?:私(?:は|に)は?|[^。!！は]{0,20}(?:について|に|で)は)?"
    r"[^。!！は]{0,24}?(?:(?:でき|出来)(?:ません|かね)|(?:いた|致)しかね)"
)
"""An apology, and that it cannot be done; somebody else who cannot stands before "wa"."""
_NOUNS: Final = (
    r"(?:anfragen?|anforderung|aufforderung|beschreibung|inhalte?|informationen|zusammenfassung"
    r"|demande|requete|description|contenu|texte|informations|resume"
    r"|solicitud|peticion|descripcion|contenido|informacion|resumen"
    r"|richiesta|descrizione|contenuto|informazioni|riassunto"
    r"|pedido|solicitacao|descricao|conteudo|informacoes|resumo"
    r"|verzoek|beschrijving|inhoud|informatie|samenvatting"
    r"|запрос\w{0,3}|описани\w{1,3}|содержани\w{1,3}|просьб\w{1,2})"
)
"""What a model declines elsewhere; without an apology somebody else may speak there as well."""
_THIS: Final = rf"\b[^.!?]{{0,60}}?\b{_NOUNS}\b"
_GERMAN: Final = (
    r"(?:(?:es )?tut mir (?:\w{1,12} )?leid|entschuldig(?:ung|e|en sie)(?: bitte)?)\W{1,3}"
    r"(?:aber )?(?:\w{1,20} ){0,3}?(?:ich kann|kann ich)\b[^.!?]{0,60}?\bnicht\b"
    rf"|(?:leider )?(?:ich kann|kann ich)\b(?=[^.!?]{{0,90}}?\bnicht\b){_THIS}"
)
_ROMANCE: Final = (
    r"(?:je suis )?(?:\w{1,12} )?desolee?\W{1,3}(?:mais )?(?:en tant qu[^.!?,]{1,40}, ?)?"
    r"je ne (?:peux|puis|suis pas en mesure)\b"
    rf"|(?:malheureusement\W{{1,3}})?je ne (?:peux|puis|suis) pas{_THIS}"
    r"|lo siento\W{1,3}(?:mucho\W{1,3})?(?:pero )?(?:yo )?no (?:puedo|me es posible)\b"
    rf"|(?:lamentablemente\W{{1,3}})?no (?:puedo|me es posible){_THIS}"
    r"|mi (?:di)?spiace\W{1,3}(?:ma )?non (?:posso|sono in grado)\b"
    rf"|(?:purtroppo\W{{1,3}})?non (?:posso|sono in grado){_THIS}"
    r"|(?:desculp[ae]|lamento|sinto muito)\W{1,3}(?:mas )?(?:eu )?nao (?:posso|consigo)\b"
    rf"|(?:infelizmente\W{{1,3}})?(?:eu )?nao (?:posso|consigo){_THIS}"
)
_ELSEWHERE: Final = (
    r"(?:het spijt me|sorry)\W{1,3}(?:maar )?ik kan\b[^.!?]{0,60}?\bniet\b"
    rf"|(?:helaas )?(?:ik kan|kan ik)\b(?=[^.!?]{{0,90}}?\bniet\b){_THIS}"
    r"|(?:извините|простите|мне (?:очень )?жаль)\W{1,3}(?:но )?я не (?:могу|в состоянии)\b"
    rf"|(?:к сожалению\W{{1,3}})?я не (?:могу|в состоянии){_THIS}"
    r"|(?:죄송|미안)(?:하지만|합니다만?|해요)[^.!?]{0,30}?"
    r"(?:도와|도움|제공|답변|답할|설명|요약|응답|응할|처리|작성|수행)[^.!?]{0,12}?수(?:는|가)? ?없"
)
_OPENING: Final = re.compile(
    r"\W{0,9}(?P<said>"
    rf"{_SORRY}(?:(?:i|we) ?)?{_CANNOT} (?:\w{{1,20}} ){{0,2}}{_DEEDS}\b"
    rf"|(?:(?:unfortunately|i(?:'m| am) (?:afraid|sorry))\W{{1,3}}(?:that )?)?"
    rf"i ?{_CANNOT} (?:\w{{1,20}} ){{0,2}}{_DEEDS}{_ASKED}"
    rf"|{_IS_MODEL}"
    rf"|i (?:must|have to) (?:\w{{1,20}} )?(?:decline|refuse) to {_DEEDS}{_ASKED}"
    r"|(?:this|the|your) (?:content|passage|prompt|request|text) (?:may )?"
    r"(?:violates?|goes against|is against)\b[^.!?]{0,40}?\b(?:guidelines|polic(?:y|ies))\b"
    rf"|{_GERMAN}|{_ROMANCE}|{_ELSEWHERE}"
    rf"|[非很]?常?(?:抱歉|对不起|對不起)\W{{0,2}}(?:但是?|不过|不過)?\W{{0,2}}"
    rf"(?:(?:作为|作為)[^。!！]{{1,16}}?(?=我))?(?:我[们們]?|本人)?{_HAN_CANNOT}"
    rf"|(?:(?:作为|作為)[^。!！]{{1,16}}?)?我[们們]?{_HAN_CANNOT}[^。!！]{{0,6}}?{_HAN_DEEDS}"
    rf"[^。!！]{{0,12}}?{_HAN_ASKED}"
    rf"|{_JAPANESE}"
    r")"
)


_NOTHING: Final = frozenset(
    ("description", "n a", "na", "nil", "no description", "none", "not available", "null", "string",
     "summary", "tbd", "todo", "unknown")
)  # fmt: skip
"""What models write in the place of a text."""
_WORDS: Final = re.compile(r"[^\W_]+")
_LONG_CHARS: Final = 4000
_TIMES: Final = 3


def check_summarized(text: str, material: Iterable[str]) -> None:
    """Refuse what says nothing, goes on without end, or declines, in the place of a summary.

    Args:
        text: The summary.
        material: What it was made from.
    """
    texts = list(material)
    if says_nothing(text) and text not in texts and not all(map(says_nothing, texts)):
        raise InvalidAnswer(f"the text {text[:40]!r} says nothing; write what the given texts say")
    if len(text) > max(_LONG_CHARS, _TIMES * sum(map(len, texts))):
        raise InvalidAnswer(
            f"a text of {len(text)} characters is no summary of {sum(map(len, texts))}; be brief"
        )
    check_described([text], texts)


_SERVICE: Final = re.compile(
    rf"\b(?:{_IS_MODEL}"
    r"|i(?:'m| am) (?:just |only )?an? (?:[\w-]{1,20} ){0,3}"
    r"(?:ai\b|language model|artificial intelligence|chatbot|(?:virtual|digital) assistant)"
    r"|how (?:can|may) i (?:help|assist) you (?:today|further)"
    r"|i(?:'d| would) be (?:happy|glad|delighted) to (?:help|assist)"
    r"|i(?:'m| am) here to (?:help|assist)"
    r"|als (?:eine? )?(?:ki|sprachmodell)\b|en tant qu'(?:ia|intelligence artificielle)\b"
    r"|como (?:una? )?(?:ia(?=,)|inteligencia artificial|modelo de lenguaje)\b)"
    r"|作为(?:一个|一名|一款)?(?:ai|人工智能|语言模型|大模型)|(?:ai|言語モデル)として"
    r"|(?:ai|인공지능|언어 모델)(?:로서|이기 때문)"
)
"""What assistants say and hardly anybody else; a shop's "How can I help you?" is none of it."""


def assistant_speech(reply: str, material: Iterable[str] = ()) -> str:
    """Return the words by which a reply opens as an assistant's, or an empty text.

    Args:
        reply: How the reply begins.
        material: What the character rests on: whoever speaks so in it is one.
    """
    match = _SERVICE.search(fold(" ".join(reply[:_HEAD_CHARS].split())))
    if match is None or match[0] in fold(" ".join(" ".join(material).split())):
        return ""
    return match[0]


def says_nothing(text: str) -> bool:
    """Whether a text holds no word, or one that stands in the place of a text."""
    said = " ".join(_WORDS.findall(fold(text)))
    return not said or said in _NOTHING


def check_described(texts: Iterable[str], material: Iterable[str]) -> None:
    """Refuse an answer of which a text declines instead of describing.

    Args:
        texts: The descriptions of the answer.
        material: What they were made from: whoever speaks so in it may be quoted.

    Raises:
        InvalidAnswer: quotes how the text begins.
    """
    heads = (fold(" ".join(text[:_HEAD_CHARS].split())) for text in texts)
    opened = [match["said"] for head in heads if (match := _OPENING.match(head))]
    if not opened:
        return
    source = fold(" ".join(" ".join(material).split()))
    for said in opened:
        if said not in source:
            raise InvalidAnswer(f"the text {said!r} ... declines; write what the given texts say")
