"""A PDF page's own text, in the child: characters become words and lines."""
