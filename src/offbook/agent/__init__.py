"""A conversation: history, streaming, conversations that are kept."""
