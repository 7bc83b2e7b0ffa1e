"""The description of the API, and its page."""
