"""The DynamoDB store: what its contract with all stores cannot reach."""

from __future__ import annotations

import random
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, NoCredentialsError
from msgspec.structs import replace

from pagetide.document import Failure
from pagetide.errors import BadOption, LeaseLost, StoreFailed, TooLarge, installing
from pagetide.server.jobs import endings
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Backlog, JobQuery
from pagetide.server.stores.dynamodb import open_store
from pagetide.server.stores.dynamodb.clearing import CHORE_S
from pagetide.server.stores.dynamodb.failures import Conflict
from pagetide.server.stores.dynamodb.items import stamp, through, time_of
from pagetide.server.stores.dynamodb.job_locks import until_done
from pagetide.server.stores.dynamodb.opening import Address, address_of, client_for, prepare
from pagetide.server.stores.dynamodb.requests import Table
from pagetide.server.stores.dynamodb.shape import definition
from pagetide.server.stores.dynamodb.store import DynamoStore
from tests.contract.stores import NOW, claim, held, make
from tests.parts.moto import Moto

MANY = 205  # tasks: more than two transactions take
LAST = 5  # the transaction that makes such a job: behind a chore and three of tasks
ENDPOINT = "dynamodb://eu-west-1/jobs?endpoint=http://127.0.0.1:1"


class Killed(BaseException):
    """The process dies at this request."""


@dataclass
class Spy:
    """boto3's client, with somebody who looks at every request before it is made.

    Attributes:
        before: Called with each operation and its arguments; may raise.
        after: The same, when it has been answered; what it returns is the answer.
        calls: How often each operation was asked for.
    """

    client: Any
    before: Callable[[str, dict[str, Any]], None] = lambda *_: None
    after: Callable[[str, dict[str, Any], Any], Any] = lambda *said: said[-1]
    calls: Counter[str] = field(default_factory=Counter)

    def __getattr__(self, operation: str) -> Any:
        if operation == "close":
            return self.client.close

        def call(**arguments: Any) -> Any:
            self.calls[operation] += 1
            self.before(operation, arguments)
            return self.after(
                operation, arguments, getattr(self.client, operation)(**arguments)
            )

        return call

    def fail(self, error: BaseException, operation: str, first: int = 1, last: int = 1) -> None:
        """Have an operation fail from one time to another, counted from now."""
        times = Counter[str]()

        def before(asked: str, _: dict[str, Any]) -> None:
            times[asked] += 1
            if asked == operation and first <= times[asked] <= max(first, last):
                raise error

        self.before = before


@dataclass
class Place:
    """A table of a test's own, and the stores that were opened on it."""

    address: Address
    stores: list[DynamoStore] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    now: float = NOW

    def open(self, *, patience_s: float = 10.0) -> tuple[DynamoStore, Spy]:
        spy = Spy(client_for(self.address))
        table = Table(spy, self.address.table, patience_s=patience_s, pause=self.pauses.append)
        prepare(table, create=True)
        store = DynamoStore(table, clock=lambda: self.now)
        self.stores.append(store)
        spy.calls.clear()
        return store, spy

    def items(self) -> list[tuple[str, str]]:
        """The keys of all items, but for where the turns of keys end."""
        client = client_for(self.address)
        pages = client.get_paginator("scan").paginate(TableName=self.address.table)
        found = [item for page in pages for item in page["Items"]]
        client.close()
        keys = [(item["pk"]["S"], item["sk"]["S"]) for item in found]
        return sorted(key for key in keys if not key[0].startswith("turns#"))


@pytest.fixture
def place(moto: Moto) -> Iterator[Place]:
    place = Place(address_of(moto.table()))
    yield place
    for store in place.stores:
        store.close()


def refusal(code: str, status: int = 400, *reasons: str) -> ClientError:
    """What DynamoDB answers."""
    answer: dict[str, Any] = {
        "Error": {"Code": code, "Message": "arn:aws:dynamodb:secret"},
        "ResponseMetadata": {"HTTPStatusCode": status},
        "CancellationReasons": [{"Code": reason} for reason in reasons],
    }
    return ClientError(answer, "TransactWriteItems")


def large(job_id: str = "big", **details: Any) -> tuple[Job, tuple[Task, ...]]:
    return make(job_id, *((page,) for page in range(1, MANY + 1)), **details)


