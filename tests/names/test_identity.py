"""Keys of equal names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.names.identity import name_key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("  Zoë  O’Hara ", "zoe ohara"),
        ("MR. WREN", "mr wren"),
        ("_Wren_", "wren"),
        ("Jean-Luc", "jean luc"),
        ("孙悟空", "孙悟空"),
        ("Ｗｒｅｎ", "wren"),
        ("?!", ""),
    ],
)
def test_keys(name, key):
    assert name_key(name) == key


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(name):
    assert name_key(name_key(name)) == name_key(name)
