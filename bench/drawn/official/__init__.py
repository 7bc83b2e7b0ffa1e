"""Tables as offices, companies and papers print them: each feature by chance, and combined."""
