"""What chunks reveal: kept by chunk, gone with the chunk, the same after a journey."""

from __future__ import annotations

import json
import zipfile
from functools import partial
from pathlib import Path

import pytest

from offbook.errors import UsageError
from offbook.protocols import Store
from offbook.stores import characters, chunk_attributes, documents, portable
from offbook.stores.chunk_attributes import ChunkJudgement, StoredAttribute
from offbook.types import Chunk
from tests.stores import data

PATIENT = StoredAttribute("psychological_trait", "Ada waits for years.")
FAIR = StoredAttribute("belief_and_value", "Ada holds that a debt is a debt: 债。")


async def build(store: Store) -> list[Chunk]:
    await store.write(lambda c: characters.create(c, "Ada"))
    made = await store.write(
        partial(data.add_document, character="ada", name="a", text="one\ntwo\nthree")
    )
    judged = [
        ChunkJudgement(made[0].id, reveals=True, attributes=(PATIENT, FAIR)),
        ChunkJudgement(made[1].id, reveals=False),
    ]
    await store.write(lambda c: chunk_attributes.put(c, "ada", judged))
    return list(made)


async def listed(store: Store) -> list[ChunkJudgement]:
    found = await store.read(lambda c: chunk_attributes.list_all(c, "ada", "acts"))
    return sorted(found, key=lambda one: one.reveals)


async def test_judgements_come_back(store: Store):
    one, two, three = await build(store)
    assert await listed(store) == [
        ChunkJudgement(two.id, reveals=False),
        ChunkJudgement(one.id, reveals=True, attributes=(PATIENT, FAIR)),
    ]
    found = await store.read(lambda c: chunk_attributes.get(c, "ada", [three.id, one.id, "gone"]))
    assert list(found) == [one.id]
    assert await store.read(lambda c: chunk_attributes.list_all(c, "ada", "graph")) == []


async def test_what_is_not_judged_is_told(store: Store):
    _, _, three = await build(store)
    assert await store.read(lambda c: chunk_attributes.unjudged(c, "ada", "acts")) == [three.id]
    assert await store.read(lambda c: chunk_attributes.unjudged(c, "ada", "graph")) == []


async def test_a_later_judgement_replaces_the_first_and_is_noticed(store: Store):
    one, *_ = await build(store)
    before = await store.read(lambda c: characters.revision(c, "ada"))
    again = [ChunkJudgement(one.id, reveals=False)]
    await store.write(lambda c: chunk_attributes.put(c, "ada", again))
    assert not any(judgement.reveals for judgement in await listed(store))
    assert await store.read(lambda c: characters.revision(c, "ada")) > before


async def test_putting_nothing_changes_nothing(store: Store):
    await build(store)
    before = await store.read(lambda c: characters.revision(c, "ada"))
    await store.write(lambda c: chunk_attributes.put(c, "ada", []))
    assert await store.read(lambda c: characters.revision(c, "ada")) == before


async def test_a_judgement_goes_with_its_chunk(store: Store):
    await build(store)
    await store.write(lambda c: documents.remove(c, "ada", "a"))
    assert await listed(store) == []


async def test_what_no_database_can_keep_is_refused(store: Store):
    one, *_ = await build(store)
    broken = ChunkJudgement(one.id, reveals=True, attributes=(StoredAttribute("x", "a\0b"),))
    with pytest.raises(UsageError):
        await store.write(lambda c: chunk_attributes.put(c, "ada", [broken]))


async def test_a_journey_loses_nothing(store: Store, tmp_path: Path):
    await build(store)
    before, file = await listed(store), tmp_path / "ada.offbook"
    await store.read(lambda c: portable.export_character(c, "ada", file))
    await store.write(lambda c: portable.import_character(c, file, replace=True))
    assert await listed(store) == before
    await store.write(lambda c: characters.remove(c, "ada"))
    await store.write(lambda c: portable.import_character(c, file))
    assert await listed(store) == before


@pytest.mark.parametrize(
    "attributes",
    [
        "none",
        [["belief_and_value", "x"]],
        [{"kind": "belief_and_value"}],
        [{"kind": "mood", "text": "x"}],
        [{"kind": "belief_and_value", "text": 3}],
    ],
)
async def test_what_is_no_list_of_attributes_is_not_imported(
    store: Store, tmp_path: Path, attributes
):
    await build(store)
    file, forged = tmp_path / "ada.offbook", tmp_path / "forged.offbook"
    await store.read(lambda c: portable.export_character(c, "ada", file))
    forge(file, forged, attributes)
    with pytest.raises(UsageError, match="attributes"):
        await store.write(lambda c: portable.import_character(c, forged, replace=True))


def forge(file: Path, forged: Path, attributes: object) -> None:
    """The same export with other attributes, its digests as they should be."""
    from hashlib import sha256

    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()}
    row = json.loads(members["chunk_attributes.jsonl"].splitlines()[0])
    line = json.dumps({**row, "attributes": attributes}).encode() + b"\n"
    members["chunk_attributes.jsonl"] = line
    manifest = json.loads(members["manifest.json"])
    manifest["members"]["chunk_attributes.jsonl"] = {
        "bytes": len(line),
        "sha256": sha256(line).hexdigest(),
    }
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(forged, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)
