"""The functions of AWS Lambda: thin, around what the processes of a cluster do as well.

    api         the HTTP API
    read_tasks  a worker for what SQS brings
    sweep       one sweep, and the webhooks that are due

Each module has a `handle(event, context)`. What is costly to make, such as a model, is made
with the first call and kept for the next ones, for as long as Lambda keeps the process.
"""
