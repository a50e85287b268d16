"""The library without ``async``: the same names and arguments, and every call waits.

Takes: what ``offbook.Offbook`` takes.  Gives: ``Offbook`` and what it opens; the types are in
``__init__.pyi``, which ``src/generate.py`` writes.
"""

from offbook.agent import scene, session
from offbook.app import book, cards, conversations, memories, users
from offbook.sync.faces import face_of

Cards = face_of(cards.Cards)
Conversations = face_of(conversations.Conversations)
Memories = face_of(memories.Memories)
Offbook = face_of(book.Offbook)
Scene = face_of(scene.Scene)
Session = face_of(session.Session)
Users = face_of(users.Users)

__all__ = ["Cards", "Conversations", "Memories", "Offbook", "Scene", "Session", "Users"]
