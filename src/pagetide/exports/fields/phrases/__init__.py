"""A page's words as phrases, row by row: what labels and values are made of."""
