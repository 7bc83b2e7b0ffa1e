"""What the command lines of AWS and Azure must be told.

AWS's is made from the descriptions of its services that botocore carries, and so is this rule.
Azure's is not here: the options that are shown are listed, as its version 2.91 tells them by
`--help`. What the pages say to our templates is held against these.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from functools import cache
from typing import Any

import botocore.session
from botocore import xform_name

from tests.deploy.arm import rendered
from tests.deploy.azure_rules import USES, parameters, read
from tests.docs.programs import of_python
from tests.docs.shell import ROOT, Command
from tests.parts.cloudformation import template

# Commands of AWS's that are no operation of a service, with their options.
OWN: Mapping[tuple[str, str], set[str]] = {
    ("cloudformation", "deploy"): {
        *("stack-name", "template-file", "capabilities", "s3-bucket", "parameter-overrides"),
    },
    ("ecr", "get-login-password"): set(),
    ("s3", "rb"): {"force"},
}
EVERYWHERE = {"query"}
AZ: Mapping[str, set[str]] = {
    "group create": {"--name", "--location"},
    "group delete": {"--name"},
    "login": set(),
    "acr create": {"--resource-group", "--name", "--sku"},
    "acr login": {"--name"},
    "deployment group create": {"--resource-group", "--template-file", "--parameters"},
    "deployment group what-if": {"--resource-group", "--template-file", "--parameters"},
    "containerapp exec": {"--resource-group", "--name", "--command"},
    "containerapp logs show": {"--resource-group", "--name", "--follow"},
    "storage message peek": {"--account-name", "--auth-mode", "--queue-name"},
    "postgres flexible-server restore": set(),
    "bicep decompile": {"--file"},
}


def of_aws(command: Command) -> None:
    """The operation is there, takes the options, and has what it needs; so has our template."""
    _, service, operation, *words = command.words
    given = [word[2:] for word in words if word.startswith("--")]
    if (service, operation) in OWN:
        assert set(given) <= OWN[service, operation] | EVERYWHERE
    else:
        known, needed = _members(service, operation)
        assert set(given) <= known | EVERYWHERE
        assert not command.whole or needed <= set(given)
    if "--template-file" in words:
        assert (ROOT / words[words.index("--template-file") + 1]).exists()
    if "--parameter-overrides" in words:
        _overrides(words[words.index("--parameter-overrides") + 1 :])


def _members(service: str, operation: str) -> tuple[set[str], set[str]]:
    """The options of an operation, and those that it cannot do without."""
    model = botocore.session.get_session().get_service_model(service)
    names = {xform_name(each, "-"): each for each in model.operation_names}
    shape = model.operation_model(names[operation]).input_shape
    return (
        {xform_name(each, "-") for each in shape.members},
        {xform_name(each, "-") for each in shape.required_members},
    )


def _overrides(words: list[str]) -> None:
    known: dict[str, Any] = template()["Parameters"]
    for name, value in (word.split("=", 1) for word in words if word != "…"):
        assert name in known, name
        if not re.search(r"[…$]", value):
            allowed = known[name].get("AllowedValues")
            assert re.fullmatch(known[name].get("AllowedPattern", ".*"), value), (name, value)
            assert allowed is None or value in allowed, (name, value)


def of_az(command: Command) -> None:
    """The options are known; files, parameters, apps and their commands are there."""
    words = command.words[1:]
    [verb] = [each for each in AZ if " ".join(words).startswith(each)]
    assert {word for word in words if word.startswith("--")} <= AZ[verb]
    for word in words:
        assert not word.startswith("deploy/") or (ROOT / word).exists(), word
    for name in re.findall(r"--name (pagetide-\S+)", " ".join(words)):
        assert name in _apps(), name
    if "--parameters" in words:
        _deployed(words)
    if "--command" in words:
        told = shlex.split(words[words.index("--command") + 1])
        of_python(Command(command.page, tuple(told)))


@cache
def _apps() -> set[str]:
    """What the template makes of the parameters that are shipped."""
    made = [rendered(read("template.json"), parameters(use)) for use in USES]
    return {each.name for one in made for each in one.resources}


def _deployed(words: tuple[str, ...]) -> None:
    """The template is one with the file of parameters, and those beside it."""
    [file] = [word for word in words if re.search(r"parameters\.\w+\.json$", word)]
    given = json.loads((ROOT / file).read_text(encoding="utf-8"))["parameters"]
    values = {name: each["value"] for name, each in given.items()}
    values |= dict(found for word in words for found in re.findall(r"^(\w+)=(.*)", word))
    rendered(read("template.json"), values)