def touch(job: Job, _: Task | None) -> Moved:
    return Moved(job=replace(job, pages_done=job.pages_done + 1))


def everywhere_nothing(store: DynamoStore, job_id: str = "big") -> None:
    """No method has anything of a job to do."""
    assert claim(store) is None
    assert store.waiting("cpu", NOW, 10) == ()
    assert store.next_due("cpu") is None
    assert store.overdue(NOW * 2) == ()
    assert store.leased_to("worker") == ()
    assert store.tasks(job_id) == ()


# The URL


def test_an_url_says_region_table_endpoint_and_whether_to_make_it() -> None:
    assert address_of("dynamodb://us-gov-west-1/page.tide_1") == Address(
        region="us-gov-west-1", table="page.tide_1", endpoint=None, create=True
    )
    asked = address_of("dynamodb://eu-west-1/jobs?endpoint=https://h:8000&create=no")
    assert (asked.endpoint, asked.create) == ("https://h:8000", False)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("dynamodb://eu-west-1/jobs?speed=geheim", "'speed'"),
        ("dynamodb://eu-west-1/jobs?create=geheim", "create"),
        ("dynamodb://eu-west-1/jobs?endpoint=geheim", "endpoint"),
        ("dynamodb://user:geheim@eu-west-1/jobs", "without credentials"),
        ("dynamodb://eu-west-1/jobs#geheim", "form"),
        ("dynamodb://[geheim/jobs", "form"),
        ("dynamodb://geheim/jobs", "region"),
        ("dynamodb://eu-west-1/", "table"),
        ("dynamodb://eu-west-1/jobs/geheim", "table"),
        ("dynamo://eu-west-1/jobs", "form"),
    ],
)
def test_an_url_of_another_form_is_refused_without_repeating_it(url: str, says: str) -> None:
    with pytest.raises(BadOption, match=says) as refused:
        open_store(url)
    assert "geheim" not in refused.value.message


def test_without_boto3_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.config", None)
    with pytest.raises(BadOption, match=re.escape(installing("aws"))):
        open_store(ENDPOINT)


# The table


