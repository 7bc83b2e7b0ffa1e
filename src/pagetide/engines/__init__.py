"""The code that runs models."""
