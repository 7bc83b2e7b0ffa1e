"""Invoices and receipts: who bills whom for what, and whether the sums come out."""
