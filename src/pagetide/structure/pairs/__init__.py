"""Names with their values: in columns, in lists, in the fields of a form."""
