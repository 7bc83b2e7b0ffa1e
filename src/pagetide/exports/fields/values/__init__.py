"""What texts say by their form: amounts, dates, numbers of accounts, addresses of the net."""
