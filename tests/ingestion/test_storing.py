"""Texts stored and split: what is new, what changed, what stays."""

from __future__ import annotations

import asyncio

import pytest

from offbook.errors import UnknownName
from offbook.ingestion import documents as ingested
from offbook.ingestion.documents import (
    complete_chunkings,
    refresh_voice,
    stored_documents,
    take_in,
)
from offbook.ingestion.reports import put_aside
from offbook.runtime import Runtime
from offbook.stores import characters, chunks, documents, jobs
from tests.ingestion.runtime import Embedding, read, sections, settings, stored
from tests.models.fakes import Scripted

VOICE = "# Keeper\n\nShe kept a light.\n\n## Sayings\n\n- The tide waits for me.\n"


async def texts(store, chunking: str) -> list[str]:
    found = await store.read(lambda conn: chunks.list_chunks(conn, "keeper", chunking=chunking))
    return [chunk.text for chunk in found]


async def test_a_document_is_added_updated_or_left_as_it_is(kept):
    (one,) = await stored(kept, read("a.md", "One."))
    assert (one.id, one.name, one.status, one.messages) == ("a-md", "a.md", "added", [])
    (same,) = await stored(kept, read("a.md", "One."))
    (other,) = await stored(kept, read("b.md", "One."))
    assert [same.status, other.status] == ["unchanged", "unchanged"]
    assert (other.id, other.name) == ("a-md", "a.md")
    assert "'b.md' has the same content as 'a.md'" in other.messages[0]
    (changed,) = await stored(kept, read("a.md", "Two."))
    assert (changed.id, changed.status) == ("a-md", "updated")
    (document,) = await kept.read(lambda conn: stored_documents(conn, "keeper"))
    assert (document.text, document.version) == ("Two.", 2)


@pytest.mark.parametrize("kind", [jobs.PROFILE, jobs.GRAPH, jobs.SUMMARIZE])
@pytest.mark.parametrize("way", ["replaced", "forgotten"])
async def test_what_stayed_open_quotes_no_text_that_is_gone(kept, kind, way):
    await stored(kept, read("a.md", "Wat drowned."), read("b.md", "One."))
    noted = [("subject", "b-md", "whether they are the same stayed open: 'Wat', 'Reeve'")]
    await kept.write(lambda conn: put_aside(conn, "keeper", kind, noted))
    if way == "replaced":
        await stored(kept, read("a.md", "All is well."))
    else:
        await kept.write(lambda conn: documents.remove(conn, "keeper", "a-md"))
    assert await kept.read(lambda conn: jobs.list_jobs(conn, "keeper", kind=kind)) == []


async def test_a_copy_under_another_name_stands_in_the_order_as_what_it_repeats(kept):
    await stored(kept, read("a.md", "One."), read("b.md", "Two."))
    given = Runtime(settings(method="naive"), kept, Scripted(), Scripted(), Scripted(), Embedding())
    await take_in(given, "keeper", [read("copy.md", "Two.")], ["copy.md"])
    infos = await kept.read(lambda conn: documents.list_all(conn, "keeper"))
    assert [info.name for info in infos] == ["b.md", "a.md"]


@pytest.mark.parametrize("names", [("a b.md", "a-b.md", "A_B.md"), ("字.md", "字!.md", "***")])
async def test_documents_whose_names_look_alike_have_ids_of_their_own(kept, names):
    reports = await stored(kept, *(read(name, f"Text {name}") for name in names))
    assert len({report.id for report in reports}) == 3
    assert all(report.id for report in reports)


async def test_a_chunking_that_documents_lack_is_made_from_the_stored_text(kept):
    await stored(kept, read("a.md", sections(4)))
    await complete_chunkings(kept, "keeper", ("acts",), settings(), Embedding())
    assert "ship 3" in "".join(await texts(kept, "acts"))


async def test_an_update_keeps_every_chunking_that_the_document_has_up_to_date(kept):
    await stored(kept, read("a.md", sections(4)), chunkings=("markdown", "acts"))
    await stored(kept, read("a.md", sections(4).replace("ship 2", "boat 2")))
    for chunking in ("markdown", "acts"):
        told = "".join(await texts(kept, chunking))
        assert "boat 2" in told
        assert "ship 2" not in told


