"""How an older database becomes the one of this version: Alembic revisions, oldest first."""
