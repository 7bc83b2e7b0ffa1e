"""Values for a schema from servers that cannot be trusted: what comes back and is not there."""
