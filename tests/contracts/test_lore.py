"""What every reader of lorebooks promises, whatever it looks for."""

from __future__ import annotations

import json

import numpy as np
import pytest

from offbook import registry
from offbook.protocols import Lore
from offbook.types import Character, LoreFile, LoreQuery

TEXT = "# Lore\n\n## Wat\n\nWat drowned.\n\n## Oath\n\nThe oath is old.\n"
ENTRIES = [
    {"keys": ["wat"], "content": "Wat drowned.", "enabled": True, "name": "Wat"},
    {"keys": ["oath"], "content": "The oath is old.", "enabled": True, "name": "Oath"},
]


@pytest.mark.parametrize("name", registry.names("lore"))
@pytest.mark.parametrize(("budget", "most"), [(0, 0), (2, 1), (99, 2)])
def test_entries_fit_the_budget_and_say_where_they_stand(name, budget, most):
    file = LoreFile(json.dumps({"entries": ENTRIES}), "d1", TEXT, 1)
    lore: Lore = registry.load("lore", name)(
        Character("ada", "Ada", "2026-01-01"),
        [file],
        lambda texts: np.zeros((len(texts), 2), np.float32),
    )
    query = LoreQuery("Wat's oath?", (), "Wat's oath?", budget_tokens=budget)
    entries = lore.recall(query, lambda text: len(text.split()))
    assert sum(len(item.text.split()) for item in entries.items) <= budget
    assert len(entries.items) + len(entries.skipped) == 2
    assert len(entries.items) <= most
    for item in entries.items:
        (source,) = item.sources
        assert TEXT[source.start : source.end] == item.text
