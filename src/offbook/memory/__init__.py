"""What a character remembers of conversations, and what it felt in them."""
