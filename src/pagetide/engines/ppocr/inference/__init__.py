"""The networks of PP-OCR: their weights, graphs and runtimes."""
