"""What responses hold: JSON of jobs, pools and reviews, representations, streams, headers."""
