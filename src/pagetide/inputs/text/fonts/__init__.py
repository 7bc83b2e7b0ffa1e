"""What a page's fonts tell of its words: weight, slant, the height of a line."""
