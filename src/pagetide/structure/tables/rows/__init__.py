"""Groups the lines of a table's text into rows."""
