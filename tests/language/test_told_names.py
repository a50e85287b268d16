"""Sentences that say that two names are one person's, and those that only seem to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.language.told_names import told_names


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("The Duke of Low is the name under which Tom Wren travelled.", "duke of low=tom wren"),
        ("The Fox was really called Tom Wren.", "fox=tom wren"),
        ("Tom Wren plays Father Lane, an old priest.", "tom wren=father lane"),
        ("Tom Wren played the part of Father Lane.", "tom wren=father lane"),
        ("As Sindar the Pedlar, Tom received the envoy.", "sindar the pedlar=tom"),
        ("Tom Wren signed himself Sindar when he wrote.", "tom wren=sindar"),
        ("Tom Wren, who called himself Sindar, came.", "tom wren=sindar"),
        ("Tom Wren bought the farm under the name of Hugh Lane.", "tom wren=hugh lane"),
        ("Tom walked in the disguise of Father Lane.", "tom=father lane"),
        ("Tom Wren was a clerk and came back to us as the Duke of Low.", "tom wren=duke of low"),
        ("Ida recognised Tom Wren behind the mask of the Fox.", "tom wren=fox"),
        ("Father Lane rose and told Ida that he was Tom Wren.", "father lane=tom wren"),
        ("The guards called Tom Wren number 7.", "tom wren=number 7"),
        ("The village called Tom Wren the Fox.", "tom wren=fox"),
        ("Tom Wren, Duke of Low, bowed.", "tom wren=duke of low"),
        ("Ida, now Countess of Low, bowed.", "ida=countess of low"),
        ("Tom Wren had become a general and Duke of Low.", "tom wren=duke of low"),
        ("Hetty (Henny) Wren sang.", "hetty=henny"),
        ("'So it is you. Tom Wren is the Grey Fox!'", "tom wren=grey fox"),
        ("The Grey Fox was none other than Tom Wren, as she knew.", "grey fox=tom wren"),
    ],
)
def test_who_is_told_to_be_one(text, pair):
    assert tuple(pair.split("=")) in told_names(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tom Wren was not the Grey Fox.",
        "They said that Tom Wren was the Grey Fox.",
        "Tom Wren is the Grey Fox?",
        "Tom Wren was the Grey Fox of the village play.",
        "Tom Wren was the Lord Mayor.",
        "Tom Wren was the Prime Minister.",
        "Tom Wren was the Assistant Commissioner of Low.",
        "The English Ambassador was Tom Wren.",
        "The Grey Fox was Tom Wren's inn.",
        "Countess Ilse saw the pallor and called the Count a ghost.",
        "Herrera is the name of the father of Ida.",
        "Tom Wren plays the flute, an old one.",
        "When Tom Wren had eaten, a man stepped in and said that he was Hugh Lane.",
        "Tom came as the English clerk of a bank.",
        "Tom Wren of Low came to Anholt as a guest.",
        "Ida, Duke of Low, bowed.",
        "He bought the farm under the name of Hugh Lane.",
        "Tom Wren lived at number 5, Low Street.",
        "Ida recognised Tom Wren in the street.",
        "",
    ],
)
def test_nobody_is_told_to_be_another(text):
    assert told_names(text) == ()


@given(st.text(alphabet="TomWren aswhoclednmis,.()'7 -", max_size=120))
def test_any_text_gives_pairs_of_two_different_names(text):
    assert all(a and b and a != b for a, b in told_names(text))
