"""The front door: everything that the command line does, for programs."""

from offbook.app.book import CharacterInfo, ForgetReport, Offbook

__all__ = ["CharacterInfo", "ForgetReport", "Offbook"]
