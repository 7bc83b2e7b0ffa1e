"""Picture files, in the child, and photos of pages straightened."""
