"""The template for AWS: cfn-lint's rules and ours, and faults that they must catch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.deploy.aws_rules import complaints
from tests.parts.cloudformation import TEMPLATE, resources, template

TWO_CLOUDS = {"Shape": "two-clouds", "AzureSecret": "azure"}
SHAPES: Mapping[str, Mapping[str, str]] = {
    "aws": {},
    "aws with a key": {"OwnKey": "yes", "ReadConcurrency": "40"},
    "two-clouds": TWO_CLOUDS,
}
# What is put in place of what, and what then is said.
LINT_FAULTS = (
    (
        "      Timeout: 120\n",
        "      Timeout: 1200\n",
        "1200 is greater than the maximum of 900",
    ),
    ("      MemorySize: 512\n", "      MemorySize: 64\n", "64 is less than the minimum of 128"),
    ("  ApiLog:\n", "  ApiLogs:\n", "ApiLog"),
    ("!GetAtt CpuBatch.Arn]", "!GetAtt CpuBatches.Arn]", "CpuBatches"),
    ("TreatMissingData: breaching", "TreatMissingData: breeching", "breeching"),
    ("maxReceiveCount: 100}", "maxReceiveCounts: 100}", "maxReceiveCounts"),
    ("PackageType: Image", "PackageType: Picture", "Picture"),
    ("AuthType: NONE", "AuthType: OPEN", "OPEN"),
    ("[ReportBatchItemFailures]", "[ReportFailures]", "ReportFailures"),
)
FAULTS = (
    ("      Tags: [{Key: cost, Value: !Ref CostTag}]\n", "", "has no tag `cost`"),
    ("dynamodb:Query", "dynamodb:*", "KeepPolicy allows more actions"),
    ('Resource: !Sub "${Documents.Arn}/pagetide/*"', 'Resource: "*"', "names no resource"),
    ("Role: !GetAtt SweepRole.Arn", "Role: !GetAtt ApiRole.Arn", "share a role"),
    ("      RetentionInDays: !Ref LogDays\n", "", "keeps logs for ever"),
    ('"/aws/lambda/${AWS::StackName}-read"', '"/aws/lambda/read"', "ReadFunction has no log"),
    ("RestrictPublicBuckets: true", "RestrictPublicBuckets: false", "may become public"),
    ("      Bucket: !Ref Documents\n", "      Bucket: !Ref Other\n", "not encrypted"),
    (
        "      SqsManagedSseEnabled: !If [HasKey, !Ref AWS::NoValue, true]\n",
        "",
        "not encrypted",
    ),
    ("maxReceiveCount: 100}", "maxReceiveCount: 3}", "gives up after another number"),
    ("VisibilityTimeout: 5400", "VisibilityTimeout: 900", "for less than six times"),
    ("BatchSize: 1", "BatchSize: 10", "more than one task"),
    ("      FunctionResponseTypes: [ReportBatchItemFailures]\n", "", "does not listen"),
    ("      ScalingConfig: {MaximumConcurrency: !Ref ReadersBatch}\n", "", "has no limit"),
    ("EventSourceArn: !GetAtt CpuBatch.Arn", "EventSourceArn: !GetAtt CpuFirst.Arn", "Nobody"),
    ("      AlarmActions: [!Ref Alerts]\n", "", "tells nobody"),
    ("!GetAtt DeadLetters.QueueName", "!GetAtt CpuBatch.QueueName", "watches DeadLetters"),
    ("AttributeName: place, KeyType", "AttributeName: pk, KeyType", "GlobalSecondaryIndexes"),
    (
        "NonKeyAttributes: [alone, due, pool, priority]",
        "NonKeyAttributes: [alone]",
        "GlobalSecondaryIndexes",
    ),
    ("AttributeName: gone_at", "AttributeName: expires", "does not forget"),
    ("PointInTimeRecoveryEnabled: true", "PointInTimeRecoveryEnabled: false", "no backup"),
    ("PAGETIDE_MAX_BYTES:", "PAGETIDE_MAXBYTES:", "PAGETIDE_MAXBYTES, which is no setting"),
    (
        "pagetide.server.aws_lambda.sweep.handle",
        "pagetide.server.aws_lambda.sweep.run",
        "what is not there",
    ),
    ("    DeletionPolicy: RetainExceptOnCreate\n", "", "goes with the stack"),
    ("DeletionPolicy: RetainExceptOnCreate", "DeletionPolicy: Retain", "stops the second"),
    ("      Timeout: 120\n", "      Timeout: 60\n", "while it fetches a document"),
)


def of_file(text: str, folder: Path, parameters: Mapping[str, str]) -> list[str]:
    """Our complaints about a template's text."""
    path = folder / "template.yaml"
    path.write_text(text)
    return complaints(resources(template(path), parameters))


