"""What a replay shows: a chart, a picture, a page, lines of text."""
