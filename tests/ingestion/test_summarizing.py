"""The profile: written where there is something to write about, put aside where it cannot be."""

from __future__ import annotations

import pytest

from offbook.errors import InputRefused, ModelError
from offbook.ingestion.storing import stored_documents
from offbook.ingestion.summarizing import JOB, is_answered, profile_request, write_profile
from offbook.models.caching import CallCache
from offbook.models.limits import Limiter
from offbook.models.metering import Meter
from offbook.models.wrappers import wrap
from offbook.stores import characters, jobs
from tests.ingestion.stage import read, settings, stored
from tests.models.fakes import Scripted


async def keeper(store):
    return await store.read(lambda conn: characters.require(conn, "keeper"))


async def aside(store) -> list[str]:
    found = await store.read(lambda conn: jobs.list_jobs(conn, "keeper", kind=JOB))
    return [job.error for job in found if job.status == "quarantined"]


async def test_without_documents_nothing_is_asked(kept):
    assert await write_profile(kept, Scripted(), "keeper", settings()) is None
    assert (await keeper(kept)).profile is None


async def test_the_profile_is_stored_with_the_documents_it_was_made_from(kept):
    await stored(kept, read("a.md", "One."), read("b.md", "Two."))
    model = Scripted("A keeper.")
    assert await write_profile(kept, model, "keeper", settings()) is None
    found = await keeper(kept)
    assert (found.profile, found.profile_documents) == ("A keeper.", ("a-md", "b-md"))
    (request,) = model.requests
    assert request.documents == {"keeper/a-md", "keeper/b-md"}


@pytest.mark.parametrize("bad", [["", "", ""], [InputRefused("too long")]])
async def test_what_cannot_be_used_is_put_aside_and_healed(kept, bad):
    await stored(kept, read("a.md", "One."))
    reason = await write_profile(kept, Scripted(*bad), "keeper", settings())
    assert reason
    assert await aside(kept) == [reason]
    assert await write_profile(kept, Scripted("A keeper."), "keeper", settings()) is None
    assert await aside(kept) == []


async def test_an_endpoint_that_fails_is_no_matter_of_quarantine(kept):
    await stored(kept, read("a.md", "One."))
    with pytest.raises(ModelError):
        await write_profile(kept, Scripted(ModelError("down")), "keeper", settings())
    assert await aside(kept) == []


async def test_an_answer_that_is_stored_is_known_without_asking(kept):
    await stored(kept, read("a.md", "One."))
    documents = await kept.read(lambda conn: stored_documents(conn, "keeper"))
    request = profile_request(await keeper(kept), documents, settings().profile.budget_tokens)
    backend = Scripted("A keeper.")
    model = wrap(backend, meter=Meter(), limiter=Limiter(), cache=CallCache(kept))
    assert not await is_answered(kept, model, request)
    await write_profile(kept, model, "keeper", settings())
    assert await is_answered(kept, model, request)
    assert not await is_answered(kept, Scripted(name="another"), request)
    await write_profile(kept, model, "keeper", settings())
    assert len(backend.requests) == 1