def linted(text: str) -> list[str]:
    """What cfn-lint says, but for what it calls information."""
    from cfnlint import api
    from cfnlint.config import ManualArgs

    given = ManualArgs(regions=["eu-central-1", "us-east-1"])
    found = [f"{one.rule.id} {one.message}" for one in api.lint(text, config=given)]
    return [one for one in found if not one.startswith("I")]


def seeded(text: str, faults: Iterator[tuple[str, str]]) -> str:
    for old, new in faults:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_cfn_lint_finds_nothing() -> None:
    assert linted(TEMPLATE.read_text()) == []


def test_cfn_lint_finds_what_is_seeded() -> None:
    faulty = seeded(TEMPLATE.read_text(), ((old, new) for old, new, _ in LINT_FAULTS))
    found = linted(faulty)
    missed = [said for _, _, said in LINT_FAULTS if not any(said in one for one in found)]
    assert missed == []


@pytest.mark.parametrize("shape", SHAPES)
def test_the_template_keeps_our_rules(shape: str) -> None:
    assert complaints(resources(template(), SHAPES[shape])) == []


@pytest.mark.parametrize(
    ("old", "new", "said"), FAULTS, ids=[one[1] or one[0] for one in FAULTS]
)
def test_our_rules_find_what_is_seeded(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = TEMPLATE.read_text()
    assert old in text
    found = of_file(text.replace(old, new), tmp_path, {})
    assert any(said in one for one in found), found


def test_each_shape_has_what_it_needs() -> None:
    kinds = {
        shape: {name for name in resources(template(), given)}
        for shape, given in SHAPES.items()
    }
    readers = {
        "ReadFunction",
        "ReadRole",
        "CpuFirst",
        "CpuInteractive",
        "CpuBatch",
        "DeadLetters",
    }
    assert readers <= kinds["aws"]
    assert not readers & kinds["two-clouds"]
    assert {"ApiFunction", "SweepFunction", "Jobs", "Documents"} <= kinds["two-clouds"]
    assert "Key" in kinds["aws with a key"] and "Key" not in kinds["aws"]
    function = resources(template(), TWO_CLOUDS)["ApiFunction"]["Properties"]
    given = function["Environment"]["Variables"]
    assert given["PAGETIDE_QUEUE"] == {"Ref": "AzureQueueUrl"}
    assert given["PAGETIDE_RESULTS"] == {"Ref": "AzureResultsUrl"}
    assert "secretsmanager" in given["AZURE_CLIENT_SECRET"]["Fn::Sub"]


def test_who_opens_documents_has_the_secret_of_their_passwords() -> None:
    """Where there is none, such documents are refused, and all else is as it was."""
    for given in (TWO_CLOUDS, {"GpuImage": "image"}):
        here = resources(template(), {"PasswordSecret": "mine", **given})
        opening = [here[name] for name in ("ApiFunction", "ReadFunction") if name in here]
        found = [one["Properties"]["Environment"]["Variables"] for one in opening]
        if "GpuModel" in here:
            found.append(here["GpuModel"]["Properties"]["PrimaryContainer"]["Environment"])
        named = "{{resolve:secretsmanager:${PasswordSecret}:SecretString:secret}}"
        assert [each["PAGETIDE_SECRET"] for each in found] == [{"Fn::Sub": named}] * len(found)
    assert "PAGETIDE_SECRET" not in str(resources(template(), {}))


def test_what_is_left_of_another_shape_is_not_heeded() -> None:
    """`aws cloudformation deploy` keeps the parameters that it is not given anew."""
    here = resources(template(), {"AzureResultsUrl": "az://results/p?account=mine"})
    for name in ("ApiFunction", "SweepFunction"):
        given = here[name]["Properties"]["Environment"]["Variables"]
        assert given["PAGETIDE_RESULTS"] == ""
        assert not any(variable.startswith("AZURE") for variable in given)


def test_the_two_clouds_fit_together() -> None:
    """What the template for Azure puts out is what this one takes."""
    outputs = json.loads((TEMPLATE.parents[1] / "azure" / "template.json").read_text())[
        "outputs"
    ]
    for output, parameter in (("queueUrl", "AzureQueueUrl"), ("resultsUrl", "AzureResultsUrl")):
        form = re.sub(r"^.*format\('([^']+)'.*$", r"\1", outputs[output]["value"])
        put_out = form.replace("{0}", "account1").replace("{1}", "pagetide")
        assert re.fullmatch(template()["Parameters"][parameter]["AllowedPattern"], put_out)


def test_the_guide_says_how_much_memory_the_reader_has() -> None:
    guide = (TEMPLATE.parents[2] / "docs" / "how-to" / "deploy-aws.md").read_text()
    memory = template()["Parameters"]["ReadMemory"]
    assert f"The reader has {memory['Default']:,} MB." in guide
    assert f"accepts at least {memory['MinValue']:,} MB." in guide


def test_documents_are_as_large_as_everywhere() -> None:
    assert template()["Parameters"]["MaxBytes"]["Default"] == 50 << 20
