"""Invoices and receipts: parties, items, and whether the sums add up."""
