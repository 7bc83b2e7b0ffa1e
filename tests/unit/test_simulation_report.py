"""What is told of a replay: setups and prices, text, pictures, recommendations."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from pagetide.cli.scaling import calibrate
from pagetide.cli.scaling.calibrate import Calibration, read_calibration
from pagetide.errors import BadOption
from pagetide.server.scaling.policies import Policy, ScaledObject
from pagetide.server.scaling.simulate.measures import Measures, Price
from pagetide.server.scaling.simulate.plain import Fixed, PerCall
from pagetide.server.scaling.simulate.recommend import recommend
from pagetide.server.scaling.simulate.replay import replay
from pagetide.server.scaling.simulate.reports import report
from pagetide.server.scaling.simulate.reports.chart import Label, chart
from pagetide.server.scaling.simulate.reports.picture import png
from pagetide.server.scaling.simulate.reports.web_page import html
from pagetide.server.scaling.simulate.setups import parse, price, prices, setup, setups, text_of
from pagetide.server.scaling.simulate.traces import Load, made, trace_of
from pagetide.server.scaling.simulate.workers.machine import Machine
from pagetide.settings import Settings
from tests.waiting import until


def _child(pid: int) -> str:
    """The first child of a process, if it has one."""
    return (Path(f"/proc/{pid}/task/{pid}/children").read_text().split() or [""])[0]


def _words(pid: str) -> list[str]:
    """What a process was called with; nothing for one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except FileNotFoundError:
        return []


CHEAP = Price(usd_an_hour=1.0)


@pytest.fixture(scope="module")
def day() -> Measures:
    trace = made("daily", Load(pages_a_month=3e5, seed=1))
    return replay(trace, ScaledObject(target=4), Machine(cold_start_s=30), price=CHEAP)


class TestSetups:
    @pytest.mark.parametrize("name", setups())
    def test_each_can_be_replayed_and_ends(self, name: str) -> None:
        known = setup(name)
        trace = made("daily", Load(pages_a_month=3e4, days=0.5))
        measures = replay(trace, parse(known.policy), known.machine, price=price(known.price))
        if name != "aws-gpu-as-described":  # its holes are what it is there for
            assert measures.unfinished == 0
        assert (measures.cost_usd is None) == (price(known.price).usd_an_hour is None)

    def test_all_four_that_were_described_are_there(self) -> None:
        wanted = {"two-clouds", "aws-cpu", "aws-gpu", "gpu-box", "kubernetes-gpu"}
        wanted |= {"kubernetes-hpa", "kubernetes-cpu", "kubernetes-vllm", "box"}
        assert wanted <= set(setups())

    @pytest.mark.parametrize("name", prices())
    def test_a_price_says_where_it_is_from_and_when(self, name: str) -> None:
        known = price(name)
        assert re.search(r"read 20\d\d-\d\d-\d\d$", known.source)
        assert known.usd_an_hour is not None or "no price known" in known.source
        assert known.usd_an_hour is None or known.usd_an_hour > 0

    @pytest.mark.parametrize("name", setups())
    def test_a_setup_says_where_its_times_are_from(self, name: str) -> None:
        assert len(setup(name).source) > 5
        assert setup(name).price in prices()

    def test_lambda_costs_what_its_memory_does(self) -> None:
        assert price("lambda-4096mb-x86").usd_an_hour == pytest.approx(
            4 * 1.66667e-5 * 3600, 1e-4
        )

    def test_what_is_not_known_is_told_with_what_is(self) -> None:
        with pytest.raises(BadOption, match="did you mean box"):
            setup("boxx")
        with pytest.raises(BadOption, match="There is no price"):
            price("gold")


class TestPolicies:
    @pytest.mark.parametrize(
        ("text", "policy"),
        [
            ("fixed", Fixed()),
            ("fixed:replicas=3", Fixed(replicas=3)),
            ("per-call:most=7,polling_s=2.5", PerCall(most=7, polling_s=2.5)),
            ("keda:target=4", ScaledObject(target=4)),
        ],
    )
    def test_they_are_read_and_written(self, text: str, policy: Policy) -> None:
        assert parse(text) == policy
        assert parse(text_of(policy)) == policy

    @pytest.mark.parametrize(
        "text",
        [
            *("fixedd", "fixed:most=3", "fixed:replicas=x", "fixed:replicas=0"),
            *("fixed:kills_busy=no", "per-call:polling_s=0", "per-call:most=0", "keda:most=x"),
        ],
    )
    def test_others_are_refused(self, text: str) -> None:
        with pytest.raises(BadOption):
            parse(text)


