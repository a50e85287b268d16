"""The front door: everything that the command line does, for programs."""

from offbook.app.book import CharacterInfo, Offbook
from offbook.app.reports import ForgetReport

__all__ = ["CharacterInfo", "ForgetReport", "Offbook"]
