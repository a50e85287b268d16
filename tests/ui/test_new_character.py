"""Whom a text is about, as it is offered when a text is dropped."""

from __future__ import annotations

import pytest

from offbook.documents.readers import ReadDocument
from offbook.ui.new_character import name_in


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("ada.md", "# Ada Byrne\n\nShe keeps the light.", "Ada Byrne"),
        ("x.md", "# Ada Byrne (keeper)\n\nShe.", "Ada Byrne"),
        ("x.md", "# Ada Byrne: a life\n\nShe.", "Ada Byrne"),
        ("ada_byrne.txt", "She keeps the light.", "Ada Byrne"),
        ("notes-on-tom.txt", "# What we have found out about him so far\n\nHe.", "Notes On Tom"),
        ("ferry.txt", "# Chapter 1\n\nIt rained.", "Ferry"),
        ("李小龙.txt", "他。", "李小龙"),
    ],
)
def test_the_name_is_of_the_heading_or_the_file(file, text, name):
    assert name_in(ReadDocument(file, text, "text/markdown")) == name
