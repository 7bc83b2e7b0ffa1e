"""An API on AWS and workers on Azure: what one half tells, the other takes."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tests.deploy.arm import rendered
from tests.deploy.azure_processes import processes
from tests.deploy.azure_rules import FOLDER, parameters, read

AWS = FOLDER.parent / "aws" / "template.yaml"
# AWS's parameter, and what of Azure's deployment is put into it.
HANDED_OVER = {"AzureQueueUrl": "queueUrl", "AzureResultsUrl": "resultsUrl"}
OF_A_SERVICE_PRINCIPAL = {"AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"}


def template() -> Any:
    """CloudFormation's, with what `!If` and `!Sub` are given in place of what they make."""

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Knows AWS's tags."""

    def given(loader: Any, _: str, node: Any) -> Any:
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        return loader.construct_scalar(node)

    Loader.add_multi_constructor("!", given)
    return yaml.load(AWS.read_text(), Loader)  # noqa: S506 - it makes lists and texts alone


def test_the_api_takes_what_azure_tells() -> None:
    aws = template()
    outputs = rendered(read("template.json"), parameters("gpu", account="tide")).outputs
    for name, output in HANDED_OVER.items():
        assert re.fullmatch(aws["Parameters"][name]["AllowedPattern"], outputs[output]), name
    environment = aws["Resources"]["ApiFunction"]["Properties"]["Environment"]["Variables"]
    # With a service principal, for the account takes no keys; `apiPrincipalId` gives it rights.
    assert environment.keys() >= OF_A_SERVICE_PRINCIPAL
    assert "PAGETIDE_AZURE_KEY" not in environment


def test_the_workers_run_what_the_api_takes() -> None:
    pools = template()["Parameters"]["AzurePools"]["Default"]
    deployment = rendered(read("template.json"), parameters("gpu"))
    [worker] = [each for each in processes(deployment) if each.command == "worker"]
    assert worker.environment["PAGETIDE_POOLS"] == pools
    assert worker.environment["PAGETIDE_WARM_MODELS"] in pools


def test_the_workers_find_documents_where_the_api_puts_them() -> None:
    said = template()["Resources"]["ApiFunction"]["Properties"]["Environment"]["Variables"]
    deployment = rendered(read("template.json"), parameters("gpu"))
    [worker] = [each for each in processes(deployment) if each.command == "worker"]
    bucket = r"s3://[^/]+/pagetide\?region=.+"
    for environment in (said, worker.environment):
        assert re.fullmatch(bucket, environment["PAGETIDE_BLOBS"])
    keys = {"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    assert worker.environment.keys() >= keys
