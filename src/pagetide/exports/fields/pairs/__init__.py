"""What is asked on a page and what is answered: labels with their values, boxes to tick."""