def test_the_table_is_made_on_demand_with_a_time_to_live(place: Place) -> None:
    _, spy = place.open()
    name = place.address.table
    made = spy.describe_table(TableName=name)["Table"]
    assert made["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    live = spy.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert (live["TimeToLiveStatus"], live["AttributeName"]) == ("ENABLED", "gone_at")


def test_a_table_that_is_there_is_not_made_again(moto: Moto) -> None:
    url = moto.table()
    first = open_store(url)
    first.put_value("links", b"one")
    again = open_store(f"{url}&create=no")
    assert again.value("links", b"two") == b"one"
    first.close()
    again.close()


def test_a_missing_table_is_not_made_where_that_is_forbidden(moto: Moto) -> None:
    url = moto.table()
    for _ in range(2):
        with pytest.raises(BadOption, match="create=no"):
            open_store(f"{url}&create=no")


@pytest.mark.parametrize("lacks", ["key", "index", "attribute"])
def test_a_table_of_another_shape_is_refused(place: Place, lacks: str) -> None:
    client, asked = client_for(place.address), definition(place.address.table)
    indexes = asked["GlobalSecondaryIndexes"]
    if lacks == "key":
        asked["KeySchema"] = indexes[-1]["KeySchema"]
    elif lacks == "index":
        del indexes[0]
    else:
        indexes[0]["Projection"] = {"ProjectionType": "KEYS_ONLY"}
    used = {key["AttributeName"] for each in [asked, *indexes] for key in each["KeySchema"]}
    asked["AttributeDefinitions"] = [
        each for each in asked["AttributeDefinitions"] if each["AttributeName"] in used
    ]
    client.create_table(**asked)
    client.close()
    with pytest.raises(BadOption, match="is not a job store"):
        place.open()


def test_a_table_that_is_being_made_is_waited_for(place: Place) -> None:
    place.open()
    spy = Spy(client_for(place.address))

    def after(operation: str, _: dict[str, Any], answer: Any) -> Any:
        described = answer["Table"]
        if spy.calls[operation] == 1:
            described["TableStatus"] = "CREATING"
        elif spy.calls[operation] == 2:
            described["GlobalSecondaryIndexes"][0]["IndexStatus"] = "CREATING"
        return answer

    spy.after = after
    prepare(Table(spy, place.address.table, pause=place.pauses.append), create=True)
    assert spy.calls == {"describe_table": 3}
    spy.close()


def test_a_table_that_was_just_made_may_not_be_known_of(place: Place) -> None:
    spy = Spy(client_for(place.address))
    spy.fail(refusal("ResourceNotFoundException"), "describe_table", last=3)
    prepare(Table(spy, place.address.table, pause=place.pauses.append), create=True)
    assert (spy.calls["create_table"], len(place.pauses)) == (1, 2)
    spy.close()


def test_of_two_that_make_the_table_at_once_both_have_it(place: Place) -> None:
    spy = Spy(client_for(place.address))
    other = Table(client_for(place.address), place.address.table)

    def before(operation: str, _: dict[str, Any]) -> None:
        if operation == "create_table":
            prepare(other, create=True)

    spy.before = before
    prepare(Table(spy, place.address.table), create=True)
    assert spy.calls["create_table"] == 1
    spy.close()
    other.close()


# What fails


@pytest.mark.parametrize(
    "error",
    [
        refusal("ProvisionedThroughputExceededException"),
        refusal("ThrottlingException"),
        refusal("TransactionCanceledException", 400, "None", "ThrottlingError"),
        refusal("InternalServerError", 500),
        refusal("", 503),
        ConnectionClosedError(endpoint_url="http://secret"),
    ],
)
def test_what_may_pass_is_tried_again_and_then_fails(place: Place, error: Exception) -> None:
    store, spy = place.open()
    store.submit(*make())
    spy.fail(error, "transact_write_items", last=3)
    assert store.change("job", None, touch).job.version == 1
    assert len(place.pauses) == 3
    store, spy = place.open(patience_s=0.2)
    spy.fail(error, "transact_write_items", last=10**9)
    with pytest.raises(StoreFailed, match=r"The job database .*\.") as failed:
        store.change("job", None, touch)
    assert spy.calls["transact_write_items"] > 1
    assert "secret" not in failed.value.message
    assert failed.value.__cause__ is None


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (refusal("UnrecognizedClientException"), "rejects the credentials"),
        (refusal("AccessDeniedException"), "rejects the credentials"),
        (NoCredentialsError(), "no credentials"),
        (refusal("ValidationException"), "refused"),
        (refusal("ResourceNotFoundException"), "table no longer exists"),
    ],
)
def test_what_stays_fails_at_once(place: Place, error: Exception, says: str) -> None:
    store, spy = place.open()
    spy.fail(error, "get_item", last=9)
    with pytest.raises(StoreFailed, match=says) as failed:
        store.job("job")
    assert spy.calls == {"get_item": 1}
    assert "secret" not in failed.value.message


@pytest.mark.usefixtures("moto")  # for its credentials
def test_where_nobody_listens_the_store_fails() -> None:
    client = client_for(address_of(ENDPOINT))
    with pytest.raises(StoreFailed, match="cannot be reached"):
        prepare(Table(client, "jobs", patience_s=0.05), create=True)
    client.close()


def test_pauses_grow_and_are_random(place: Place) -> None:
    store, spy = place.open()
    random.seed(1)
    spy.fail(refusal("ThrottlingException"), "get_item", last=12)
    store.job("job")
    assert len(set(place.pauses)) == 12
    assert max(place.pauses[:2]) < 0.1
    assert 0.3 < max(place.pauses) <= 1.0


def test_a_write_whose_answer_was_lost_is_told_to_count_once(place: Place) -> None:
    store, spy = place.open()
    tokens: list[str] = []

    def after(operation: str, arguments: dict[str, Any], answer: Any) -> Any:
        if operation == "transact_write_items":
            tokens.append(arguments["ClientRequestToken"])
        return answer

    def before(operation: str, arguments: dict[str, Any]) -> None:
        if operation == "transact_write_items" and len(tokens) == 0:
            tokens.append(arguments["ClientRequestToken"])
            raise ConnectionClosedError(endpoint_url="")

    spy.before, spy.after = before, after
    store.submit(*make("a"))
    store.submit(*make("b"))
    assert tokens[0] == tokens[1] != tokens[2]


