"""Bills by other hands, as PDFs, with the Markdown that a careful person would want."""
