"""vLLM, wherever it is shipped: one version, one command, arguments that this version takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pagetide.engines.vl.tasks import VERSIONS, VlOptions
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import documents
from tests.deploy.shipped_pools import shipped
from tests.deploy.test_compose import merged

HERE = Path(__file__).parent
TAKES: Mapping[str, Any] = json.loads((HERE / "vllm_arguments.json").read_text())
MODEL = "PaddlePaddle/PaddleOCR-VL-1.6"
# The server's own business: where it listens, and what of the GPU it may take.
APART = {"--host", "--port", "--gpu-memory-utilization"}


def server() -> Any:
    """The pod of the server on Kubernetes."""
    found = Cluster(documents("base", ("vllm",))).find("Deployment", "pagetide-vllm")
    assert found
    return found["spec"]["template"]["spec"]


def commands() -> dict[str, list[str]]:
    """Each command with all its words."""
    [container] = server()["containers"]
    service = merged("compose.yaml", "compose.gpu.yaml")["services"]["vl"]
    [beside] = [one for one in shipped() if one.name == "aws/sagemaker-vl"]
    return {
        "kubernetes": [*container["command"], *container["args"]],
        "compose": [*service["entrypoint"], *service["command"]],
        "sagemaker": beside.worker.words[3].split(),
    }


def faults(words: Sequence[str]) -> Iterator[str]:
    """What vLLM would not take."""
    if list(words[:3]) != ["vllm", "serve", MODEL]:
        yield f"it does not begin with vllm serve {MODEL}"
    left = iter(words[3:])
    for word in left:
        name, equals, _ = word.partition("=")
        positive = f"--{name.removeprefix('--no-')}"
        if name not in TAKES["arguments"]:
            if TAKES["arguments"].get(positive) != "flag" or not name.startswith("--no-"):
                yield f"there is no argument {name}"
        elif TAKES["arguments"][name] == "flag" and equals:
            yield f"{name} takes no value"
        elif (
            TAKES["arguments"][name] == "value" and not equals and next(left, "--")[:2] == "--"
        ):
            yield f"{name} takes a value"


def told(words: Sequence[str]) -> dict[str, str]:
    """The arguments, by name."""
    text = re.sub(r" (?!--)", "=", " ".join(words[3:]))
    return {name: value for name, _, value in (word.partition("=") for word in text.split())}


@pytest.mark.parametrize("place", commands())
def test_a_command_is_one_that_this_version_takes(place: str) -> None:
    assert [*faults(commands()[place])] == []


def test_all_ask_for_the_same_under_the_name_that_workers_know() -> None:
    asked = [
        {name: value for name, value in told(words).items() if name not in APART}
        for words in commands().values()
    ]
    assert asked[0] == asked[1] == asked[2]
    assert asked[0]["--served-model-name"] == VERSIONS[VlOptions().version]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("--max-num-batched-tokens", "--max-num-batch-tokens", "no argument --max-num-batch-"),
        ("--no-enable-prefix-caching", "--no-prefix-caching", "no argument --no-prefix-"),
        ("--no-enable-prefix-caching", "--no-served-model-name", "no argument --no-served-"),
        ("--trust-remote-code", "--trust-remote-code=yes", "takes no value"),
        ("--mm-processor-cache-gb=0", "--mm-processor-cache-gb", "takes a value"),
        ("serve", "--model", "does not begin with"),
    ],
)
def test_a_slip_is_seen(old: str, new: str, said: str) -> None:
    words = [word.replace(old, new) for word in commands()["kubernetes"]]
    assert any(said in fault for fault in faults(words))


def test_the_images_are_of_the_version_whose_arguments_are_known() -> None:
    places = [
        *HERE.parents[1].glob("deploy/**/*.yaml"),
        *HERE.parents[1].glob("docs/**/*.md"),
    ]
    text = "".join(path.read_text(encoding="utf-8") for path in places)
    tags = set(re.findall(r"vllm/vllm-openai:v([\w.]+)", text))
    assert tags == {TAKES["version"]}


def test_it_runs_on_gpus_that_it_supports_with_time_to_start_and_its_model_kept() -> None:
    pod = server()
    [term] = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert term["matchExpressions"] == [
        {"key": "nvidia.com/gpu.compute.major", "operator": "Gt", "values": ["7"]}
    ]
    [container] = pod["containers"]
    started = container["startupProbe"]
    assert started["periodSeconds"] * started["failureThreshold"] >= 15 * 60
    kept = next(each["value"] for each in container["env"] if each["name"] == "HF_HOME")
    [volume] = [
        each["name"] for each in container["volumeMounts"] if kept.startswith(each["mountPath"])
    ]
    assert any(v["name"] == volume and "persistentVolumeClaim" in v for v in pod["volumes"])
