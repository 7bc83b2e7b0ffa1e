"""Reading for a data lake: documents in a bucket in, a row for each page out.

`pagetide batch` runs it on one machine or on Ray; `integrations.ray` and `integrations.spark`
are for pipelines of one's own.
"""