def test_keys_that_were_left_for_later_are_asked_for_again(place: Place) -> None:
    store, spy = place.open()
    names = [f"job-{n}" for n in range(5)]
    for name in names:
        store.submit(*make(name))

    def after(operation: str, arguments: dict[str, Any], answer: Any) -> Any:
        if operation == "batch_get_item" and len(answer["Responses"][table]) > 2:
            left = answer["Responses"][table][2:]
            del answer["Responses"][table][2:]
            keys = [{name: item[name] for name in ("pk", "sk")} for item in left]
            answer["UnprocessedKeys"] = {table: {"Keys": keys}}
        return answer

    table, spy.after = place.address.table, after
    assert [job.id for job in store.jobs(JobQuery())] == names[::-1]
    assert spy.calls["batch_get_item"] == 3


def test_who_always_comes_second_gives_up(place: Place) -> None:
    def attempt() -> None:
        raise Conflict

    with pytest.raises(StoreFailed, match="at once"):
        until_done(attempt, place.pauses.append, patience_s=0.2)
    assert len(place.pauses) > 1


def test_a_conflict_is_read_and_decided_anew(place: Place) -> None:
    store, _ = place.open()
    other, _ = place.open()
    store.submit(*make())
    seen: list[int] = []

    def move(job: Job, _: Task | None) -> Moved:
        if not seen:
            other.change("job", None, touch)
        seen.append(job.version)
        return touch(job, _)

    assert store.change("job", "job.0", move).job.pages_done == 2
    assert seen == [0, 1]


def test_a_task_that_changed_while_it_was_read_is_read_again(place: Place) -> None:
    """A job and its task are read in one request, but not at one moment."""
    store, spy = place.open()
    other, _ = place.open()
    store.submit(*make())
    old: list[Any] = []

    def after(operation: str, _: dict[str, Any], answer: Any) -> Any:
        if operation != "batch_get_item" or len(old) == 2:
            return answer
        found = answer["Responses"][place.address.table]
        old.append(next(item for item in found if item["sk"]["S"] != "job"))
        if len(old) == 2:
            found[:] = [item for item in found if item["sk"]["S"] == "job"] + [old[0]]
        return answer

    spy.after = after
    store.change("job", "job.0", touch)  # to have the task as it was
    held(other)
    seen: list[str] = []

    def look(job: Job, task: Task | None) -> Moved:
        assert task is not None
        seen.append(task.state)
        return Moved(job=job)

    store.change("job", "job.0", look)
    assert seen == ["waiting", "leased"]


def test_tasks_that_change_while_they_are_read_are_read_again(place: Place) -> None:
    """A partition is not read at one moment."""
    store, spy = place.open()
    other, _ = place.open()
    store.submit(*make("job", (1,), (2,)))
    spy.calls.clear()

    def after(operation: str, _: dict[str, Any], answer: Any) -> Any:
        if operation == "query" and spy.calls[operation] == 1:
            other.change("job", None, lambda job, _: endings.cancel(job, NOW))
        return answer

    spy.after = after
    assert store.tasks("job") == ()
    assert spy.calls["query"] == 2


@pytest.mark.parametrize("count", [2, MANY])
def test_a_move_may_drop_the_task_it_was_given(place: Place, count: int) -> None:
    store, _ = place.open()
    store.submit(*make("job", *((page,) for page in range(1, count + 1))))
    mine = held(store)
    why = Failure(code="damaged", message="It is damaged.")
    store.change(
        "job", mine.task.id, lambda job, task: moves.fail(job, task, mine.token, why, NOW)
    )
    assert store.tasks("job") == ()
    assert place.items() == [("job#job", "job")]


# Many at once, none of whom knows of the others


def at_once(calls: list[Callable[[], object]]) -> None:
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_changes_of_several_stores_all_count(place: Place) -> None:
    stores = [place.open()[0] for _ in range(4)]
    stores[0].submit(*make())

    def change(store: DynamoStore) -> None:
        for _ in range(5):
            store.change("job", None, touch)

    at_once([partial(change, store) for store in stores])
    job = stores[0].job("job")
    assert job is not None
    assert (job.version, job.pages_done) == (20, 20)


