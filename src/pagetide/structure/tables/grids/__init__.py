"""From a box, its rules and its words to a grid of cells."""
