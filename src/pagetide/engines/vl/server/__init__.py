"""The server that runs PaddleOCR-VL, and its answers."""
