"""The offline reply in Chinese, Japanese and Korean: shorter and plainer, and no less honest.

Takes: the inputs of the reply prompt.  Gives: the sentences that share most pairs of characters
with the question, the character's name replaced by "I" where that is safe, or a plain refusal.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from offbook.language.words import search_terms
from offbook.models.offline.evidence import Evidence, gather
from offbook.prompts.reply import ReplyInputs
from offbook.types import ContextItem

Language = Literal["en", "zh", "ja", "ko"]

_HANGUL: Final = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_KANA: Final = re.compile(r"[\u3041-\u30ff]")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_QUOTED: Final = re.compile(r"[“\"「『《〈‘].*?[”\"」』》〉’]")
_SUPPORT: Final = 0.3
_DECLINE: Final = {
    "zh": "这件事我不知道，也不愿随口乱说。",
    "ja": "それについては、私は何も知りません。",
    "ko": "그것에 대해서는 나는 아는 바가 없습니다.",
}
_OUTSIDE: Final = {
    "zh": "“{it}”是什么，我从未听说过。",
    "ja": "「{it}」というものは、聞いたことがありません。",
    "ko": "‘{it}’? 나는 들어 본 적이 없습니다.",
}
_OTHER_LANGUAGE: Final = {
    "zh": "我的记忆是用另一种文字写下的，用这些话问，我找不到答案。",
    "ja": "私の記憶は別の言葉で書かれていて、その問いの答えは見つかりません。",
    "ko": "내 기억은 다른 언어로 적혀 있어서, 그 물음에는 답을 찾지 못하겠습니다.",
}
_GREETING: Final = {
    "zh": (
        re.compile(r"^(?:你好|您好|嗨|早上好|晚上好|大家好)[啊呀吗！!。,，]*$"),
        "你好，我是{name}。",
    ),
    "ja": (
        re.compile(r"^(?:こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして)[！!。]*$"),
        "こんにちは。{name}です。",
    ),
    "ko": (
        re.compile(r"^안녕(?:하세요|하십니까)?[!.?？]*$"),
        "안녕하세요. 나는 {name}입니다.",
    ),
}
_IDENTITY: Final = {
    "zh": (
        re.compile(r"你(?:是谁|叫什么|的名字)"),
        "我是{name}。",
    ),
    "ja": (
        re.compile(r"(?:あなた|君)(?:は|の)(?:誰|だれ|名前|お名前)|お名前は"),
        "私は{name}です。",
    ),
    "ko": (
        re.compile(r"(?:누구(?:세요|십니까|야|예요)|이름(?:이|은) (?:뭐|무엇))"),
        "나는 {name}입니다.",
    ),
}
_SELF: Final = {"zh": "我", "ja": "私", "ko": "나"}
_KOREAN_PARTICLES: Final = (
    ("에게서", "나에게서"),
    ("에게", "나에게"),
    ("은", "나는"),
    ("는", "나는"),
    ("이", "내가"),
    ("가", "내가"),
    ("을", "나를"),
    ("를", "나를"),
    ("의", "나의"),
    ("과", "나와"),
    ("와", "나와"),
    ("도", "나도"),
)


_QUESTION_WORDS: Final = re.compile(
    r"什么|关系|和|与|跟|怎么|怎样|为什么|哪里|哪儿|哪个|谁|何时|多少|几|吗|呢|请|告诉|知道|觉得|认为|关于|如何"
    r"|ですか|ますか|でしたか|ましたか|どこ|いつ|なぜ|どうして|だれ|誰|何|どう|について|教えて"
    r"|무엇|무슨|어디|언제|누가|누구|왜|어떻게|얼마|입니까|습니까|나요|세요|까요|당신|너는|네가|你|您|あなた|君"
)


def language_of(text: str) -> Language:
    """The language by its script: a fifth of the letters decides, Hangul and Kana first."""
    letters = len(_LETTER.findall(text)) or 1
    if 5 * len(_HANGUL.findall(text)) >= letters:
        return "ko"
    wide = len(_KANA.findall(text)) + len(_HAN.findall(text))
    if 5 * wide < letters:
        return "en"
    return "ja" if 5 * len(_KANA.findall(text)) >= wide else "zh"


def is_greeting(text: str) -> bool:
    """Whether a text in one of these languages is a greeting and nothing else."""
    language = language_of(text)
    return language in _GREETING and bool(_GREETING[language][0].search(text.strip()))


def reply_wide(inputs: ReplyInputs, language: Language) -> str:
    """What the character says in ``language``."""
    question = inputs.question.strip()
    for pattern, answer in (_GREETING[language], _IDENTITY[language]):
        if pattern.search(question):
            return answer.format(name=inputs.character)
    outside = [item.title for item in inputs.context if item.kind == "out_of_scope"]
    if outside:
        return _OUTSIDE[language].format(it=outside[0]) if outside[0] else _DECLINE[language]
    known = [item for item in inputs.context if item.kind != "out_of_scope"]
    if inputs.profile:
        known.append(ContextItem("profile", "", inputs.profile, 0.0))
    evidence = gather(known)
    said = "\n".join(message.content for message in inputs.history)
    found = _best(evidence, question, inputs.character, said)
    if found:
        between = " " if language == "ko" else ""  # the others write no blanks
        return between.join(_first_person(text, inputs.character, language) for text in found)
    if known and language_of(known[0].text) == "en":
        return _OTHER_LANGUAGE[language]
    return _DECLINE[language]


def _best(evidence: Evidence, question: str, character: str, said: str) -> list[str]:
    """At most two sentences that share enough with the question, in the order of the text."""
    own = set(search_terms(character))
    asked = set(search_terms(_QUESTION_WORDS.sub(" ", question))) - own
    if not asked:
        return []
    scored = []
    for index, sentence in enumerate(evidence.sentences):
        shared = sum(
            1.0 / evidence.frequency[term] ** 0.5 for term in asked if sentence.counts[term]
        )
        share = sum(term in sentence.counts for term in asked) / len(asked)
        if share >= _SUPPORT and not sentence.is_heading and sentence.text not in said:
            scored.append((-shared, index))
    if not scored:
        return []
    best = sorted(scored)[:2]
    kept = [index for score, index in best if score <= 0.6 * best[0][0]]
    return [evidence.sentences[index].text.strip() for index in sorted(kept)]


def _first_person(text: str, character: str, language: Language) -> str:
    """The name replaced by "I" outside quotations; pronouns are left as they are."""
    if character not in text:
        return text
    parts: list[str] = []
    at = 0
    for match in _QUOTED.finditer(text):
        parts.extend((_replace(text[at : match.start()], character, language), match.group()))
        at = match.end()
    parts.append(_replace(text[at:], character, language))
    return "".join(parts)


def _replace(text: str, character: str, language: Language) -> str:
    if language == "ko":
        for particle, mine in _KOREAN_PARTICLES:
            text = re.sub(rf"(?<!\w){re.escape(character)}{particle}(?!\w)", mine, text)
        return text
    # A name that another character of the same script continues may be part of a longer name.
    follows = r"(?![·・])"
    return re.sub(rf"(?<![·・]){re.escape(character)}{follows}", _SELF[language], text)
