"""Tables as CSV, workbooks and data frames."""
