"""Where it is kept: one schema on SQLite and PostgreSQL, operations as plain functions."""
