"""Tables in the style of offices, companies and papers: random, combined features."""
