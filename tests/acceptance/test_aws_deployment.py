"""The template of `deploy/aws` deployed into Moto, and its functions run as it sets them up.

The functions' variables, the queues, the table and the bucket are those of the stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pagetide.server.stores.dynamodb import open_store
from pagetide.server.wiring import open_service, open_worker
from pagetide.settings import Settings
from tests.parts.aws_account import API, READ, SWEEP, Api, new_key
from tests.parts.azurite import Azurite
from tests.parts.cloudformation import Stack, deploy
from tests.parts.clouds import az_url as az_url
from tests.parts.lambda_events import EventSource
from tests.parts.lambda_runtime import ACCOUNT, Function
from tests.parts.moto import REGION, Moto
from tests.parts.moto import aws_credentials as aws_credentials
from tests.serving import Working, pdf, text_of_page

pytestmark = [
    pytest.mark.usefixtures("aws_credentials"),
    pytest.mark.slow("plays AWS on stand-ins written in Python"),
]

MODELS = {"PAGETIDE_POOLS": '{cpu = "fake"}'}


@pytest.fixture
def ends() -> Iterator[ExitStack]:
    with ExitStack() as ends:
        yield ends


def running(
    ends: ExitStack, stack: Stack, name: str, module: str, more: Mapping[str, str] = MODELS
) -> Function:
    """A function of the stack, with its variables, but for Lambda's own folder."""
    given = {**stack.environment(name), **more}
    for folder in ("PAGETIDE_DATA_DIR", "PAGETIDE_CACHE_DIR"):
        given.pop(folder, None)
    return ends.enter_context(Function(module, given, timeout_s=60))


def caller(
    ends: ExitStack, stack: Stack, folder: Path, monkeypatch: pytest.MonkeyPatch, **more: str
) -> Api:
    """Who calls the stack's API, with a key in its table."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", stack.endpoint)
    with closing(open_store(stack.environment("ApiFunction")["PAGETIDE_STORE"])) as store:
        key = new_key(store, "tester")
    return Api(running(ends, stack, "ApiFunction", API, more or MODELS), key)


def read_whole(api: Api, pages: int) -> None:
    job = api.submit(pdf(pages)).json()
    ended = api.ended(job["id"])
    assert (ended["status"], ended["pages_done"]) == ("succeeded", pages)
    texts = [page["lines"][0]["text"] for page in ended["result"]["pages"]]
    assert texts == [text_of_page(n + 1) for n in range(pages)]


def test_upload_to_result_on_the_stack_of_aws(
    moto: Moto, ends: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = deploy(moto.endpoint)
    api = caller(ends, stack, tmp_path, monkeypatch)
    read = running(ends, stack, "ReadFunction", READ)
    with closing(stack.client("sqs")) as sqs, ends:
        for source in stack.taken_sources():
            queue = source["EventSourceArn"].rpartition(":")[2]
            batch, pollers = source["BatchSize"], source["ScalingConfig"]["MaximumConcurrency"]
            pollers = min(pollers, 2)
            ends.enter_context(EventSource(read, sqs, queue, pollers=pollers, batch=batch))
        read_whole(api, 3)
        running(ends, stack, "SweepFunction", SWEEP).invoke({})


def test_the_two_clouds(
    moto: Moto,
    azurite: Azurite,
    az_url: str,
    ends: ExitStack,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Documents in S3, jobs in DynamoDB, wake-ups and results on Azure, the worker there."""
    stack = deploy(moto.endpoint, Shape="two-clouds", AzurePools='{gpu = "fake"}')
    azure = {
        "PAGETIDE_QUEUE": f"azurequeue://{azurite.account}/{stack.name}"
        f"?endpoint={azurite.queue_endpoint}",
        "PAGETIDE_RESULTS": az_url,
        "PAGETIDE_AZURE_KEY": azurite.key,
        "AZURE_STORAGE_ACCOUNT_KEY": azurite.key,
    }
    api = caller(ends, stack, tmp_path, monkeypatch, **azure)
    job = api.submit(pdf(2)).json()
    given = stack.environment("ApiFunction") | azure | {"PAGETIDE_DATA_DIR": str(tmp_path)}
    settings = replace(Settings.from_environment(given), idle_s=600.0)
    worker = Working(open_worker(settings, "gpu"))
    ends.callback(worker.end)
    # Between its calls the API's function is frozen, and may still have wake-ups to send.
    ended = api.ended(job["id"])
    worker.worker.stop()
    assert worker.join() == "stopped"
    assert (ended["status"], ended["pages_done"]) == ("succeeded", 2)
    with closing(open_service(settings)) as service:
        found = service.job(job["id"])
        assert [blob.key for blob in service.blobs.under(found.prefix)]
        assert service.blobs.find(found.input)
    with closing(stack.client("s3")) as s3:
        listed = s3.list_objects_v2(Bucket=stack.resources["Documents"])["Contents"]
    assert [one["Key"] for one in listed] == [f"pagetide/{found.input}"]


def test_the_stacks_table_is_the_one_that_the_store_makes(moto: Moto) -> None:
    stack = deploy(moto.endpoint)
    url = moto.table()
    made = url.partition("?")[0].rpartition("/")[2]
    with closing(open_store(url)), closing(stack.client("dynamodb")) as client:
        assert shape_of(client, made) == shape_of(client, stack.resources["Jobs"])


def shape_of(client: Any, name: str) -> dict[str, Any]:
    """What Moto makes of it; it makes nothing of a template's TTL and backups."""
    table = client.describe_table(TableName=name)["Table"]
    indexes = {
        one["IndexName"]: (one["KeySchema"], one["Projection"])
        for one in table["GlobalSecondaryIndexes"]
    }
    attributes = sorted(map(str, table["AttributeDefinitions"]))
    billing = table["BillingModeSummary"]["BillingMode"]
    return {
        "key": table["KeySchema"],
        "attributes": attributes,
        "indexes": indexes,
        "billing": billing,
    }


def test_a_key_of_its_own_encrypts_documents_and_wake_ups(moto: Moto) -> None:
    stack = deploy(moto.endpoint, OwnKey="yes")
    with ExitStack() as ends:
        s3, sqs = (ends.enter_context(closing(stack.client(name))) for name in ("s3", "sqs"))
        key = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/{stack.resources['Key']}"
        encrypted = s3.get_bucket_encryption(Bucket=stack.resources["Documents"])
        (rule,) = encrypted["ServerSideEncryptionConfiguration"]["Rules"]
        assert rule["ApplyServerSideEncryptionByDefault"]["KMSMasterKeyID"] == key
        for name in ("CpuFirst", "CpuInteractive", "CpuBatch", "DeadLetters"):
            asked = sqs.get_queue_attributes(
                QueueUrl=stack.resources[name], AttributeNames=["KmsMasterKeyId"]
            )
            assert asked["Attributes"]["KmsMasterKeyId"] == key


def test_what_a_stack_has(moto: Moto) -> None:
    stack = deploy(moto.endpoint)
    sources = stack.taken_sources()
    assert {one["EventSourceArn"].partition(stack.name)[2] for one in sources} == {
        "-cpu-first",
        "-cpu-interactive",
        "-cpu-batch",
    }
    assert {str(one["FunctionResponseTypes"]) for one in sources} == {
        "['ReportBatchItemFailures']"
    }
    with closing(stack.client("events")) as client:
        rules = client.list_rules(NamePrefix=stack.name)["Rules"]
    assert [rule["ScheduleExpression"] for rule in rules] == ["rate(1 minute)"]
    assert REGION in stack.environment("ReadFunction")["PAGETIDE_QUEUE"]
