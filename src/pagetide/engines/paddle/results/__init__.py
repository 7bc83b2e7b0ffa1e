"""PaddleOCR's JSON as readings."""
