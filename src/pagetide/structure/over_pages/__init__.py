"""What only the pages of a document together show."""
