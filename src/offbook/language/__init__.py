"""Pure functions on text: words, sentences, scripts, tokens, names. No I/O, nothing heavy."""
