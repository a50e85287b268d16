"""Stage 1: from files to documents to chunks."""
