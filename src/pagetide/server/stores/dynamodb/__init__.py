"""The job store on DynamoDB: one table, no server to run.

    opening     URL -> client, table made or looked at
    shape       the table's key and indexes
    items       jobs and tasks as items
    requests    the requests, retried; all that talks to DynamoDB
    failures    what goes wrong, as our errors
    finding     what the indexes list, confirmed by consistent reads
    lines       tasks that wait or are leased
    writing     changes and new jobs as transactions
    usage       what owners that have an allowance have used, in those transactions
    clearing    what a process that was killed has left
    job_locks   who writes a job, and who waits until then
    store       the port

An index is always a little behind the table, so it only proposes: whether a task waits is
read from the table, and whether it still does is a condition of the write.

A transaction takes 100 items. Of what has more, the job's item decides: a task counts only
if the job vouches for it (`items.vouched`). What is void is removed afterwards.

Limits: an item has at most 400 KB. A line of waiting tasks (a pool's interactive or batch
tasks) takes some 500 claims a second, and all leases together some 500 changes, because each
is one partition of an index. An owner that has an allowance may submit and end some 50 jobs a
second, because each writes one item.
"""

from pagetide.server.stores.dynamodb.opening import open_store

__all__ = ["open_store"]
