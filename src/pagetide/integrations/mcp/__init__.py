"""A server of the Model Context Protocol: documents for language models, over stdio."""
