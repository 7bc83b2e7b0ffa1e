"""The autoscaler with real containers: from none to some to none, by podman."""

from __future__ import annotations

import os
from pathlib import Path

from bench.autoscaled import Scaling
from bench.cluster_processes import Cluster, cluster
from tests.containers.podman import Podman
from tests.serving import pdf
from tests.waiting import until

NAME = "pagetide-test"
SETTINGS = {"warm_models": "fake", "task_pages": 1, "lease_s": 5.0, "log_format": "json"}


def test_containers_come_with_the_work_and_leave_with_it(
    podman: Podman, worker: str, tmp_path: Path
) -> None:
    with cluster("sqlite", "store", workers=0, settings=SETTINGS) as running:
        tool, environment = _tool(podman, tmp_path), _environment(running, tmp_path)
        data = running.settings["data_dir"]
        made = Scaling(
            running,
            tmp_path,
            *("--pool=cpu=0..2", "--idle-exit=3", f"--name={NAME}"),
            *(f"--image={worker}", f"--tool={tool}", f"--env-file={environment}"),
            *("--run-option=--network=none", "--run-option=--user=0"),
            f"--run-option=--volume={data}:{data}",
        )
        made.place.start()
        try:
            until(made.place.ready, 30, "the autoscaler is not ready")
            ids = [running.client.submit(pdf(6), f"c{n}", model="fake?slow=0.5") for n in "ab"]
            for job_id in ids:
                status = running.client.ended(job_id, 120)
                assert (status["status"], status["pages_done"]) == ("succeeded", 6)
            until(lambda: made.exits() == [0, 0], 60, "containers do not leave")
            assert len(made.told("worker is ready")) == 2
            until(lambda: not _there(podman), 30, "containers are left over")
            assert made.place.stop() == 0
        finally:
            if made.place.runs():
                made.place.kill()
                made.place.ended()
            for container in _there(podman):
                podman.run("rm", "--force", container, check=False)


def _there(podman: Podman) -> list[str]:
    mine = f"--filter=label=pagetide.autoscaler={NAME}"
    return podman.told("ps", "--all", mine, "--format={{.Names}}").split()


def _tool(podman: Podman, folder: Path) -> Path:
    """Podman with the tests' own store, as a program."""
    told = "".join(
        f"export {name}='{value}'\n"
        for name, value in podman.environment.items()
        if os.environ.get(name) != value
    )
    path = folder / "podman"
    path.write_text(f'#!/bin/sh\n{told}exec podman "$@"\n')
    path.chmod(0o755)
    return path


def _environment(running: Cluster, folder: Path) -> Path:
    """The cluster's settings, as containers are told them."""
    ours = {k: v for k, v in running.environment().items() if k.startswith("PAGETIDE_")}
    path = folder / "pagetide.env"
    path.write_text("".join(f"{name}={value}\n" for name, value in ours.items()))
    return path
