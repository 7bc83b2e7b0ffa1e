"""Documents as text, Markdown, HTML and hOCR."""
