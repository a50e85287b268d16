"""The page: a person's way to pick a character, talk to it and see why it answers as it does."""
