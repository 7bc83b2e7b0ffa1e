"""The function that reads, run by Lambda's own runtime client, with Moto's SQS, S3, DynamoDB.

The queues hide a message for an hour, as the template's do, so what comes back within a test
was let go of by the function itself.
"""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from pagetide.server.jobs.job import Job
from tests.parts.aws_account import SWEEP, Account
from tests.parts.aws_account import account as account
from tests.parts.aws_account import s3_url as s3_url
from tests.parts.lambda_runtime import Function, FunctionFailed
from tests.waiting import until

NOTHING_LEFT: dict[str, Any] = {"batchItemFailures": []}
AGAIN = pytest.mark.slow("kills or stops a function, one test of which is always run")
SHORT = {"PAGETIDE_LEASE_S": "2"}  # for what waits until a lease has run out


def assert_all_done(account: Account) -> None:
    until(lambda: account.left() == 0, why="a message is left")
    assert account.counted("dead") == (0, 0)


def leased(account: Account, job: Job) -> bool:
    return any(task.lease for task in account.service.store.tasks(job.id))


def warmed(account: Account, processes: int) -> Function:
    """The function that reads, with so many processes, each of which has read before."""
    function = account.function()
    for _ in range(processes):
        account.submit(1, "fake?lines=2")  # none of the answers that a test asks for
    events = [account.received() for _ in range(processes)]
    with ThreadPoolExecutor(processes) as threads:
        answers = list(threads.map(function.invoke, events))
    assert answers == [NOTHING_LEFT] * processes
    for (record,) in (event["Records"] for event in events):  # as Lambda does
        url, receipt = account.url("cpu-interactive"), record["receiptHandle"]
        account.sqs.delete_message(QueueUrl=url, ReceiptHandle=receipt)
    return function


def test_documents_are_read_and_nothing_is_left(account: Account) -> None:
    jobs = [account.submit(pages) for pages in (5, 1, 3)]
    function = account.function()
    account.sources(function)
    for job in jobs:
        account.assert_read(job)
    assert_all_done(account)


def test_what_is_throttled_comes_again(account: Account) -> None:
    function = account.function(concurrency=1)
    jobs = [account.submit(2, "fake?slow=0.3") for _ in range(4)]
    account.sources(function, pollers=2)
    for job in jobs:
        account.assert_read(job)
    assert function.throttled > 0
    assert_all_done(account)


def test_the_one_who_reads_the_last_page_finishes_the_job(account: Account) -> None:
    job = account.submit(2)
    assert account.function().invoke(account.received()) == NOTHING_LEFT
    account.assert_read(job)
    assert account.counted("cpu-first") == (0, 0)


def test_a_message_that_comes_twice_does_no_harm(account: Account) -> None:
    job, function = account.submit(2), account.function()
    event = account.received()
    assert function.invoke(event) == NOTHING_LEFT
    before = account.ended(job)
    assert function.invoke(event) == NOTHING_LEFT
    assert account.service.job(job.id) == before
    account.assert_read(job)


def test_a_message_that_comes_twice_at_once_is_worked_on_once(account: Account) -> None:
    function = warmed(account, 2)
    job = account.submit(2, "fake?slow=2")
    event = account.received()
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(function.invoke, event)
        until(lambda: leased(account, job))
        again = function.invoke(event)
        assert first.result() == NOTHING_LEFT
    ids = [record["messageId"] for record in event["Records"]]
    assert again == {"batchItemFailures": [{"itemIdentifier": ids[0]}]}
    account.assert_read(job)
    assert all(task.attempts == 0 for task in account.service.store.tasks(job.id))


def test_of_a_batch_only_what_is_not_done_comes_again(account: Account) -> None:
    """One task is somebody else's just now, one message is nobody's, one task is read."""
    function = warmed(account, 2)
    held, first = account.submit(1, "fake?slow=4"), account.received()
    free, second = account.submit(1), account.received()
    garbage = dict(first["Records"][0], body="{}", messageId="garbage")
    event = {"Records": [*second["Records"], garbage, first["Records"][0]]}
    with ThreadPoolExecutor(1) as threads:
        holding = threads.submit(function.invoke, first)
        until(lambda: leased(account, held))
        answer = function.invoke(event)
        assert holding.result() == NOTHING_LEFT
    failed = [one["itemIdentifier"] for one in answer["batchItemFailures"]]
    assert failed == [first["Records"][0]["messageId"]]
    account.assert_read(free)
    assert account.counted("dead") == (1, 0)