def test_several_stores_claim_each_task_once(place: Place) -> None:
    stores = [place.open()[0] for _ in range(4)]
    stores[0].submit(*make("a", *((page,) for page in range(1, 11))))
    stores[0].submit(*make("b", *((page,) for page in range(1, 11))))
    claimed: list[str] = []

    def work(store: DynamoStore) -> None:
        while mine := claim(store):
            claimed.append(mine.task.id)

    at_once([partial(work, store) for store in stores])
    assert len(claimed) == len(set(claimed)) == 20


# An index that is behind


def behind(spy: Spy) -> None:
    """Have every index say what it said when it was last asked the same."""
    said: dict[str, Any] = {}

    def after(operation: str, arguments: dict[str, Any], answer: Any) -> Any:
        if operation != "query" or "IndexName" not in arguments:
            return answer
        before, said[repr(arguments)] = said.get(repr(arguments), answer), answer
        return before

    spy.after = after


def test_a_task_that_an_index_still_lists_is_not_claimed_twice(place: Place) -> None:
    store, spy = place.open()
    store.submit(*make("a", *((page,) for page in range(1, 13))))
    behind(spy)
    assert sorted(held(store).task.id for _ in range(12)) == sorted(f"a.{n}" for n in range(12))
    assert claim(store) is None


def test_who_finds_only_what_is_taken_looks_again_a_few_times(place: Place) -> None:
    store, spy = place.open()
    store.submit(*make("a"))
    said: list[Any] = []

    def after(operation: str, arguments: dict[str, Any], answer: Any) -> Any:
        if operation == "query" and ":due" in arguments["ExpressionAttributeValues"]:
            said.append(answer)
            return said[0]
        return answer

    spy.after = after
    held(store)
    assert claim(store) is None
    assert 1 < len(place.pauses) < 9
    spy.after = lambda *said: said[-1]
    place.pauses.clear()
    assert claim(store) is None
    assert place.pauses == []  # who is told that nothing waits believes it


def test_what_an_index_says_of_jobs_is_looked_up(place: Place) -> None:
    store, spy = place.open()
    store.submit(*make("a"))
    behind(spy)
    running = JobQuery(status="queued")
    assert [job.id for job in store.jobs(running)] == ["a"]
    held(store)
    assert store.jobs(running) == ()
    assert store.expired(NOW * 2) == ()


# More than a transaction takes


def test_a_large_job_is_there_whole_and_goes_whole(place: Place) -> None:
    store, _ = place.open()
    job, tasks = large(idempotency_key="one")
    assert store.submit(job, tasks) == job
    assert store.submit(*large("other", idempotency_key="one")) == job
    kept = tuple(replace(task, turn=0.0) for task in store.tasks("big"))
    assert kept == tuple(sorted(tasks, key=lambda task: task.id))
    assert store.backlog("cpu", NOW).waiting == MANY
    assert ("job#big", "chore") not in place.items()
    holder = held(store)
    store.change("big", None, lambda job, _: endings.erase(job, NOW))
    with pytest.raises(LeaseLost):
        holder.renew()
    everywhere_nothing(store)
    assert store.backlog("cpu", NOW) == Backlog()
    assert place.items() == [("job#big", "job")]
    store.change("big", None, lambda job, _: endings.cleared(job))
    assert store.forget(NOW * 2) == 1
    assert place.items() == []


def test_a_large_job_that_finishes_keeps_its_finish_task(place: Place) -> None:
    store, _ = place.open()
    store.submit(*large())

    def finish(job: Job, _: Task | None) -> Moved:
        task = Task(id="big.finish", job_id="big", kind="finish", pool="cpu", due=NOW)
        return Moved(job=job, tasks=(task,))

    store.change("big", None, finish)
    dropping = partial(store.change, "big", "big.0")
    dropping(lambda job, _: Moved(job=replace(job, status="succeeded"), drop="read"))
    assert [task.id for task in store.tasks("big")] == ["big.finish"]
    assert [sk for _, sk in place.items()] == ["job", "task#big.finish"]
    assert dropping(lambda job, task: Moved(job=replace(job, pages_done=task is None))).job


