"""The library without ``async``: the same names and arguments, and every call waits.

Takes: what ``offbook.Offbook`` takes.  Gives: ``Offbook`` and what it opens; the types are in
``__init__.pyi``, which ``src/generate.py`` writes.
"""

from offbook.agent import scene, session
from offbook.app import book, cards, memories
from offbook.sync.faces import face_of

Cards = face_of(cards.Cards)
Memories = face_of(memories.Memories)
Offbook = face_of(book.Offbook)
Scene = face_of(scene.Scene)
Session = face_of(session.Session)

__all__ = ["Cards", "Memories", "Offbook", "Scene", "Session"]
