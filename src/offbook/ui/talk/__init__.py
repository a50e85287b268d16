"""Talking to a character: the conversation, and beside it why each reply is as it is."""
