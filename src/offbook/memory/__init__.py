"""Stage 2b: what a character remembers of conversations, and what it felt in them."""