@pytest.mark.parametrize("writes", [2, 3, 4, 5])
def test_a_large_submit_that_is_killed_leaves_nothing_to_do(place: Place, writes: int) -> None:
    store, spy = place.open()
    spy.fail(Killed(), "transact_write_items", first=writes)
    with pytest.raises(Killed):
        store.submit(*large(idempotency_key="one"))
    assert len(place.items()) > 0
    everywhere_nothing(store)
    assert store.job("big") is None
    assert store.jobs(JobQuery()) == ()
    left = place.items()
    place.now = NOW + CHORE_S - 1
    store.forget(NOW)
    assert place.items() == left  # it may still be at it
    place.now = NOW + CHORE_S
    store.forget(NOW)
    assert place.items() == []
    assert store.submit(*large(idempotency_key="one")).id == "big"
    assert len(store.tasks("big")) == MANY


def test_a_submit_that_takes_so_long_that_it_is_cleared_begins_again(place: Place) -> None:
    store, spy = place.open()
    other, _ = place.open()

    def before(operation: str, _: dict[str, Any]) -> None:
        if operation == "transact_write_items" and spy.calls[operation] == 3:
            place.now = NOW + CHORE_S
            other.forget(NOW)

    spy.before = before
    store.submit(*large())
    assert len(store.tasks("big")) == MANY
    assert len(place.items()) == MANY + 1


def test_a_submit_that_was_cleared_away_writes_no_more_tasks(place: Place) -> None:
    """Else they would be there for ever, if it were killed then."""
    store, spy = place.open()
    other, _ = place.open()

    def before(operation: str, _: dict[str, Any]) -> None:
        if operation == "transact_write_items" and spy.calls[operation] == 3:
            place.now = NOW + CHORE_S
            other.forget(NOW)
        if operation == "transact_write_items" and spy.calls[operation] == 4:
            raise Killed

    spy.before = before
    with pytest.raises(Killed):
        store.submit(*large())
    assert place.items() == []


def test_a_job_does_not_come_to_be_while_its_tasks_are_cleared_away(place: Place) -> None:
    store, spy = place.open()
    other, sweeping = place.open()

    def killed(operation: str, _: dict[str, Any]) -> None:
        if operation == "transact_write_items" and sweeping.calls[operation] == 2:
            raise Killed

    def before(operation: str, _: dict[str, Any]) -> None:
        if operation == "transact_write_items" and spy.calls[operation] == LAST:
            place.now = NOW + CHORE_S
            with pytest.raises(Killed):
                other.forget(NOW)

    sweeping.before, spy.before = killed, before
    store.submit(*large())
    assert len(store.tasks("big")) == MANY
    assert spy.calls["transact_write_items"] > 2 * LAST


def test_of_two_large_submits_with_one_idempotency_key_one_leaves_nothing(
    place: Place,
) -> None:
    store, spy = place.open()
    other, _ = place.open()

    def before(operation: str, _: dict[str, Any]) -> None:
        if operation == "transact_write_items" and spy.calls[operation] == 4:
            other.submit(*make("small", idempotency_key="one"))

    spy.before = before
    assert store.submit(*large(idempotency_key="one")).id == "small"
    assert {pk for pk, _ in place.items()} == {"job#small", "named#ada"}


@pytest.mark.parametrize("writes", [2, 3, 4])
def test_what_a_large_job_drops_is_void_though_nobody_removes_it(
    place: Place, writes: int
) -> None:
    store, spy = place.open()
    store.submit(*large())
    holder = held(store)
    spy.fail(Killed(), "transact_write_items", first=writes)
    with pytest.raises(Killed):
        store.change("big", None, lambda job, _: endings.cancel(job, NOW))
    job = store.job("big")
    assert job is not None
    assert job.status == "cancelled"
    assert len(place.items()) > 2
    with pytest.raises(LeaseLost):
        holder.renew()
    everywhere_nothing(store)
    place.now = NOW + CHORE_S
    store.forget(NOW)
    assert place.items() == [("job#big", "job")]


def test_a_sweep_that_is_killed_is_ended_by_the_next(place: Place) -> None:
    store, spy = place.open()
    spy.fail(Killed(), "transact_write_items", first=4)
    with pytest.raises(Killed):
        store.submit(*large())
    place.now = NOW + CHORE_S
    spy.fail(Killed(), "transact_write_items", first=3)
    with pytest.raises(Killed):
        store.forget(NOW)
    assert len(place.items()) > 10
    store.forget(NOW)
    assert place.items() == []


