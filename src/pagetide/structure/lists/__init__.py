"""Lists, tables of contents and code."""
