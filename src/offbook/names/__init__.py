"""Names of persons: titles, short forms, kinship, likeness, in all scripts; pure functions."""
