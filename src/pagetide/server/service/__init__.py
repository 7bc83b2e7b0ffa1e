"""Jobs for callers: submission, admission, queries, cancelling, erasing; and demand."""
