"""From untrusted bytes to pages: everything that opens a document."""
