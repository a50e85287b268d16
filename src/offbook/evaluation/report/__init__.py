"""Reports of runs: Markdown, CSV, LaTeX, pictures and one HTML page, all of the same numbers."""
