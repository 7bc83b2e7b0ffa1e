"""A PDF page's own text, in the child: from characters to words and lines."""
