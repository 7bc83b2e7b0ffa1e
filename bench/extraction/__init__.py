"""Values for a schema from servers that cannot be trusted: what comes back that is not there."""