async def test_other_parameters_split_anew_and_the_same_do_not(kept):
    told = {"fixed": {"size": 100, "overlap": 0}}
    await stored(kept, read("a.md", sections(12)), chunkings=("fixed",), **told)
    before = await texts(kept, "fixed")

    async def revision() -> int:
        known: int = await kept.read(lambda conn: characters.require(conn, "keeper").revision)
        return known

    async def complete(size: int) -> int:
        known = await revision()
        fixed = {"size": size, "overlap": 0}
        await complete_chunkings(kept, "keeper", ("fixed",), settings(fixed=fixed), Embedding())
        return await revision() - known

    assert await complete(100) == 0
    assert await texts(kept, "fixed") == before
    assert await complete(200) > 0
    assert len(await texts(kept, "fixed")) < len(before)


async def test_the_voice_follows_the_documents(kept):
    await stored(kept, read("a.md", VOICE))
    await refresh_voice(kept, "keeper")
    found = await kept.read(lambda conn: characters.require(conn, "keeper"))
    assert found.voice == ("The tide waits for me.",)
    assert found.profile_documents == ("a-md",)
    await refresh_voice(kept, "keeper")
    same = await kept.read(lambda conn: characters.require(conn, "keeper"))
    assert same.revision == found.revision, "nothing has changed"
    await stored(kept, read("a.md", VOICE.replace("tide", "wind")))
    await refresh_voice(kept, "keeper")
    found = await kept.read(lambda conn: characters.require(conn, "keeper"))
    assert found.voice == ("The wind waits for me.",)


async def test_a_character_that_is_deleted_while_its_voice_is_read_is_unknown(kept, monkeypatch):
    await stored(kept, read("a.md", VOICE))
    loop = asyncio.get_running_loop()

    def manner(name, texts):
        deleting = kept.write(lambda conn: characters.remove(conn, "keeper"))
        asyncio.run_coroutine_threadsafe(deleting, loop).result()
        return [], None

    monkeypatch.setattr("offbook.ingestion.documents._manner", manner)
    with pytest.raises(UnknownName):
        await refresh_voice(kept, "keeper")


async def test_the_voice_of_a_text_that_is_forgotten_while_it_is_read_is_not_stored(
    kept, monkeypatch
):
    await stored(kept, read("a.md", VOICE))
    loop, manner = asyncio.get_running_loop(), ingested._manner

    def slow(name, texts):
        forgetting = kept.write(lambda conn: documents.remove(conn, "keeper", "a-md"))
        asyncio.run_coroutine_threadsafe(forgetting, loop).result()
        return manner(name, texts)

    monkeypatch.setattr(ingested, "_manner", slow)
    await refresh_voice(kept, "keeper")
    assert (await kept.read(lambda conn: characters.require(conn, "keeper"))).voice == ()


async def test_a_changed_document_takes_the_profile_along(kept):
    await stored(kept, read("a.md", VOICE))
    await kept.write(
        lambda conn: characters.set_profile(conn, "keeper", "A keeper.", documents=["a-md"])
    )
    await stored(kept, read("a.md", VOICE))
    assert (await kept.read(lambda conn: characters.require(conn, "keeper"))).profile
    await stored(kept, read("b.md", "More."))
    assert (await kept.read(lambda conn: characters.require(conn, "keeper"))).profile is None


async def test_by_which_pronouns_it_is_spoken_of_follows_the_documents(kept):
    async def gender() -> object:
        await refresh_voice(kept, "keeper")
        found = await kept.read(lambda conn: characters.require(conn, "keeper"))
        return found.settings.get(characters.GENDER)

    name = (await kept.read(lambda conn: characters.require(conn, "keeper"))).name
    await stored(kept, read("a.md", f"# {name}\n\n{name} kept a light. She slept by day.\n"))
    assert await gender() == "f"
    await stored(kept, read("a.md", f"# {name}\n\n{name} kept a light. He slept by day.\n"))
    assert await gender() == "m"
    await stored(kept, read("a.md", f"# {name}\n\n{name} kept a light.\n"))
    assert await gender() is None
