"""Seller and customer: names, addresses, accounts and tax numbers."""
