"""Reading for many: jobs that outlive whoever serves or reads them."""
