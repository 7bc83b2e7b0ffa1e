"""Questions and answers on a page: labels with their values, check boxes."""
