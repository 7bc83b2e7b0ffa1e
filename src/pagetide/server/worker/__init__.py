"""What reads: takes tasks, keeps them alive, reads their pages, puts results together."""
