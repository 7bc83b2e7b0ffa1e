"""The content of an analysis, and where in it each word stands."""
