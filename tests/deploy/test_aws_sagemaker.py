"""The SageMaker part of the template for AWS: our rules, and faults that they must catch."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from pagetide.engines.vl.tasks import VERSIONS, VlOptions
from tests.deploy import aws_rules, aws_sagemaker_rules
from tests.deploy.aws_agreement import pools_of
from tests.parts.cloudformation import TEMPLATE, resources, template

GPU = {"GpuImage": "123456789012.dkr.ecr.us-east-1.amazonaws.com/pagetide-worker-sagemaker:1"}
MANY = {
    **GPU,
    "GpuMost": "4",
    "OwnKey": "yes",
    "GpuMirror": "s3://models.example.com/pagetide",
    "Languages": "ru,ar",
}
# What is put in place of what, and what then is said.
FAULTS = (
    (
        "MaxConcurrentInvocationsPerInstance: 4",
        "MaxConcurrentInvocationsPerInstance: 8",
        "8 at",
    ),
    ('PAGETIDE_CONCURRENCY: "4"', 'PAGETIDE_CONCURRENCY: "1"', "holds 1"),
    ('PAGETIDE_DRAIN_S: "25"', 'PAGETIDE_DRAIN_S: "840"', "is killed after 30 s"),
    ("PAGETIDE_DRAIN_S:", "PAGETIDE_DRAINS_S:", "PAGETIDE_DRAINS_S, which is no setting"),
    ('PAGETIDE_RECYCLE_PAGES: "1000000"', 'PAGETIDE_RECYCLE_PAGES: "50"', "taken for broken"),
    ("VariantName: AllTraffic", "VariantName: Blue", "not the one that the queue wakes"),
    ("variant/AllTraffic", "variant/Blue", "not the one that the queue wakes"),
    ("MinCapacity: 0", "MinCapacity: 1", "never rests"),
    ('EndpointName: !Sub "${AWS::StackName}-gpu"', "EndpointName: gpu", "another endpoint"),
    ("?bucket=${Wakes}", "?bucket=${Wakes}&port=9000", "another port"),
    ("            ErrorTopic: !Ref GpuFailed\n", "", "Nobody hears the ErrorTopic"),
    ("SuccessTopic: !Ref GpuDone", "SuccessTopic: !Ref Alerts", "Nobody hears the Success"),
    ("      SourceArn: !Ref GpuFailed\n", "", "ErrorTopic may not call"),
    ("EvaluationPeriods: 10", "EvaluationPeriods: 5", "not ten minutes under 0.1"),
    ("Threshold: 0.1", "Threshold: 1.1", "not ten minutes under 0.1"),
    ("[!GetAtt GpuScaleInFunction.Arn]", "[!Ref Alerts]", "not ten minutes under 0.1"),
    ("MetricName: HasBacklogWithoutCapacity", "MetricName: Invocations", "without an instance"),
    ("AlarmActions: [!Ref GpuScaleOut]", "AlarmActions: [!Ref Alerts]", "scales nothing out"),
    ("  GpuStuckAlarm:", "  GpuStuckAlarms:", "told by GpuStuckAlarm"),
    ("EvaluationPeriods: 30", "EvaluationPeriods: 15", "being started is an alarm"),
    ("  GpuReaperErrorsAlarm:", "  GpuReaperAlarm:", "told by GpuReaperErrorsAlarm"),
    (
        "as in KeepPolicy.\n              - Sid: Listing\n",
        "as in KeepPolicy.\n              - Sid: Listing\n"
        "                Condition: {StringLike: {s3:prefix: 'pagetide/*'}}\n",
        "seems forbidden",
    ),
    ('PAGETIDE_PULL: "yes"', 'PAGETIDE_PULL: "no"', "without its models: PAGETIDE_PULL"),
    (
        'PAGETIDE_TRUST_FIRST_USE: "yes"',
        'PAGETIDE_TRUST_FIRST_USE: "no"',
        "PAGETIDE_TRUST_FIRST_USE",
    ),
    ("          AWS_REGION: !Ref AWS::Region\n", "", "in which region its mirror is"),
    (
        "PAGETIDE_LANGUAGES: !Sub '{gpu = \"${Languages}\"}'\n          PAGETIDE_PULL",
        "PAGETIDE_PULL",
        "other languages",
    ),
    ("rate(5 minutes)", "rate(1 hour)", "every five minutes"),
    ("DisableScaleIn: true", "DisableScaleIn: false", "takes instances away"),
    ("ScalingAdjustment: 1", "ScalingAdjustment: -1", "not go from none to one"),
    ("AdjustmentType: ExactCapacity", "AdjustmentType: ChangeInCapacity", "from none to one"),
    (
        "Roles: [!Ref ApiRole, !Ref SweepRole, !Ref GpuDoneRole",
        "Roles: [!Ref GpuReaperRole",
        "sizes too much",
    ),
)


@pytest.mark.parametrize("given", [GPU, MANY], ids=["one", "many"])
def test_the_template_keeps_all_rules(given: dict[str, str]) -> None:
    made = resources(template(), given)
    assert aws_rules.complaints(made) == []
    assert aws_sagemaker_rules.complaints(made) == []


@pytest.mark.parametrize(
    ("old", "new", "said"), FAULTS, ids=[one[1] or one[0] for one in FAULTS]
)
def test_the_rules_find_what_is_seeded(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = TEMPLATE.read_text()
    assert old in text
    path = tmp_path / "template.yaml"
    path.write_text(text.replace(old, new))
    found = aws_sagemaker_rules.complaints(resources(template(path), MANY))
    assert any(said in one for one in found), found


def test_without_an_image_there_is_no_sagemaker() -> None:
    for given in ({}, {"Shape": "two-clouds", **GPU}):
        kinds = {one["Type"] for one in resources(template(), given).values()}
        assert not [kind for kind in kinds if "SageMaker" in kind or "AutoScaling" in kind]


def test_models_and_images_are_those_that_all_know() -> None:
    """The endpoint's pool is sent what its container says that it runs."""
    made = resources(template(), GPU)
    container = made["GpuModel"]["Properties"]["PrimaryContainer"]["Environment"]
    gpu = pools_of(container["PAGETIDE_POOLS"]["Fn::Sub"])
    for name in ("ApiFunction", "ReadFunction", "SweepFunction", "GpuDoneFunction"):
        variables = made[name]["Properties"]["Environment"]["Variables"]
        assert gpu.items() <= pools_of(variables["PAGETIDE_POOLS"]["Fn::Sub"]).items()


