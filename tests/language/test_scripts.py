from __future__ import annotations

import pytest

from offbook.language.scripts import dominant_script


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Ludwig van Beethoven", "latin"),
        ("Ärger über Öl", "latin"),
        ("路德维希·范·贝多芬是德国作曲家", "cjk"),
        ("贝多芬 (Beethoven) 生于波恩", "cjk"),
        ("ベートーヴェンは作曲家である", "kana"),
        ("彼は波恩で生まれた。", "kana"),
        ("베토벤은 독일의 작곡가이다", "hangul"),
        ("Людвиг ван Бетховен", "cyrillic"),
        ("Λούντβιχ", "other"),
        ("לודוויג", "other"),
        ("", "other"),
        ("1770 – 1827 ...", "other"),
    ],
)
def test_the_main_script(text: str, script: str):
    assert dominant_script(text) == script


def test_long_texts_are_judged_by_samples():
    assert dominant_script("x" * 20_000_000) == "latin"
    assert dominant_script("a title\n" + "語" * 100_000) == "cjk"
