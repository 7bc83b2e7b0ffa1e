"""What runs the autoscaler's workers: containers by a stand-in, commands, the options."""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from pagetide.cli.scaling.autoscaler_plan import Plan, driver_of, for_pools
from pagetide.errors import BadOption
from pagetide.server.supervisor.drivers.command import Command, words_of
from pagetide.server.supervisor.drivers.containers import EVERY_S, Containers, Running
from pagetide.server.supervisor.drivers.ports import Counts
from pagetide.server.supervisor.drivers.replicas import Replicas
from pagetide.settings import Settings
from tests.container_tool import Tool
from tests.waiting import until

GRACE_S = 900.0


class Told:
    """A driver of containers, and a clock that a test puts ahead."""

    def __init__(self, tool: Tool, grace_s: float = GRACE_S) -> None:
        self.tool, self.now = tool, 0.0
        names = itertools.count(len(tool.states))
        running = Running(
            tool=str(tool.path),
            name="tide",
            images={"cpu": "worker:1", "gpu": "worker-gpu:1"},
            options=lambda pool: ["--gpus=all"] if pool == "gpu" else ["--network=inner"],
            words=lambda pool: ["--idle-exit", "30"] if pool == "gpu" else [],
            grace_s=GRACE_S,
        )
        self.driver = Replicas(
            Containers(running),
            {"cpu": 3, "gpu": 1},
            grace_s=grace_s,
            token=lambda: f"{next(names):08x}",
        )

    def see(self, condition: Callable[[], bool]) -> None:
        """Look, two seconds later each time, until something is so."""

        def looked() -> bool:
            self.now += EVERY_S
            self.driver.reconcile(self.now)
            return condition()

        until(looked)

    def counts(self, pool: str = "cpu") -> Counts:
        return self.driver.counts(pool)

    def scale(self, replicas: int, pool: str = "cpu") -> None:
        self.driver.scale(pool, replicas, self.now)


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool(tmp_path)


@pytest.fixture
def tell(tool: Tool) -> Iterator[Callable[..., Told]]:
    """Makes drivers, and closes them."""
    with ExitStack() as ends:

        def made(**given: Any) -> Told:
            told = Told(tool, **given)
            ends.callback(told.driver.close)
            told.driver.reconcile(0.0)
            return told

        yield made


@pytest.fixture
def told(tell: Callable[..., Told]) -> Told:
    return tell()


def test_a_container_is_run_as_its_pool_wants(told: Told) -> None:
    told.scale(1)
    told.scale(1, "gpu")
    told.see(lambda: told.counts().ready == 1 and told.counts("gpu").ready == 1)
    runs = {call[call.index("--pool") + 1]: call for call in told.tool.called("run")}
    common = ["run", "--detach", "--label=pagetide.autoscaler=tide", "--stop-timeout=900"]
    for pool, image, rest in (
        ("cpu", "worker:1", ["--network=inner"]),
        ("gpu", "worker-gpu:1", ["--gpus=all"]),
    ):
        call = runs[pool]
        assert {*common, *rest} <= set(call[: call.index(image)])
        assert call[call.index(image) + 1 :][:3] == ["worker", "--pool", pool]
    assert runs["gpu"][-2:] == ["--idle-exit", "30"]
    assert set(told.tool.states) == {"tide-cpu-00000000", "tide-gpu-00000001"}


def test_one_that_is_busy_is_stopped_with_the_grace_and_waited_for(told: Told) -> None:
    told.scale(2)
    told.see(lambda: told.counts().ready == 2)
    told.tool.become("tide-cpu-00000001", "busy")
    told.scale(0)
    told.see(lambda: told.counts() == Counts(leaving=1))
    stopped = {
        ("--time=900", "tide-cpu-00000000"),
        ("--time=900", "tide-cpu-00000001"),
    }
    until(lambda: {tuple(call[1:]) for call in told.tool.called("stop")} == stopped)
    told.tool.become("tide-cpu-00000001", "exited 0")
    told.see(lambda: told.driver.gone)
    until(lambda: told.tool.states == {})
    assert not told.tool.called("kill")


