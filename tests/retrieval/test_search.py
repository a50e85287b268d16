"""Search over a small character in its three modes, with the embedded embedder."""

from __future__ import annotations

import pytest

from offbook.errors import IndexMissing, StoreFailed
from offbook.models.builtin import embed_texts
from offbook.retrieval.search import (
    DenseIndex,
    Hit,
    LexicalIndex,
    RetrievalMode,
    Searcher,
    encode_terms,
)

PASSAGES = {
    "birth": "The keeper was born on the island in the year of the great frost.",
    "mother": "Her mother mended nets and sang to the boats from the window.",
    "lamp": "Every evening she climbs one hundred and twelve steps to light the lamp.",
    "storm": "In the storm of the ninth winter three ships broke on the reef.",
    "books": "She reads old atlases, and owns a single novel without its last page.",
}
MODES: list[RetrievalMode] = ["dense", "lexical", "hybrid"]


def opened(passages: dict[str, str]) -> Searcher:
    ids, texts = list(passages), list(passages.values())
    return Searcher(
        DenseIndex(ids, embed_texts(texts)),
        LexicalIndex.from_blobs(ids, list(map(encode_terms, texts))),
    )


def found(searcher: Searcher, question: str, mode: RetrievalMode, k: int = 3) -> list[Hit]:
    return searcher.search(question, embed_texts([question])[0], mode=mode, k=k)


@pytest.mark.parametrize("mode", ["dense", "hybrid"])
def test_a_question_in_other_words_is_found_by_meaning(mode):
    searcher = opened(PASSAGES)
    assert found(searcher, "Which literature do you enjoy?", mode)[0].id == "books"
    assert found(searcher, "Which literature do you enjoy?", "lexical") == []


@pytest.mark.parametrize(
    ("passages", "question", "first"),
    [
        (
            {
                "老师": "她的老师是一位老钟表匠，教她修理座钟。",
                "家": "她住在河边的一间小屋里，养了两只猫。",
                "战争": "战争那年，她把父亲的怀表埋在梨树下。",
            },
            "谁教你修理座钟？",
            "老师",
        ),
        (
            {
                "스승": "그녀의 스승은 늙은 시계공이었고 시계 고치는 법을 가르쳤다.",
                "집": "그녀는 강가의 작은 집에서 고양이 두 마리와 산다.",
                "전쟁": "전쟁이 나던 해에 아버지의 회중시계를 배나무 아래 묻었다.",
            },
            "고양이는 몇 마리 키우나요?",
            "집",
        ),
        (
            {
                "先生": "彼女の先生は年老いた時計職人で、時計の直し方を教えた。",
                "家": "彼女は川辺の小さな家で二匹の猫と暮らしている。",
                "戦争": "戦争の年、父の懐中時計を梨の木の下に埋めた。",
            },
            "懐中時計はどこに埋めましたか",
            "戦争",
        ),
    ],
    ids=["Chinese", "Korean", "Japanese"],
)
@pytest.mark.parametrize("mode", MODES)
def test_other_scripts_are_found_without_a_download(mode, passages, question, first):
    assert found(opened(passages), question, mode)[0].id == first


def test_what_nobody_spoke_of_scores_next_to_nothing():
    searcher = opened(PASSAGES)
    known = found(searcher, "Which storm broke the three ships?", "hybrid")[0].score
    unknown = found(searcher, "How do you configure a Kubernetes cluster?", "hybrid")[0].score
    assert unknown < 0.1 < known


def test_equal_passages_come_in_their_own_order():
    searcher = opened({"a": "a grey cat", "b": "a grey cat", "c": "a grey cat"})
    for mode in MODES:
        assert [hit.id for hit in found(searcher, "grey cat", mode)] == ["a", "b", "c"]


@pytest.mark.parametrize("mode", ["dense", "hybrid"])
def test_a_mode_without_its_vectors_says_how_to_get_them(mode):
    lexical = LexicalIndex.from_blobs(["a"], [encode_terms("lamp")])
    with pytest.raises(IndexMissing) as caught:
        Searcher(lexical=lexical).search("lamp", None, mode=mode, k=1)
    assert "reembed" in caught.value.hint
    assert Searcher(lexical=lexical).search("lamp", None, mode="lexical", k=1)[0].id == "a"


def test_a_mode_without_its_terms_says_how_to_get_them():
    dense = DenseIndex(["a"], embed_texts(["lamp"]))
    with pytest.raises(IndexMissing, match="terms"):
        Searcher(dense).search("lamp", embed_texts(["lamp"])[0], mode="lexical", k=1)
    assert found(Searcher(dense), "lamp", "dense")[0].score == pytest.approx(1, abs=1e-6)


def test_indices_over_different_chunks_are_refused():
    with pytest.raises(StoreFailed, match="2 chunks have vectors"):
        Searcher(
            DenseIndex(["a", "b"], embed_texts(["x", "y"])),
            LexicalIndex.from_blobs(["a"], [b""]),
        )
