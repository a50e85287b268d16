"""From what was recalled to what the model is told, within a budget of tokens."""
