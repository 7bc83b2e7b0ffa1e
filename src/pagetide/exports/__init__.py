"""A document in the formats that other programs read."""
