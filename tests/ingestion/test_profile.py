"""The profile: written of the beginnings of all documents, and cut by rule at a point."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import InputRefused, ModelError, UsageError
from offbook.ingestion.profile import HEAD_TOKENS, at_point, beginnings, heads, write_profile
from offbook.stores import characters, documents, jobs
from offbook.text.tokens import count_tokens
from offbook.types import Document, Position
from tests.ingestion.runtime import read, settings, stored
from tests.models.fakes import Scripted


def document(name: str, text: str) -> Document:
    return Document(name, name, text, "")


@given(st.lists(st.text("ab c.\n字", max_size=300), max_size=6), st.integers(0, 400))
def test_beginnings_keep_the_order_and_the_budget(texts, budget):
    found = [document(str(n), text) for n, text in enumerate(texts)]
    begun = beginnings(found, budget)
    assert [b.document for b in begun] == sorted((b.document for b in begun), key=int)
    assert all(texts[int(b.document)].startswith(b.text) and b.text for b in begun)
    assert sum(count_tokens(b.text) for b in begun) <= budget
    if sum(map(count_tokens, texts)) <= budget:
        told = [b.text.strip() for b in begun if b.text.strip()]
        assert told == [text.strip() for text in texts if text.strip()]


async def keeper(store):
    return await store.read(lambda conn: characters.require(conn, "keeper"))


async def aside(store) -> list[str]:
    found = await store.read(lambda conn: jobs.list_jobs(conn, "keeper", kind=jobs.PROFILE))
    return [job.error for job in found if job.status == "quarantined"]


async def test_the_profile_is_stored_with_the_documents_it_was_made_from(kept):
    model = Scripted("A keeper.")
    assert await write_profile(kept, model, "keeper", settings()) is None
    assert model.requests == [], "without documents there is nothing to ask about"
    await stored(kept, read("a.md", "One."), read("b.md", "Two."))
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


async def test_why_no_profile_was_written_of_a_text_that_is_gone_is_not_noted(kept):
    class Slow(Scripted):
        """In whose time another process forgets the text."""

        async def complete(self, request):
            await kept.write(lambda conn: documents.remove(conn, "keeper", "a-md"))
            return await super().complete(request)

    await stored(kept, read("a.md", "One."))
    assert await write_profile(kept, Slow(InputRefused("One.")), "keeper", settings())
    assert await aside(kept) == []


async def test_an_endpoint_that_fails_is_no_matter_of_quarantine(kept):
    await stored(kept, read("a.md", "One."))
    with pytest.raises(ModelError):
        await write_profile(kept, Scripted(ModelError("down")), "keeper", settings())
    assert await aside(kept) == []


ONE = '# Keeper\n\nShe keeps a light.\n\n## Voice\n\n- "The sea is wide."\n'
TWO = '# Later\n\nShe is a queen.\n\n## Voice\n\n- "Bow to me."\n'


@pytest.fixture
async def queen(kept):
    await stored(kept, read("one.md", ONE), read("two.md", TWO))
    await kept.write(
        lambda conn: characters.set_profile(
            conn, "keeper", "A queen.", voice=["Bow to me."], documents=["one-md", "two-md"]
        )
    )
    return kept


async def at(store, as_of: str):
    def read_(conn):
        return at_point(conn, characters.require(conn, "keeper"), as_of)

    return await store.read(read_)


async def test_profile_and_voice_are_those_of_the_text_before(queen):
    character, point = await at(queen, "one.md")
    assert character.profile == ONE.strip()
    assert character.voice == ("The sea is wide.",)
    assert character.profile_documents == ("one-md",)
    assert (point.text, point.position) == ("one.md", Position(0, len(ONE)))


async def test_within_a_document_it_ends_at_the_point(queen):
    character, _ = await at(queen, f"two.md@{TWO.index('She')}")
    assert "queen" not in character.profile
    assert "Bow to me." not in character.voice
    assert character.profile_documents == ("one-md", "two-md")
    character, _ = await at(queen, "two.md")
    assert character.voice == ("The sea is wide.", "Bow to me.")
    assert "queen" in character.profile
    character, _ = await at(queen, "one.md@0")
    assert (character.profile, character.voice, character.profile_documents) == ("", (), ())


async def test_the_profile_is_a_head_however_long_the_text_is(queen):
    await stored(queen, read("three.md", "word " * 5000))
    character, point = await at(queen, "three.md")
    assert count_tokens(character.profile) <= HEAD_TOKENS
    begun = await queen.read(lambda conn: heads(conn, "keeper", HEAD_TOKENS, point.position))
    assert "\n\n".join(head.text.strip() for head in begun) == character.profile


async def test_an_unknown_point_is_refused(queen):
    with pytest.raises(UsageError, match=r"no point 'four\.md'"):
        await at(queen, "four.md")
