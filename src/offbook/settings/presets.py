"""What a preset sets where nothing else does; every difference is a named setting.

Takes: nothing.  Gives: ``PRESETS``, for all methods, and ``OF_METHODS``, for one.
Paper: RoleRAG (001), AMADEUS (003), Emotional RAG (004), and those of the methods that they are
compared with; docs/methods.md, "Presets".
"""

from __future__ import annotations

from typing import Any, Final

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "default": {},
    "faithful": {
        "reply.style": False,
        "context.voice_samples": 0,
        "context.budget_tokens": 30_000,
        "context.life_tokens": 0,
        "retrieval.mode": "dense",
        "retrieval.follow_up": False,
        "naive.splitter": "recursive",
        "crag.splitter": "recursive",
        "adaptive.splitter": "recursive",
        "raptor.splitter": "recursive",
        "graph.boundaries": "window",
        "graph.window": 0,
        "graph.dates": True,
        "graph.by_name": False,
        "graph.homonyms": False,
        "graph.once": False,
        "graph.who_is_who": False,
        "graph.verify": False,
        "graph.join_words": 0,
        "rolerag.hyde": "separate",
        "rolerag.parts_of_names": False,
        "rolerag.unmentioned": "out",
        "rolerag.source_chunks": 0,
        "amadeus.profile": False,
        "amadeus.window": 2,
        "adaptive.own_knowledge": True,
        "adaptive.k": 6,
        "adaptive.steps": 8,
        "adaptive.most": 15,
        "adaptive.search_by": "thought",
        "crag.k": 10,
        "crag.rewrite": True,
        "crag.strip": 3,
        "crag.strips": 10,
        "lightrag.k": 60,
        "lightrag.neighbours": 200,
        "lightrag.description_tokens": 500,
        "lightrag.source_chunks": 50,
        "emotional.centred": False,
        "emotional.mood": 0.0,
    },
}

OF_METHODS: Final[dict[str, dict[str, dict[str, Any]]]] = {
    "faithful": {
        "vanilla": {"reply.stance": "open"},
        "profile": {"reply.stance": "open"},
        "rolerag": {"reply.stance": "grounded"},
        "raptor": {"context.budget_tokens": 2_000},
        "lightrag": {
            "context.budget_tokens": 12_000,
            "graph.keywords": True,
            "graph.gleaning": True,
        },
    }
}
"""What a preset sets beside it for one method: where papers differ in what all methods share."""
