"""What requests bring: bodies, fields, uploaded documents, and their limits."""
