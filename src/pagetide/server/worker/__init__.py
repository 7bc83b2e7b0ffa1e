"""Workers: take tasks, renew their leases, read their pages, assemble results."""
