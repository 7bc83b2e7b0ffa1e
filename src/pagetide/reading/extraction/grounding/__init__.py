"""Where values stand in the document."""
