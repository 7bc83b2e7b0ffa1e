"""Who bills whom: names, addresses, accounts and tax numbers."""