def test_one_that_overstays_its_grace_is_killed(tool: Tool, tell: Callable[..., Told]) -> None:
    told = tell(grace_s=20.0)
    told.scale(1)
    told.see(lambda: told.counts().ready == 1)
    tool.become("tide-cpu-00000000", "busy")
    told.scale(0)
    told.see(lambda: told.driver.gone)
    [kill] = tool.called("kill")
    assert kill == ["kill", "--signal=KILL", "tide-cpu-00000000"]


def test_one_that_is_told_to_go_while_it_starts_is_stopped_once_it_is_there(
    told: Told,
) -> None:
    told.scale(1)
    told.scale(0)
    told.see(lambda: told.driver.gone)
    assert [call[0] for call in told.tool.calls if call[0] in ("run", "stop")] == [
        "run",
        "stop",
    ]
    until(lambda: told.tool.states == {})


def test_containers_are_found_again_after_a_restart_and_only_ones_own(
    tool: Tool, tell: Callable[..., Told]
) -> None:
    before = tell()
    before.scale(2)
    before.see(lambda: before.counts().ready == 2)
    strange = tool.folder / "containers"
    other = json.dumps({"label": "pagetide.autoscaler=other", "state": "running"})
    (strange / "other-cpu-99").write_text(other)
    after = tell()
    assert after.counts() == Counts(staying=2, ready=2)
    after.driver.end(0.0)
    after.see(lambda: after.driver.gone)
    until(lambda: tool.states == {"other-cpu-99": "running"})


def test_one_that_died_while_nobody_looked_is_removed(
    tool: Tool, tell: Callable[..., Told]
) -> None:
    before = tell()
    before.scale(1)
    before.see(lambda: before.counts().ready == 1)
    tool.become("tide-cpu-00000000", "exited 137")
    after = tell()
    assert after.counts() == Counts()
    until(lambda: tool.states == {})


def test_while_the_tool_does_not_answer_nothing_is_started_in_place(told: Told) -> None:
    told.scale(1)
    told.see(lambda: told.counts().ready == 1)
    told.tool.break_down()
    for _ in range(5):
        told.now += EVERY_S
        told.driver.reconcile(told.now)
        told.scale(1)
    told.tool.break_down(False)
    told.see(lambda: told.counts().ready == 1)
    assert len(told.tool.called("run")) == 1


def test_a_run_that_fails_is_tried_again_after_a_pause(told: Told) -> None:
    told.tool.break_down()
    told.scale(1)
    until(lambda: told.tool.called("run"))
    told.tool.break_down(False)

    def scaled() -> bool:
        told.scale(1)
        return told.counts().ready == 1

    told.see(scaled)
    assert len(told.tool.called("run")) == 2


def test_at_rest_containers_are_not_listed_again(told: Told) -> None:
    for _ in range(10):
        told.now += EVERY_S
        told.driver.reconcile(told.now)
    assert len(told.tool.called("ps")) == 1


PROGRAM = """
import pathlib, sys
said = pathlib.Path(sys.argv[1])
code = int(said.with_suffix(".code").read_text())  # before a test sees what is said
said.open("a").write(" ".join(sys.argv[2:]) + chr(10))
sys.exit(code)
"""


class Commanded:
    """A command that writes down what it was told, and ends as the test wants."""

    def __init__(self, folder: Path, **given: Any) -> None:
        self._said, self.now = folder / "said", 0.0
        self.ends_with(0)
        words = (sys.executable, "-I", "-c", PROGRAM, str(self._said), "{pool}", "n={replicas}")
        self.driver = Command(words, {"cpu": 0}, **given)

    def ends_with(self, code: int) -> None:
        self._said.with_suffix(".code").write_text(str(code))

    @property
    def said(self) -> list[str]:
        return self._said.read_text().splitlines() if self._said.exists() else []

    def want(self, replicas: int, times: int) -> None:
        """Want so many until it was run so often."""

        def ran() -> bool:
            self.now += 0.5
            self.driver.reconcile(self.now)
            self.driver.scale("cpu", replicas, self.now)
            return len(self.said) == times and self.driver.gone

        until(ran)


