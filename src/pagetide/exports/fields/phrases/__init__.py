"""A page's words as phrases, row by row: the basis of labels and values."""