class TestText:
    def test_one_replay(self, day: Measures) -> None:
        shown = "\n".join(report.lines(day))
        assert re.search(r"cost per 1,000 pages +\$[\d.]+\n", shown)
        assert "NEVER" not in shown

    def test_no_price_is_said_and_not_made_up(self, day: Measures) -> None:
        shown = report.lines(replace(day, cost_usd=None, usd_a_1000_pages=None))
        assert sum("no price known" in line for line in shown) == 2

    def test_jobs_that_never_end_are_said(self, day: Measures) -> None:
        stuck = replace(day, unfinished=3)
        assert any(line.startswith("JOBS THAT NEVER END") for line in report.lines(stuck))
        assert report.table([("one", day), ("other", stuck)])[-1] == (
            "other: 3 of its jobs never end."
        )

    def test_several_stand_below_each_other(self, day: Measures) -> None:
        head, *rows = report.table([("one", day), ("a longer name", day)])
        assert len(rows) == 2
        assert {len(row) for row in rows} == {len(head)}

    @pytest.mark.parametrize(
        ("usd", "shown"),
        [(0, "$0.00"), (0.01234, "$0.0123"), (12.345, "$12.35"), (1e6, "$1,000,000.00")],
    )
    def test_money(self, usd: float, shown: str) -> None:
        assert report.money(usd) == shown


class TestPictures:
    def test_a_page_asks_for_nothing_from_elsewhere(self, day: Measures) -> None:
        page = html(chart([("a < b", day), ("other", day)], in_usd=True), ["a < b & c"])
        assert re.findall(r"https?://[^\"]+", page) == ["http://www.w3.org/2000/svg"]
        assert not re.search(r"<script|@import|url\(|\bsrc=|\bhref=", page)
        assert "a &lt; b &amp; c" in page

    def test_its_drawing_is_whole_and_within_its_frame(self, day: Measures) -> None:
        drawn = chart([("one", day)], in_usd=True)
        page = html(drawn, [])
        root = ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])  # noqa: S314 - our own
        lines = [each for each in root if each.tag.endswith("polyline")]
        titles = [each.text for each in root if each.tag.endswith("text")]
        assert {"tasks waiting or held", "workers", "cost, $"} <= set(titles)
        for line in lines:
            for point in line.attrib["points"].split():
                x, y = map(float, point.split(","))
                assert 0 <= x <= drawn.width
                assert 0 <= y <= drawn.height

    def test_a_weeks_days_are_marked_in_whole_numbers(self) -> None:
        week = replay(trace_of([0], [1], span_s=7 * 86_400), Fixed(), Machine())
        texts = [
            one.text
            for one in chart([("a", week)], in_usd=False).shapes
            if isinstance(one, Label)
        ]
        assert [each for each in texts if each.endswith(" d")][:4] == [
            "0 d",
            "2 d",
            "4 d",
            "6 d",
        ]

    def test_without_a_price_hours_are_drawn(self, day: Measures) -> None:
        page = html(chart([("one", day)], in_usd=False), [])
        assert "replica-hours" in page
        assert "cost, $" not in page

    def test_a_png_shows_every_colour(self, day: Measures) -> None:
        drawn = chart(
            [("one", day), ("other", replace(day, samples=day.samples[:50]))], in_usd=True
        )
        image = Image.open(BytesIO(png(drawn)))
        assert image.size == (2 * drawn.width, 2 * drawn.height)
        colours = {colour for _, colour in image.getcolors(1 << 24) or ()}
        assert {(11, 98, 164), (209, 73, 91), (255, 255, 255)} <= colours

    def test_no_job_at_all_can_be_drawn(self) -> None:
        nothing = replay(trace_of([], [], span_s=60), Fixed(), Machine())
        assert png(chart([("nothing", nothing)], in_usd=False)).startswith(b"\x89PNG")
        assert (nothing.wait_p95_s, nothing.replica_s) == (0, 60)


