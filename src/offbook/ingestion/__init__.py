"""Stage 1b: what is read, split and embedded becomes knowledge, resumable at every step."""
