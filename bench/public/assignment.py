"""The assignment of rows to columns with the lowest total cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def assigned(costs: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pairs of a row and a column, by rows; each once, as many as the smaller side has.

    Args:
        costs: Of each row with each column.

    Source: shortest augmenting paths, Jonker and Volgenant, Computing 38 (1987) 325.
    """
    if costs.shape[0] > costs.shape[1]:
        return sorted((row, column) for column, row in assigned(costs.T))
    rows, columns = costs.shape
    of_row, of_column = np.zeros(rows), np.zeros(columns)
    owner = np.full(columns, -1)
    for free in range(rows):
        row, cheapest = free, np.full(columns, np.inf)
        before, seen = np.full(columns, -1), np.zeros(columns, bool)
        column = -1
        while row >= 0:
            if column >= 0:
                seen[column] = True
            so_far = cheapest[column] if column >= 0 else 0.0
            ways = so_far + costs[row] - of_row[row] - of_column
            nearer = ~seen & (ways < cheapest)
            cheapest[nearer], before[nearer] = ways[nearer], column
            column = int(np.argmin(np.where(seen, np.inf, cheapest)))
            row = int(owner[column])
        length = cheapest[column]
        done = np.flatnonzero(seen)
        of_row[free] += length
        of_row[owner[done]] += length - cheapest[done]
        of_column[done] -= length - cheapest[done]
        while column >= 0:  # each column on the path takes the row of the one before
            earlier = int(before[column])
            owner[column] = owner[earlier] if earlier >= 0 else free
            column = earlier
    return sorted((int(row), column) for column, row in enumerate(owner) if row >= 0)
