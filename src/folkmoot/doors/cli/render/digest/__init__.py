"""A digest as text, as Markdown and as a page."""
