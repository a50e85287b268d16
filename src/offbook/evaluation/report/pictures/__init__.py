"""The pictures of a report, one kind a file; they need the extra ``eval`` (matplotlib)."""
