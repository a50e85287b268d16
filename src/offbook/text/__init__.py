"""Text: words, sentences, tokens and closed word classes; pure functions, nothing heavy."""
