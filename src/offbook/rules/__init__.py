"""The offline model, which is the default: answers by rules, without key or network.

Takes: chat requests that carry their prompt and inputs.  Gives: ``OfflineModel``. Source: ours.
"""

from offbook.rules.model import OfflineModel

__all__ = ["OfflineModel"]
