"""How much there is to do, and what keeps workers from starting."""