def test_a_command_is_run_once_for_each_number(tmp_path: Path) -> None:
    commanded = Commanded(tmp_path)
    commanded.want(2, times=1)
    assert commanded.driver.counts("cpu") == Counts(staying=2, ready=2)
    commanded.want(2, times=1)
    commanded.want(0, times=2)
    assert commanded.said == ["cpu n=2", "cpu n=0"]


def test_a_command_that_fails_is_run_again_until_it_does_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    commanded = Commanded(tmp_path)
    commanded.ends_with(3)
    until(lambda: _tried(commanded) >= 2)
    assert commanded.driver.counts("cpu") == Counts()
    commanded.ends_with(0)
    until(lambda: _tried(commanded) and commanded.driver.counts("cpu").ready == 1)
    assert set(commanded.said) == {"cpu n=1"}
    failed = [line.__dict__["exit"] for line in caplog.records if "failed" in line.message]
    assert failed[:2] == [3, 3]


def _tried(commanded: Commanded) -> int:
    commanded.now += 0.5
    commanded.driver.reconcile(commanded.now)
    commanded.driver.scale("cpu", 1, commanded.now)
    return len(commanded.said)


def test_a_pool_that_spares_comes_to_fewer_only_when_there_is_no_work(tmp_path: Path) -> None:
    commanded = Commanded(tmp_path, spare=["cpu"])
    commanded.want(4, times=1)
    commanded.want(2, times=1)
    commanded.want(5, times=2)
    commanded.want(0, times=3)
    assert commanded.said == ["cpu n=4", "cpu n=5", "cpu n=0"]


def test_at_the_end_a_command_is_run_for_none(tmp_path: Path) -> None:
    commanded = Commanded(tmp_path)
    with closing(commanded.driver):
        commanded.want(3, times=1)
        commanded.driver.end(commanded.now)
        assert not commanded.driver.gone

        def gone() -> bool:
            commanded.driver.reconcile(commanded.now)
            return commanded.driver.gone

        until(gone)
    assert commanded.said == ["cpu n=3", "cpu n=0"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("'open", "quote"),
        ("true {pool}", "{replicas}"),
        ("true {replicas}", "{pool}"),
        ("/no/such/program {pool} {replicas}", "no program"),
    ],
)
def test_a_command_that_cannot_work_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadOption, match=said):
        words_of(text, ("cpu", "gpu"))


def test_no_shell_sees_a_command() -> None:
    words = words_of("env 'a b' --scale=w={replicas} '$(id)' ';'", ("cpu",))
    assert words == ("env", "a b", "--scale=w={replicas}", "$(id)", ";")


NOTHING: Mapping[str, Any] = {
    "pools": (),
    "policies": (),
    "images": (),
    "tool": None,
    "env_file": None,
    "run_options": (),
    "name": "pagetide",
    "command": None,
    "idle_exit": None,
    "drain": False,
    "grace": 900.0,
    "leave": False,
}


def plan(**given: Any) -> Plan:
    return Plan.of(Settings(idle_s=7.0, max_workers=5), {**NOTHING, **given})


def test_with_nothing_said_one_box_scales_the_pool_cpu_within_the_settings() -> None:
    made = plan()
    policy: Any = made.policies["cpu"]
    assert (policy.least, policy.most, policy.idle_s) == (0, 5, 7.0)
    assert made.words("cpu") == ["--idle-exit", "7"]


def test_each_pool_has_its_own_bounds_and_policy() -> None:
    made = plan(pools=("cpu=0..4", "gpu=2"), policies=("one-box:tasks_a_worker=2", "gpu=keda"))
    cpu: Any = made.policies["cpu"]
    assert (cpu.least, cpu.most, cpu.tasks_a_worker) == (0, 4, 2)
    assert (made.policies["gpu"].least, made.policies["gpu"].most) == (2, 2)
    assert (list(made.idle_s), made.words("gpu")) == (["cpu"], [])


