"""No command of the documentation is unknown here: each has a rule.

What can be run is run besides, by tests of this folder, of `tests/acceptance`, `tests/deploy`
and `tests/unit` that read the same pages.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping

import pytest

from tests.docs import clouds, containers, ordinary, programs, requests
from tests.docs.shell import Command, blocks, commands, lines, pages, parsed

Rule = Callable[[Command], None]
RULES: Mapping[str, Rule] = {
    "pagetide": programs.of_pagetide,
    "make": programs.of_make,
    "python": programs.of_python,
    "python3": programs.of_python,
    "pytest": programs.of_pytest,
    "pip": programs.of_pip,
    "npm": programs.of_npm,
    "vllm": programs.of_vllm,
    "celery": programs.of_celery,
    "openssl": programs.of_openssl,
    "prepare": programs.of_prepare,
    **dict.fromkeys(("cd", "cp", "cat", "install"), programs.of_files),
    **dict.fromkeys(("systemctl", "journalctl"), programs.of_units),
    **dict.fromkeys(programs.ELSEWHERE, programs.of_others),
    "locust": programs.of_locust,
    "curl": requests.of_curl,
    "docker": containers.of_docker,
    "kubectl": containers.of_kubectl,
    "helm": containers.of_helm,
    "aws": clouds.of_aws,
    "az": clouds.of_az,
    "apt-get": ordinary.of_apt,
    "git": ordinary.of_git,
    "jq": ordinary.of_jq,
    "claude": ordinary.of_claude,
    **dict.fromkeys((".", "echo", "for", "done", "kill", "wait"), ordinary.of_shell),
}
SHOWN = {"console", "sh"}
OTHER = {"csv", "hcl", "http", "ini", "json", "nginx", "py", "python", "text", "toml"} | {
    *("typescript", "yaml")
}


def faults(command: Command) -> str:
    """What is wrong with a command, as a sentence; empty where nothing is."""
    try:
        programs.are_settings(command.variables)
        if command.words:
            RULES[command.program](command)
    except (Exception, SystemExit) as error:
        return f"{command}: {type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("page", sorted({each.page for each in commands()}))
def test_every_command_of_a_page_would_be_taken(page: str) -> None:
    found = [faults(each) for each in commands() if each.page == page]
    assert found and [each for each in found if each] == []


def test_no_rule_is_left_over() -> None:
    named = {each.program for each in commands() if each.words}
    assert named - {"…"} == RULES.keys()


def test_every_block_says_what_it_is() -> None:
    assert {kind for _, kind, _ in blocks()} == SHOWN | OTHER


def test_they_are_found() -> None:
    assert len(pages()) > 80
    assert len([*commands()]) > 600


@pytest.mark.parametrize(
    ("page", "script"),
    [(page, "\n".join(lines(kind, text))) for page, kind, text in blocks() if kind in SHOWN],
)
def test_a_shell_understands_a_block(page: str, script: str) -> None:
    read = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
    assert read.returncode == 0, (page, read.stderr)
    assert read.stderr == "", page


@pytest.mark.parametrize(
    "line",
    [
        "pagetide reed scan.pdf",
        "pagetide read scan.pdf --format-of md",
        "pagetide jobs --status done",
        "make bench-everything",
        "make bench-structure BENCH='--only nothing'",
        "make chaos SPEED=3",
        "python -m bench.nothing",
        "python -m bench.drawn --seed 1",
        "python -m bench.described --fast",
        "pytest tests/nothing",
        "pip install pagetide",
        "pip install '.[nothing]'",
        "pip install nothing",
        "pip install 'paddleocr>=3.0,<4'",
        "npm run nothing",
        "celery -A pagetide.server.queues.celery purge",
        "cp -r deploy/nothing /etc",
        "systemctl restart pagetide-nothing",
        "locust -f tests/clients/nothing.py",
        "locust -f tests/clients/predict_locust.py",
        "curl http://127.0.0.1:8000/v1/nothing",
        "curl -X PUT http://127.0.0.1:8000/v1/jobs",
        "curl -F fil=@scan.pdf http://127.0.0.1:8000/v1/jobs",
        "curl 'http://127.0.0.1:8000/v1/jobs/JOB?await=20'",
        "curl --no-such-option http://127.0.0.1:8000/v1/jobs",
        "docker build -f deploy/images/nothing.Dockerfile -t pagetide-api:0.1.0 .",
        "docker build --build-arg DEVICE=cuda -f deploy/images/api.Dockerfile .",
        "docker push pagetide-nothing:0.1.0",
        "docker run pagetide-worker worker --pools cpu",
        "docker compose exec nothing pagetide doctor",
        "docker compose exec api pagetide key create a",
        "docker compose up -d --no-such-option",
        "SIZE=4 docker compose up -d",
        "kubectl apply -k deploy/kubernetes/overlays/nothing",
        "kubectl -n pagetide logs deployment/pagetide-nothing",
        "kubectl -n pagetide get pods --no-such-option",
        "kubectl delete pod -l app.kubernetes.io/component=nothing",
        "helm install pagetide deploy/helm/nothing",
        "helm upgrade pagetide deploy/helm/pagetide --no-such-option",
        "aws dynamodb drop-table --table-name pagetide-jobs",
        "aws dynamodb delete-table --name pagetide-jobs",
        "aws cloudformation deploy --parameter-overrides Size=4",
        "aws cloudformation deploy --parameter-overrides Shape=three-clouds",
        "az containerapp logs show --name pagetide-nothing",
        "az containerapp exec --name pagetide-api --command 'python -P -m pagetide key'",
        "az deployment group create --template-file deploy/azure/template.json"
        " --parameters deploy/azure/parameters.all.json --parameters size=4",
        "PAGETIDE_POOL=cpu pagetide api",
        "PAGETIDE_POOLS=cpu= pagetide api",
        "apt-get install pagetide-nothing",
        "apt-get install --no-such-option faketime",
        "git clone",
        "git pull --no-such-option",
        "jq -r 'select(.status'",
        "jq -r .status",
        "claude mcp add pagetide -- pagetide mcp --roots .",
        "unknown program",
    ],
)
def test_a_slip_is_seen(line: str) -> None:
    [command] = parsed("docs/quickstart.md", line)
    assert faults(command)
