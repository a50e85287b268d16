"""Which models a stage is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.models.offline import OfflineModel


@pytest.mark.parametrize("configured", [True, False])
async def test_the_offline_model_asks_a_configured_embedder(tmp_path: Path, configured: bool):
    flags: dict[str, Any] = {}
    if configured:
        flags = {"embed__model": "m", "embed__base_url": "http://127.0.0.1:9/v1"}
    async with await Offbook.open(home=str(tmp_path), **flags) as book:
        stage = book.stage()
        for model in (stage.actor, stage.extractor, stage.judge):
            assert isinstance(model, OfflineModel)
            assert model.embedder is (stage.embedder if configured else None)
