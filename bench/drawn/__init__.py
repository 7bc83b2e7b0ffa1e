"""Documents of twelve kinds, drawn with their ground truth, and how well they are read."""
