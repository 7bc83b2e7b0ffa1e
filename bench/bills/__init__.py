"""Bills by several authors, as PDFs, with the Markdown that a careful person would want."""
