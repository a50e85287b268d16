"""Stories: scenes and what each lived through, asked once beside extraction and never guessed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.errors import ModelError, UsageError
from offbook.ingestion.documents import stored_documents, text_digest
from offbook.ingestion.story import _keep_answer, kept_story, viewpoint_of
from offbook.methods.standing import standing_of
from offbook.names.story import Episode
from offbook.stores import stories
from offbook.stores.stories import Correction
from tests.app.homes import opened, text
from tests.loopback import LoopbackServer
from tests.loopback.answers import Answer
from tests.loopback.story import answer_about_scenes, is_about_scenes, scenes_in, stretch_of

NARRATION = "The tide went out over the flats, and the birds followed it. " * 12
DAY = f"""## Day {{day}}

Ada Byrne met Tom Reeve at the quay on day {{day}}. She had brought the ledger.

“The mooring is loose again, number {{day}},” said Ada Byrne.

“It was never fast,” said Tom Reeve.

{NARRATION}

Later Nell Orme came alone to the shed and found rope number {{day}}.

{NARRATION}
"""
BOOK = "\n".join(DAY.format(day=day) for day in range(1, 11))


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(answer=answer_about_scenes) as running:
        yield running


@pytest.fixture
async def home(server: LoopbackServer, tmp_path: Path):
    flags = {"chat__model": "m", "chat__base_url": server.base_url, "limits__retries": 0}
    async with await opened(tmp_path, method="ensemble", **flags) as book:
        await book.create_from([text("quay.md", BOOK)], "Ada Byrne")
        server.clear()
        yield book


def asked(server: LoopbackServer) -> list[str]:
    return [stretch_of(body) for body in server.chat_bodies if is_about_scenes(body)]


async def lived(home: Offbook, name: str, on: str = "ada-byrne") -> list[Episode]:
    story, cast = await kept_story(home.store, on)
    number = next(n for n, each in enumerate(cast.members) if name in each.aliases)
    return [each for each in story.episodes if each.member == number]


async def test_windows_are_asked_once_beside_extraction_and_their_price_is_told(home, server):
    estimate = await home.estimate("ada-byrne")
    assert server.count() == 0
    server.latency_seconds = 0.05
    report = await home.ingest("ada-byrne")
    windows = asked(server)
    assert len(windows) == estimate.by_task["story"].calls == report.usage.by_task["story"].calls
    assert 0 < len(windows) <= 0.35 * len(BOOK) / 1000
    kinds = [is_about_scenes(body) for body in server.chat_bodies]
    assert not all(kinds[: kinds.count(True)]), "not one after the other"
    joined = "".join(windows)
    assert all(joined.count(f"on day {day}.") == 1 for day in range(1, 11))
    server.clear()
    await home.ingest("ada-byrne")
    assert asked(server) == []
    assert "story" not in (await home.estimate("ada-byrne")).by_task


async def test_what_each_lived_through_is_kept_with_its_place_and_secrets_stay(home):
    await home.ingest("ada-byrne")
    story, cast = await kept_story(home.store, "ada-byrne")
    by_name = {each.name: number for number, each in enumerate(cast.members)}
    assert [scene.end for scene in story.scenes[:-1]] == [s.start for s in story.scenes[1:]]
    assert (story.scenes[0].start, story.scenes[-1].end) == (0, len(BOOK))
    for nell in await lived(home, "Nell Orme"):
        scene = story.scenes[nell.scene]
        assert BOOK[nell.start : nell.end].startswith("Nell Orme came alone")
        assert scene.start <= nell.start < nell.end <= scene.end
        assert (nell.how, nell.feeling, nell.strength) == ("present", "joy", 3)
        assert {each.member for each in scene.witnesses} == {by_name["Nell Orme"]}
    ada = await lived(home, "Ada Byrne")
    assert len(ada) >= 10
    assert not any("rope" in each.text for each in ada)
    character = await home.find("ada-byrne")
    viewpoint = await viewpoint_of(home.store, character, home.settings.values)
    assert viewpoint is not None
    assert (viewpoint.story, viewpoint.member) == (story, by_name["Ada Byrne"])


async def test_a_second_character_of_the_book_costs_no_call(home, server):
    await home.ingest("ada-byrne")
    server.clear()
    await home.create_from("quay", "Nell Orme")
    await home.ingest("nell-orme")
    assert asked(server) == []
    assert await lived(home, "Nell Orme", "nell-orme")


async def test_an_edit_asks_about_the_windows_that_it_touches(home, server):
    await home.ingest("ada-byrne")
    before = len(asked(server))
    server.clear()
    changed = BOOK.replace("rope number 4.", "rope number four.")
    await home.ingest_texts("ada-byrne", [text("quay.md", changed)])
    again = asked(server)
    assert 1 <= len(again) <= 2 < before
    assert any("number four" in each for each in again)
    assert any("number four" in each.text for each in await lived(home, "Nell Orme"))
    assert not any("number 4." in each.text for each in await lived(home, "Nell Orme"))


async def test_what_is_forgotten_is_in_no_answer(home, tmp_path):
    other = BOOK.replace("day", "night").replace("number", "figure")
    await home.ingest_texts("ada-byrne", [text("night.md", other)])
    assert any("on night 3" in each.text for each in await lived(home, "Ada Byrne"))
    await home.forget("ada-byrne", "night.md")
    assert await lived(home, "Ada Byrne")
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home").iterdir())
    assert b"on day 3" in stored
    assert b"on night 3" not in stored


async def test_what_an_older_version_said_is_in_no_answer(home, tmp_path):
    await home.ingest("ada-byrne")
    await home.ingest_texts("ada-byrne", [text("quay.md", BOOK.replace("the ledger", "a lamp"))])
    await home.store.purge()
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home").iterdir())
    assert b"brought a lamp" in stored
    assert b"the ledger" not in stored


async def test_a_run_that_was_broken_off_goes_on_and_asks_nothing_twice(home, server):
    def breaks(body: Mapping[str, Any]) -> Answer:
        if is_about_scenes(body) and "on day 7" in stretch_of(body):
            raise RuntimeError
        return answer_about_scenes(body)

    server.answer = breaks
    with pytest.raises(ModelError):
        await home.ingest("ada-byrne")
    answered = await home.store.read(stories.answers, "ada-byrne")
    server.clear()
    server.answer = answer_about_scenes
    await home.ingest("ada-byrne")
    every = await home.store.read(stories.answers, "ada-byrne")
    assert len(asked(server)) <= len(every) - len(answered)


async def test_without_a_usable_answer_the_rules_word_stands_and_it_is_said(home, server):
    def wrong(body: Mapping[str, Any]) -> Answer:
        if is_about_scenes(body) and "on day 3." in stretch_of(body):
            return Answer(json.dumps({"scenes": [dict(scenes_in(body)[0], begins=99)]}))
        return answer_about_scenes(body)

    server.answer = wrong
    report = await home.ingest("ada-byrne")
    (row,) = report.documents
    assert (row.status, row.quarantined) == ("partial", 1)
    assert any("the rules' word stands for the scenes of characters" in m for m in row.messages)
    story, _ = await kept_story(home.store, "ada-byrne")
    assert [scene.end for scene in story.scenes[:-1]] == [s.start for s in story.scenes[1:]]
    await home.set_kind("ada-byrne", "persona")
    assert (await home.ingest("ada-byrne")).documents[0].quarantined == 0
    await home.set_kind("ada-byrne", None)
    assert (await home.ingest("ada-byrne")).documents[0].quarantined == 1
    server.answer = answer_about_scenes
    assert (await home.ingest("ada-byrne")).documents[0].quarantined == 0


async def test_a_setting_switches_it_off_and_offline_no_call_is_made(home, server, tmp_path):
    flags = {"chat__model": "m", "chat__base_url": server.base_url, "story__model": False}
    async with await opened(tmp_path / "off", method="ensemble", **flags) as off:
        await off.create_from([text("quay.md", BOOK)], "Ada Byrne")
        await off.ingest("ada-byrne")
        assert asked(server) == []
        story, _ = await kept_story(off.store, "ada-byrne")
        assert story.scenes
        assert story.episodes == ()


async def test_documents_about_one_person_cost_no_story_call(home, server):
    await home.create("Ida Moor")
    about = "# Ida Moor\n\n## Background\n\nIda Moor keeps bees.\n\n## Personality\n\nShe is shy."
    await home.ingest_texts("ida-moor", [text("ida.md", about)])
    assert asked(server) == []
    ida = await home.find("ida-moor")
    assert await viewpoint_of(home.store, ida, home.settings.values) is None


async def test_a_story_travels_with_its_answers_and_costs_nothing_again(home, server, tmp_path):
    await home.ingest("ada-byrne")
    before = await lived(home, "Ada Byrne")
    await home.export("ada-byrne", tmp_path / "ada.zip")
    await home.delete("ada-byrne")
    await home.import_(tmp_path / "ada.zip")
    server.clear()
    await home.ingest("ada-byrne")
    assert asked(server) == []
    assert await lived(home, "Ada Byrne") == before != []


async def test_a_person_sees_the_scenes_and_their_word_counts_above_all(home, server):
    await home.ingest("ada-byrne")
    report = await home.story("quay")
    assert (report.kind, [row.number for row in report.scenes[:3]]) == ("story", [1, 2, 3])
    row = next(row for row in report.scenes if [w.name for w in row.witnesses] == ["Nell Orme"])
    assert (row.where, row.witnesses[0].gist) == ("the quay", "Nell Orme was there")
    assert row.witnesses[0].evidence.startswith("Nell Orme came alone")
    await home.correct_witness("quay", row.number, "Tom", "overheard")
    after = await home.correct_witness("quay", row.number, "Nell Orme", "absent")
    assert [(w.name, w.how, w.by_person) for w in after.witnesses] == [
        ("Tom Reeve", "overheard", True)
    ]
    assert not any(each.scene == row.number - 1 for each in await lived(home, "Nell Orme"))
    changed = BOOK.replace("rope number 10.", "rope number ten.")
    await home.ingest_texts("ada-byrne", [text("quay.md", changed)])
    assert (await home.story("quay")).scenes[row.number - 1].witnesses == after.witnesses
    undone = await home.correct_witness("quay", row.number, "Nell Orme", None)
    assert {w.name for w in undone.witnesses} == {"Nell Orme", "Tom Reeve"}


@pytest.mark.parametrize(
    ("scene", "who", "how"),
    [(0, "Tom", "absent"), (999, "Tom", "absent"), (1, "Xerxes", "told"), (1, "Tom", "dreamt")],
)
async def test_a_word_on_nothing_that_there_is_changes_nothing(home, scene, who, how):
    before = await home.story("quay")
    with pytest.raises(UsageError):
        await home.correct_witness("quay", scene, who, how)
    assert await home.story("quay") == before


async def test_a_person_says_which_kind_texts_are(home):
    assert (await home.set_kind("quay", "persona")).scenes == ()
    ada = await home.find("ada-byrne")
    assert await viewpoint_of(home.store, ada, home.settings.values) is None
    await home.create_from("quay", "Tom Reeve")
    assert (await home.story("tom-reeve")).kind == "persona"
    assert (await home.set_kind("quay", None)).kind == "story"


async def test_an_answer_that_arrives_after_its_text_has_gone_is_kept_nowhere(home, server):
    await home.ingest("ada-byrne")
    kept = await home.store.read(stories.answers, "ada-byrne")
    (document,) = await home.store.read(stored_documents, "ada-byrne")
    answer = next(iter(kept.values()))
    await home.ingest_texts("ada-byrne", [text("quay.md", "Ada Byrne slept.")])
    await home.store.write(_keep_answer, "ada-byrne", document, answer)
    assert answer.key not in await home.store.read(stories.answers, "ada-byrne")
    await home.forget("ada-byrne", "quay.md")
    await home.store.write(_keep_answer, "ada-byrne", document, answer)
    assert await home.store.read(stories.answers, "ada-byrne") == {}


PLAY = "# The Lamp\n\n## Act I\n\n" + "\n\n".join(
    (
        "SIMON GRAY. Where is the lamp?",
        "IDA MOOR. I gave it to the keeper.",
        "SIMON GRAY. Then we are lost.",
        "IDA MOOR. Not all of us, I hope.",
        "SIMON GRAY. That is little comfort.",
        "IDA MOOR. It was not meant to be any.",
        "SIMON GRAY. The tower is dark.",
        "IDA MOOR. Then go in by the window, as Mr. Pelham Tarn did.",
    )
)


async def test_names_in_capitals_stand_in_the_text_when_it_changes(home, server):
    await home.create_from([text("lamp.md", PLAY)], "Ida Moor")
    await home.ingest("ida-moor")
    answers = await home.store.read(stories.answers, "ida-moor")
    assert {name for each in answers.values() for name in each.names} >= {"Simon Gray"}
    await home.correct_witness("lamp", 1, "Simon Gray", "overheard")
    server.clear()
    await home.ingest_texts("ida-moor", [text("other.md", "IDA MOOR. The keeper is away.")])
    other = text("other.md", "IDA MOOR. The keeper is asleep.")
    await home.ingest_texts("ida-moor", [other])
    assert not any("Where is the lamp?" in stretch for stretch in asked(server))
    (words,) = (row.witnesses for row in (await home.story("lamp")).scenes[:1])
    assert ("Simon Gray", "overheard") in [(each.name, each.how) for each in words]


async def test_what_everyone_knows_somebody_may_not_know_by_a_persons_word(home, server):
    def common(body: Mapping[str, Any]) -> Answer:
        if not is_about_scenes(body):
            return answer_about_scenes(body)
        return Answer(json.dumps({"scenes": [dict(scenes_in(body)[0], kind="common")]}))

    server.answer = common
    await home.ingest("ada-byrne")
    for row in (await home.story("quay")).scenes:
        scene = await home.correct_witness("quay", row.number, "Ada Byrne", "absent")
        assert ("Ada Byrne", "absent") in [(each.name, each.how) for each in scene.witnesses]
    character = await home.find("ada-byrne")
    standing = await standing_of(home.store, character, home.settings.values, None)
    assert standing is not None
    assert standing.reach.stretches == ()


async def test_a_word_replaces_one_by_a_name_that_somebody_had_before(home):
    row = (await home.story("quay")).scenes[0]
    document = (await home.store.read(stored_documents, "ada-byrne"))[0]
    before = Correction(text_digest(BOOK[row.start : row.end]), "Tom", document.id, "read")
    await home.store.write(stories.correct, "ada-byrne", before)
    after = await home.correct_witness("quay", 1, "Tom Reeve", "overheard")
    assert ("Tom Reeve", "overheard") in [(each.name, each.how) for each in after.witnesses]
    undone = await home.correct_witness("quay", 1, "Tom Reeve", None)
    assert not any(each.by_person for each in undone.witnesses)


async def test_a_word_on_somebody_outside_the_cast_is_refused(home):
    await home.ingest_texts("ada-byrne", [text("lamp.md", "Ada Byrne went to Quellmark alone.")])
    assert "Quellmark" not in {row.name for row in await home.cast("ada-byrne")}
    with pytest.raises(UsageError):
        await home.correct_witness("ada-byrne", 1, "Quellmark", "read")