def test_the_image_runs_a_worker_whatever_stands_behind_its_entry_point() -> None:
    """SageMaker puts `serve` there."""
    text = (TEMPLATE.parent / "sagemaker.Dockerfile").read_text()
    found = re.search(r"^ENTRYPOINT (\[.*\])$", text, re.MULTILINE)
    assert found
    words = json.loads(found[1])
    assert words[:3] == ["python", "-P", "-c"] and "'worker', '--pool', 'gpu'" in words[3]


def test_the_image_has_what_the_endpoints_models_need() -> None:
    """PaddleOCR, and for the GPU."""
    assert template()["Parameters"]["GpuModels"]["Default"] == "pp-structurev3"
    text = (TEMPLATE.parent / "sagemaker.Dockerfile").read_text()
    assert re.search(r"^ARG BASE=pagetide-worker-paddle:[\d.]+-cuda$", text, re.MULTILINE)


def test_the_image_of_paddleocr_vl_asks_the_server_that_it_starts() -> None:
    text = (TEMPLATE.parent / "sagemaker-vl.Dockerfile").read_text()
    found = re.search(r"^ENTRYPOINT (\[.*\])$", text.replace("\\\n", ""), re.MULTILINE)
    assert found
    _, program, health, server, worker = json.loads(found[1])
    assert f"COPY deploy/aws/beside.py {program}\n" in text
    place = health.removesuffix("/health")
    assert f"PAGETIDE_VL_URL={place}/v1 " in text
    assert place == "http://127.0.0.1:8100"
    assert {"--host 127.0.0.1", "--port 8100"} <= {
        " ".join(pair) for pair in itertools.pairwise(server.split())
    }
    assert f"--served-model-name {VERSIONS[VlOptions().version]} " in server
    assert worker.endswith("-m pagetide worker --pool gpu")
