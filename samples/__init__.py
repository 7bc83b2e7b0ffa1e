"""The project's own sample pages, and the programs that draw and show them."""
