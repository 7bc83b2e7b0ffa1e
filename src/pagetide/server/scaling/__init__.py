"""How many workers there should be, and the processes that follow."""
