"""What Docker, Compose, kubectl and Helm must be told, beside what they read themselves.

kubectl and Helm read their options themselves; Docker need not be here, so the options that are
shown are listed: Docker's as its version 28.2 takes them, those of Compose and Buildx as their
pages tell them.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from functools import cache

import yaml

from tests.deploy.helm.chart import CHART
from tests.deploy.kubernetes.rendering import TOGETHER, documents, program
from tests.docs.programs import of_pagetide
from tests.docs.shell import ROOT, Command, commands

DOCKER: Mapping[str, set[str]] = {
    "build": {"-f", "-t", "--build-arg", "--provenance"},
    "run": {"-d", "-p", "-v", "--rm"},
    "login": {"--username", "--password-stdin"},
    "stop": {"-t"},
    "tag": set(),
    "push": set(),
}
COMPOSE: Mapping[str, set[str]] = {
    "up": {"-d", "--scale", "--detach", "--no-deps", "--no-recreate"},
    "exec": {"-T"},
    "run": {"--rm"},
    "logs": {"-f"},
    "ps": set(),
    "down": {"--volumes"},
}
VALUED = {"-f", "-t", "-p", "-v", "--build-arg", "--scale", "--username"}
KINDS = {"deployment", "service", "job", "scaledobject"}
STACK = ROOT / "deploy" / "compose"


def of_docker(command: Command) -> None:
    """Files, arguments, services and images are there; a program of ours takes its words."""
    words = [word for word in command.words[1:] if word != "…"]
    if words[0] == "compose":
        _compose(command, words[1:])
        return
    options, plain = _split(words[1:])
    assert {name for name, _ in options} <= DOCKER[words[0]]
    if words[0] == "build" and plain:
        _build(command, dict(options), plain, [v for n, v in options if n == "--build-arg"])
    elif words[0] == "run" and plain[0].startswith("pagetide-"):
        of_pagetide(Command(command.page, ("pagetide", *plain[1:])))
    elif words[0] in ("tag", "push"):
        [image, *_] = [each for each in re.findall(r"pagetide-[\w-]+:[\w.-]+", plain[0])] or [
            ""
        ]
        assert image in built() or plain[0].endswith("$image"), plain[0]


def _split(words: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The options before the first plain word with what they are given, and the rest."""
    options, left = [], list(words)
    while left and left[0].startswith("-"):
        name, _, value = left.pop(0).partition("=")
        options.append((name, left.pop(0) if name in VALUED and not value and left else value))
    return options, left


def _build(
    command: Command, options: dict[str, str], plain: list[str], given: list[str]
) -> None:
    here = ROOT / command.folder
    file = here / options["-f"]
    assert (
        plain
        in (
            [
                ".",
            ],
            ["../.."],
        )
        and (here / plain[0]).resolve() == ROOT
    ), plain
    known = set(re.findall(r"^ARG (\w+)", file.read_text(encoding="utf-8"), re.M))
    assert {each.partition("=")[0] for each in given} <= known


@cache
def built() -> set[str]:
    """The images that the pages build."""
    return {
        word.removeprefix("localhost/")
        for each in commands()
        if each.words[:2] == ("docker", "build")
        for word in each.words
        if re.fullmatch(r"(?:localhost/)?pagetide-[\w-]+:[\w.-]+", word)
    }


def _compose(command: Command, words: list[str]) -> None:
    options, [verb, *rest] = _split(words)
    files = [value for _, value in options] or ["compose.yaml"]
    assert command.folder.as_posix() == "deploy/compose" or not command.whole
    texts = [(STACK / file).read_text(encoding="utf-8") for file in files]
    for name in command.variables:
        assert any(f"${{{name}:-" in text for text in texts), name
    services = {name for text in texts for name in yaml.safe_load(text)["services"]}
    options, plain = _split(rest)
    options += _split(plain[1:])[0] if verb == "up" else []
    assert {name for name, _ in options} <= COMPOSE[verb]
    scaled = [value.partition("=")[0] for name, value in options if name == "--scale"]
    assert {*scaled, *plain[:1]} <= services
    if verb == "run" or plain[1:2] == ["pagetide"]:
        of_pagetide(Command(command.page, ("pagetide", *plain[1 if verb == "run" else 2 :])))


def of_kubectl(command: Command) -> None:
    """kubectl takes the words; what they name is made by our files."""
    _is_read("kubectl", command)
    words = " ".join(command.words)
    for path in re.findall(r"(?:-k|kustomize) (\S+)", words):
        assert (ROOT / path / "kustomization.yaml").exists() or path.endswith("/mine"), path
    pairs = re.findall(r"\b(\w+)[/ ](pagetide-[\w-]+)", words)
    for kind, name in pairs:
        assert kind not in KINDS or (kind, name) in made(), (kind, name)
    for label in re.findall(r"-l (\S+)=(\S+)", words):
        assert label in labels(), label


def of_helm(command: Command) -> None:
    """Helm takes the words; the chart is there, and values are those that the page shows."""
    _is_read("helm", command)
    text = (ROOT / command.page).read_text(encoding="utf-8")
    version = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))["version"]
    for word in command.words:
        assert not word.startswith("deploy/") or (ROOT / word / "Chart.yaml").exists(), word
        assert not word.startswith("out/") or word == f"out/pagetide-{version}.tgz", word
        assert not word.endswith(".yaml") or text.count(word) > 1, f"{word} is not shown"


def _is_read(name: str, command: Command) -> None:
    """The program itself reads all that is before `--`; told to help, it does nothing more."""
    words = [*command.words[1:], "--"]
    asked = [program(name), *words[: words.index("--")], "--help"]
    done = subprocess.run(asked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@cache
def made() -> set[tuple[str, str]]:
    """Kinds and names of all that the Kustomize tree makes, with all components."""
    found = [one for chosen in ((), *TOGETHER) for one in documents("base", chosen)]
    return {(one["kind"].lower(), one["metadata"]["name"]) for one in found}


@cache
def labels() -> set[tuple[str, str]]:
    """The labels of what the tree makes."""
    found = [one["metadata"].get("labels", {}) for one in documents("base")]
    return {pair for each in found for pair in each.items()}
