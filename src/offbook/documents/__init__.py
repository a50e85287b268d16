"""From files to documents to chunks."""
