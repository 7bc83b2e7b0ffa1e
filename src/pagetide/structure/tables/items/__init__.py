"""Item tables, as in invoices: headers with rows of figures below, whatever is drawn."""
