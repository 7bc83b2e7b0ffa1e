"""Pagetide reads documents: PDFs and pictures in; text, boxes and reading order out."""
