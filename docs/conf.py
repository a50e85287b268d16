"""Settings of the documentation site: Sphinx with MyST (Markdown) and the theme furo.

Takes: the pages of this folder.  Gives: `make docs` writes build/docs.
"""

project = "offbook"
author = "The offbook authors"
extensions = ["myst_parser"]
exclude_patterns = ["generate.py", "pictures.py"]

html_theme = "furo"
html_title = "offbook"
html_theme_options = {"top_of_page_buttons": []}
html_show_sphinx = False

# Anchors as on GitHub, so that one link serves both; tables need nothing else.
myst_heading_anchors = 4
