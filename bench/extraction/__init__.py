"""Values for a schema from untrusted servers: which returned values are not on the page."""
