"""The embedded default model: answers by rules, without key or network.

Takes: chat requests that carry their prompt and inputs.  Gives: ``OfflineModel``. Source: ours.
"""

from offbook.models.offline.model import OfflineModel

__all__ = ["OfflineModel"]
