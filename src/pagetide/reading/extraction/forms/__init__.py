"""A schema as a form, and the form filled in."""
