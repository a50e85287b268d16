"""The published tables as data: what each runs, what the papers print, what is done otherwise."""
