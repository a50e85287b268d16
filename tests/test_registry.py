"""The registry: names to implementations, loaded when asked for."""

import subprocess
import sys
from typing import Any

import pytest

from offbook import registry
from offbook.errors import UnknownName
from offbook.protocols import Method


@pytest.mark.parametrize("name", registry.names("method"))
def test_every_listed_method_exists_and_carries_its_name(name):
    method: Method[Any] = registry.load("method", name)()
    assert method.name == name


def test_an_unknown_name_lists_the_known_ones_and_the_nearest():
    with pytest.raises(UnknownName) as caught:
        registry.load("method", "nave")
    assert "'naive'" in caught.value.hint
    assert "vanilla, profile, naive" in caught.value.hint
    with pytest.raises(UnknownName) as caught:
        registry.load("method", "zzz")
    assert caught.value.hint.startswith("known: ")


def test_a_kind_without_entries_is_empty():
    assert registry.names("nothing of the kind") == []


@pytest.mark.long
def test_the_list_of_names_loads_no_implementation():
    code = (
        "import sys; from offbook import registry; registry.names('method'); "
        "print([m for m in sys.modules if m.startswith('offbook.methods')])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
