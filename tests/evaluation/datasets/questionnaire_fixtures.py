"""Two small questionnaires of our own, in InCharacter's form."""

from typing import Any

MBTI_FILE = {
    "name": "16Personalities",
    "reverse": [1],
    "questions": {
        "7": {
            "rewritten_en": "Do you tidy?",
            "rewritten_zh": "你收拾吗？",
            "origin_en": "You tidy.",
            "origin_zh": "你收拾。",
            "dimension": "P/J",
            "category": "J",
        },
        "2": {
            "rewritten_en": "Do you roam?",
            "rewritten_zh": "你闲逛吗？",
            "origin_en": "You roam.",
            "origin_zh": "你闲逛。",
            "dimension": "P/J",
            "category": "P",
        },
    },
}


BFI_FILE: dict[str, Any] = {
    "name": "BFI",
    "questions": {
        "1": {
            "rewritten_en": "Do you sing?",
            "rewritten_zh": "你唱歌吗？",
            "origin_en": "Sings.",
            "origin_zh": "唱歌。",
            "dimension": "Openness",
            "category": "negative",
        }
    },
}