def test_the_idle_time_is_that_of_the_option_or_the_policy() -> None:
    for given, idle_s in (
        ({"idle_exit": 3.0}, 3.0),
        ({"policies": ("one-box:idle_s=4",)}, 4.0),
        ({"policies": ("one-box:idle_s=4",), "idle_exit": 3.0}, 3.0),
    ):
        made = plan(**given)
        policy: Any = made.policies["cpu"]
        assert (policy.idle_s, made.idle_s["cpu"]) == (idle_s, idle_s)


def test_workers_that_are_drained_have_no_idle_time() -> None:
    assert plan(drain=True).words("cpu") == []


def test_where_some_always_stay_none_leaves_by_itself() -> None:
    made = plan(pools=("cpu=1..4", "gpu=0..1"), idle_exit=3.0)
    cpu: Any = made.policies["cpu"]
    assert (made.words("cpu"), made.words("gpu")) == ([], ["--idle-exit", "3"])
    assert cpu.idle_s == 3.0  # after so long they are told to go


def test_a_command_is_not_run_for_fewer_as_long_as_there_is_work_though_some_stay() -> None:
    told = {**NOTHING, "pools": ("cpu=1..9",), "command": "true {replicas}"}
    driver = driver_of(Settings(), Plan.of(Settings(), told), told)
    for now, wanted in ((0.0, 4), (1.0, 2)):
        driver.scale("cpu", wanted, now)
        driver.close()
        driver.reconcile(now)
    assert driver.counts("cpu").staying == 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"pools": ("CPU",)}, "POOL=LEAST..MOST"),
        ({"pools": ("cpu=3..1",)}, "have 3 to 1"),
        ({"pools": ("cpu=0",)}, "have 0 to 0"),
        ({"pools": ("cpu=a..b",)}, "POOL=LEAST..MOST"),
        ({"policies": ("nonsense",)}, "policy"),
        ({"policies": ("keda-job",)}, "one worker per task"),
        ({"policies": ("hpa",)}, "utilization"),
        ({"drain": True, "idle_exit": 3.0}, "--idle-exit"),
        ({"pools": ("cpu=0..1", "cpu=0..2")}, "names cpu twice"),
        ({"pools": ("system",)}, "system has no workers"),
        ({"grace": math.nan}, "--grace"),
    ],
)
def test_what_cannot_be_planned_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadOption, match=said):
        plan(**given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"images": ("a",), "command": "true {replicas}"}, "not both"),
        ({"env_file": "x"}, "--image"),
        ({"leave": True}, "--leave"),
        ({"images": ("gpu=a",)}, "pool cpu"),
        ({"images": ("gpux=a",)}, "for a pool that --pool does not name"),
        ({"command": ""}, "--command must contain"),
        ({"images": ("a",), "tool": "no-such-tool"}, "no-such-tool"),
        ({"images": ("a",), "tool": sys.executable, "name": "A b"}, "--name"),
    ],
)
def test_options_that_do_not_go_together_are_refused(given: dict[str, Any], said: str) -> None:
    told = {**NOTHING, "pools": ("cpu", "gpu") if "gpu=a" in str(given) else (), **given}
    with pytest.raises(BadOption, match=said):
        driver_of(Settings(), Plan.of(Settings(), told), told)


def test_what_is_said_of_a_pool_goes_before_what_is_said_of_all() -> None:
    pools = {"cpu": 0, "gpu": 0}
    assert for_pools(("gpu=g:1=x", "all"), pools) == {"cpu": "all", "gpu": "g:1=x"}
    assert for_pools(("one-box:a=1",), pools) == dict.fromkeys(pools, "one-box:a=1")
    assert for_pools(("gpu=g",), pools) == {"cpu": "", "gpu": "g"}
