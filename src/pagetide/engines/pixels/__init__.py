"""What is seen on a page's picture without a network."""
