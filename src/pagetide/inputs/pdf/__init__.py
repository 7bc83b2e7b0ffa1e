"""PDFs, in the child: pages, text, links, forms and outline by PDFium."""
