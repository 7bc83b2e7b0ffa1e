"""Values recognised by form: amounts, dates, account numbers, web addresses."""
