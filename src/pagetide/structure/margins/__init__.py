"""What stands at a page's edges: headers, footers, page numbers, footnotes."""