def test_a_function_that_is_killed_loses_nothing(account: Account) -> None:
    account.change(SHORT)
    job, function = account.submit(4, "fake?slow=1"), account.function()
    account.sources(function)
    until(lambda: function.busy[:] if leased(account, job) else None)[0].kill()
    sweep = account.function(SWEEP)
    until(lambda: sweep.invoke({}) is None and account.service.job(job.id).ended, 120)
    account.assert_read(job)
    assert_all_done(account)


@AGAIN
def test_a_killed_functions_message_is_back_after_a_lease(account: Account) -> None:
    account.change(SHORT)
    job, function = account.submit(1, "fake?slow=20"), account.function()
    event = account.received()
    with ThreadPoolExecutor(1) as threads:
        killed = threads.submit(function.invoke, event)
        until(lambda: leased(account, job))
        function.busy[0].kill()
        with pytest.raises(FunctionFailed, match="Runtime exited"):
            killed.result()
    until(lambda: account.counted("cpu-interactive") == (1, 0))


@AGAIN
def test_it_stops_before_its_time_is_up(account: Account) -> None:
    account.change({"PAGETIDE_TASK_PAGES": "12", "PAGETIDE_DRAIN_S": "2"})
    function = warmed(account, 1)
    function.timeout_s = 12  # it stops after 6 s: that its task would take 9.6 s is too long
    job = account.submit(12, "fake?slow=0.8", priority="batch")
    account.sources(function)
    account.assert_read(job)
    assert_all_done(account)
    until(lambda: any("time is up" in process.said() for process in function.idle))
    assert all(task.attempts == 0 for task in account.service.store.tasks(job.id))


def test_what_no_store_can_be_reached_for_comes_again_soon(account: Account) -> None:
    account.submit(1)
    event = account.received()
    away = {"PAGETIDE_STORE": "dynamodb://us-east-1/away?endpoint=http://127.0.0.1:9"}
    with Function(
        "pagetide.server.aws_lambda.read_tasks.handle", {**account.environment, **away}
    ) as it:
        answer = it.invoke(event)
    ids = [record["messageId"] for record in event["Records"]]
    assert answer == {"batchItemFailures": [{"itemIdentifier": ids[0]}]}
    assert account.counted("dead") == (0, 0)
    until(lambda: account.counted("cpu-interactive") == (1, 0))


def test_other_events_are_refused(account: Account) -> None:
    function = account.function()
    strange: list[dict[str, Any]] = [{"eventSourceARN": "arn:aws:s3:::bucket"}]
    events: list[dict[str, Any]] = [{}, {"Records": []}, {"Records": strange}]
    for event in events:
        with pytest.raises(FunctionFailed, match="BadOption"):
            function.invoke(event)


@AGAIN
def test_a_wake_up_that_was_lost_is_sent_again(account: Account) -> None:
    job = account.submit(2)
    account.received()
    account.sqs.purge_queue(QueueUrl=account.url("cpu-interactive"))
    sweep, function = account.function(SWEEP), account.function()
    account.sources(function)
    until(lambda: sweep.invoke({}) is None and account.service.job(job.id).ended, 120)
    account.assert_read(job)


class Webhook:
    """Somebody's server that is told of a job."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        webhook = self

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                webhook.told.append(json.loads(body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None: ...

        self._server = HTTPServer(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.mark.parametrize("caller", ["the reader", "the sweep"])
def test_a_webhook_is_called(account: Account, caller: str) -> None:
    allowed = {"PAGETIDE_ALLOW_HOSTS": "127.0.0.1"}
    account.change(allowed)
    with closing(Webhook()) as webhook:
        job = account.submit(1, webhook_url=webhook.url)
        if caller == "the sweep":
            account.service.cancel(job.id)
            account.function(SWEEP).invoke({})
        else:
            function, event = account.function(), account.received()
            # Where time is short, it is left to the next call.
            until(lambda: function.invoke(event) == NOTHING_LEFT and webhook.told)
        status = account.service.job(job.id).status
        assert [told["data"]["status"] for told in webhook.told] == [status]
        assert len(account.service.deliveries(account.service.job(job.id))) == 1
