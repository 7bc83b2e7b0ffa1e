"""Documents as searchable PDFs."""
