"""Tables on pages that people wrote by hand."""