def test_a_change_of_more_tasks_than_fit_is_refused(place: Place) -> None:
    store, _ = place.open()
    store.submit(*make("big"))
    _, tasks = large()
    with pytest.raises(StoreFailed, match="more tasks"):
        store.change("big", None, lambda job, _: Moved(job=job, tasks=tasks))
    assert len(store.tasks("big")) == 1


def test_tasks_of_many_bytes_take_more_transactions(place: Place) -> None:
    store, spy = place.open()
    job, tasks = make("fat", *((n,) for n in range(1, 31)))
    noise = random.Random(1)  # noqa: S311 - no secret
    fat = [replace(task, done={0: noise.randbytes(100_000).hex()}) for task in tasks]
    store.submit(job, fat)
    assert len(store.tasks("fat")) == 30
    assert spy.calls["transact_write_items"] > 2


# What an item holds


def test_a_long_record_is_compressed_and_one_that_is_too_long_refused(place: Place) -> None:
    store, _ = place.open()
    job, tasks = make("a", metadata={"notes": "page " * 200_000})
    assert store.submit(job, tasks) == job
    assert store.job("a") == job
    noise = random.Random(1).randbytes(400_000).hex()  # noqa: S311 - no secret
    with pytest.raises(TooLarge, match="400 KB"):
        store.submit(*make("b", metadata={"notes": noise}))
    with pytest.raises(TooLarge, match="400 KB"):
        store.change("a", None, lambda job, _: Moved(job=replace(job, trace=noise)))
    assert store.job("b") is None
    assert store.job("a") == job


def test_dynamodb_itself_forgets_what_no_sweep_forgets(place: Place) -> None:
    store, spy = place.open()
    store.submit(*make("a"))
    store.submit(*make("b"))
    store.change("a", None, lambda job, _: endings.erase(job, NOW))

    def gone_at(job_id: str) -> Any:
        key = {"pk": {"S": f"job#{job_id}"}, "sk": {"S": "job"}}
        item = spy.get_item(TableName=place.address.table, Key=key)["Item"]
        return item.get("gone_at")

    assert int(gone_at("a")["N"]) > NOW + 365 * 86400
    assert gone_at("b") is None


@pytest.mark.parametrize(
    "seconds", [0.0, 0.1, NOW, NOW + 1 / 3, NOW + 2**-22, 99_999_999_999.5]
)
def test_a_stamp_gives_its_time_back_to_the_bit(seconds: float) -> None:
    assert time_of(f"{stamp(seconds)}#job.0") == seconds


def test_stamps_sort_as_times_do() -> None:
    times = [0.0, 9.5, 10.0, NOW, NOW + 2**-22, NOW + 1, NOW * 9]
    assert [stamp(each) for each in times] == sorted(stamp(each) for each in times)
    assert stamp(NOW) < f"{stamp(NOW)}#z" <= through(NOW) < stamp(NOW + 2**-22)


def test_owners_and_names_cannot_be_taken_for_one_another(place: Place) -> None:
    store, _ = place.open()
    store.submit(*make("a", owner="", idempotency_key=""))
    store.submit(*make("b", owner="x#y", idempotency_key="z"))
    store.submit(*make("c", owner="x", idempotency_key="y#z"))
    assert {job.id for job in store.jobs(JobQuery())} == {"a", "b", "c"}
    assert [job.id for job in store.jobs(JobQuery(owner=""))] == ["a"]
    assert store.count_active("", 9) == 1


def test_the_clock_is_dynamodbs(place: Place) -> None:
    store, spy = place.open()

    def after(operation: str, _: dict[str, Any], answer: Any) -> Any:
        answer["ResponseMetadata"]["HTTPHeaders"]["date"] = "Fri, 15 Jan 2027 08:00:00 GMT"
        return answer

    spy.after = after
    assert abs(store.clock() - NOW) < 1


# What it costs


def test_a_page_costs_nine_requests_and_no_more(place: Place) -> None:
    """Submit: look, write, turn. Claim: look, read, write. Then twice read and write."""
    store, spy = place.open()
    store.submit(*make())
    assert spy.calls == {"query": 1, "put_item": 1, "transact_write_items": 1}
    spy.calls.clear()
    mine = held(store)
    assert spy.calls == {"query": 1, "batch_get_item": 1, "transact_write_items": 1}
    spy.calls.clear()
    mine.read()
    assert spy.calls == {"batch_get_item": 2, "transact_write_items": 2}


# Notifications
