"""Which lines of a table's text make one row."""
