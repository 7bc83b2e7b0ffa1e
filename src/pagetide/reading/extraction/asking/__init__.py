"""Questions to a model server."""
