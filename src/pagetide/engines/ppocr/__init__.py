"""The PP-OCR pipeline: detect lines, recognise them."""
