"""The front door: everything that the command line does, for programs."""

from offbook.app.book import Offbook
from offbook.app.documents import CharacterInfo, ForgetReport

__all__ = ["CharacterInfo", "ForgetReport", "Offbook"]
