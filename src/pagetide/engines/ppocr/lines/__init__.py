"""Pictures of lines, and what is read from them."""
