"""Stage 4: from what was recalled to what the model is told, within a budget of tokens."""