class TestRecommend:
    trace = made("poisson", Load(pages_a_month=3e6, days=0.1, seed=2))

    def attempt(self, policy: Policy) -> Measures:
        return replay(self.trace, policy, Machine(page_s=2.0, cold_start_s=20), price=CHEAP)

    def test_the_fewest_machines_that_do(self) -> None:
        found = recommend(Fixed(replicas=20), self.attempt, p95_s=30)
        assert found.reached
        assert found.whole
        assert isinstance(found.policy, Fixed)
        fewer = self.attempt(Fixed(replicas=found.policy.replicas - 1))
        assert fewer.wait_p95_s > 30

    def test_it_is_cheaper_than_what_it_began_with(self) -> None:
        began = ScaledObject(target=1, least=4, most=15)
        found = recommend(began, self.attempt, p95_s=60)
        assert found.reached
        assert found.measures.cost_usd is not None
        before = self.attempt(began).cost_usd
        assert before is not None
        assert found.measures.cost_usd < before
        assert found.options == ("most", "target", "cooldown_s", "least")

    def test_a_goal_that_nothing_reaches_is_told_so(self) -> None:
        found = recommend(Fixed(replicas=1), self.attempt, p95_s=0.5, most_tries=30)
        assert not found.reached

    def test_it_stops_when_it_has_tried_enough(self) -> None:
        found = recommend(ScaledObject(most=1), self.attempt, p95_s=10, most_tries=3)
        assert found.tried <= 3
        assert not found.whole

    def test_a_goal_must_be_one(self) -> None:
        with pytest.raises(BadOption, match="above 0"):
            recommend(Fixed(), self.attempt, p95_s=0)


class TestCalibration:
    known = Calibration(
        page_s=0.5, cold_start_s=1.25, pages=24, model="fake", processor='A "B"', cores=2,
        measured="2026-11-21",
    )  # fmt: skip

    def test_it_is_written_and_read(self, tmp_path: Path) -> None:
        path = tmp_path / "here.toml"
        path.write_text(self.known.text())
        assert read_calibration(path) == self.known
        machine = self.known.of(Machine(held=2))
        assert (machine.page_s, machine.cold_start_s, machine.held) == (0.5, 1.25, 2)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("page_s = 1\n", "has no cold_start_s"),
            ("page_s = [\n", "not as --calibrate writes it"),
            ('page_s = "x"\ncold_start_s = 1\n', "not as --calibrate writes it"),
            ("page_s = 0\ncold_start_s = 1\n", "times that no worker can have"),
            ("page_s = nan\ncold_start_s = 1\n", "times that no worker can have"),
            ("page_s = 1\ncold_start_s = -1\n", "times that no worker can have"),
        ],
    )
    def test_another_file_is_refused(self, tmp_path: Path, text: str, said: str) -> None:
        path = tmp_path / "here.toml"
        path.write_text(text)
        with pytest.raises(BadOption, match=said):
            read_calibration(path)

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(BadOption, match="cannot be read: No such file"):
            read_calibration(tmp_path / "none.toml")

    def test_a_page_takes_as_long_as_the_engine_makes_it(self) -> None:
        sample = Path(__file__).parents[2] / "samples" / "table.png"
        page_s, pages = calibrate.page_time([sample], "fake?slow=0.02", 1)
        assert pages == calibrate.LEAST_PAGES
        assert page_s > 0.02

    def test_a_worker_is_not_left_behind_though_who_started_it_is_killed(
        self, tmp_path: Path
    ) -> None:
        script = (
            "from pagetide.cli.scaling import calibrate\n"
            "from pagetide.settings import Settings\n"
            "calibrate._is_ready = lambda port: False\n"
            f"own = Settings(data_dir={str(tmp_path)!r}, warm_models=('fake',))\n"
            "calibrate._until_ready(own)\n"
        )
        starter = subprocess.Popen([sys.executable, "-c", script])
        try:
            until(lambda: (worker := _child(starter.pid)) and "worker" in _words(worker))
            worker = _child(starter.pid)
        finally:
            starter.kill()
            starter.wait()
        try:
            until(lambda: "worker" not in _words(worker), why="a worker is left behind")
        finally:
            with suppress(ProcessLookupError):
                os.kill(int(worker), signal.SIGKILL)

    def test_a_worker_is_started_until_it_is_ready(self, tmp_path: Path) -> None:
        settings = Settings(data_dir=str(tmp_path), test_models=True)
        cold_start_s = calibrate.cold_start(settings, "fake")
        assert 0 < cold_start_s < calibrate.READY_S
        assert list(tmp_path.iterdir()) == []  # it has a folder of its own
