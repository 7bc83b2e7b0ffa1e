"""Documents of twelve kinds, drawn with their truth, and how well they are read."""
