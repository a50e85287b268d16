"""Thousands of broken files: only our own errors, no hang, little memory, nothing written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]

# In a process of its own, so that memory is that of the cards alone; it may write to no file.
PROGRAM = """
    import json, os, resource, sys, time
    from offbook.cards import (
        convert, exchanges, lint, load_asset, lore_document, persona_document, read_card,
        read_chatlog, read_lorebook, recall_lore, voice_samples, write_card, write_chatlog,
        write_lorebook, LoreMessage, MacroValues,
        RecallSettings,
    )
    from offbook.cards.lore_timers import Span, Timers
    from offbook.cards.lorebook_files import lorebook_losses
    from offbook.cards.persona import conversation_words
    from offbook.context.assembly import card_words
    from offbook.errors import OffbookError
    from tests.cards.generator import mutated_card, mutated_chat, picture

    first, last, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    PICTURE = picture()
    VALUES = MacroValues("Mira")
    opened = []

    def watch(event, args):
        if event == "open" and (args[2] or 0) & 3:
            opened.append(str(args[0]))
        elif event.startswith(("socket.connect", "subprocess", "os.system", "shutil", "os.mkdir",
                               "os.remove", "os.rename")):
            opened.append(event)

    def use_card(data):
        read = read_card(data)
        persona_document(read.card), voice_samples(read.card), lint(read.card)
        stored = json.loads(json.dumps(conversation_words(read.card)))
        words = card_words({"card": stored})
        assert list(words.greetings) == stored["greetings"]
        words.wish(words.system_prompt, "Ines")
        words.voice(voice_samples(read.card), "Ines")
        words.number_of("x")
        for asset in read.assets:
            try:
                load_asset(read, asset)
            except OffbookError:
                pass
        for form in ("json", "png", "charx"):
            again = read_card(write_card(read.card, form, picture=PICTURE).data)
            assert again.card.name == read.card.name, (again.card.name, read.card.name)
        convert(read.card, 1), convert(read.card, 2), convert(read.card, 3)
        if read.card.book is not None:
            book = read.card.book
            said = [LoreMessage("late, the ferry" + "a" * 99)] * 3
            running = {"#0": Timers(Span(2, 9), Span(2, 5, firm=True))}
            for options in ({}, {"similar": {0: 0.5}, "activated": running, "earlier": 4}):
                recall_lore(book, said, VALUES, RecallSettings(recursive=True), **options)
            lore_document(book, VALUES)
            for form in ("sillytavern", "agnai", "novelai", "risu", "lorebook_v3"):
                read_lorebook(write_lorebook(book, form))
                lorebook_losses(book, form)

    def use_chat(data):
        log = read_chatlog(data)
        exchanges(log)
        again = read_chatlog(write_chatlog(log))
        assert [m.text for m in again.messages] == [m.text for m in log.messages]

    def peak_megabytes():
        # Not getrusage: a child's peak there begins with that of the process that started it.
        if os.path.exists("/proc/self/status"):
            lines = open("/proc/self/status").read().splitlines()
            return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    sys.addaudithook(watch)
    read = refused = 0
    slowest = 0.0
    for seed in range(first, last):
        data = mutated_card(seed) if kind == "card" else mutated_chat(seed)
        started = time.process_time()
        try:
            (use_card if kind == "card" else use_chat)(data)
            read += 1
        except OffbookError as error:
            assert error.message
            refused += 1
        except BaseException:
            print("seed", seed, file=sys.stderr)
            raise
        slowest = max(slowest, time.process_time() - started)
    memory = peak_megabytes()
    print(json.dumps([read, refused, slowest, memory, opened]))
"""


def fuzz(kind, first, last, folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(first), str(last), kind]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    read, refused, slowest, megabytes, opened = json.loads(done.stdout)
    assert read + refused == last - first
    assert min(read, refused) > (last - first) // 20, "the mutations are too harsh or too mild"
    assert slowest < 1
    assert megabytes < 300
    assert opened == []
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", ["card", "chat"])
@pytest.mark.parametrize(("first", "last"), [(0, 1_000), (1_000, 11_000)])
def test_thousands_of_mutations_do_no_harm(kind, first, last, tmp_path):
    fuzz(kind, first, last, tmp_path)
