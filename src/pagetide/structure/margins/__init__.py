"""Page margins: headers, footers, page numbers, footnotes."""
