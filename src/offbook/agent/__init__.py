"""Stage 5: the turn loop: history, streaming, conversations that are kept."""
