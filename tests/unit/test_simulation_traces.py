"""Traces: read from a file, or made with a seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pagetide.errors import BadOption
from pagetide.server.scaling.simulate.traces import (
    DAY_S,
    HOUR_S,
    SHAPES,
    Load,
    made,
    read_csv,
    trace_of,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "jobs.csv"


class TestFile:
    def test_it_is_read_and_put_in_order(self, file: Path) -> None:
        file.write_text("at_s,pages\n5.5,2\n0,1\n")
        trace = read_csv(file)
        assert trace.at_s.tolist() == [0.0, 5.5]
        assert trace.pages.tolist() == [1, 2]
        assert (trace.span_s, trace.page_count, trace.name) == (5.5, 3, "jobs.csv")

    def test_a_table_programs_mark_and_line_ends_do_no_harm(self, file: Path) -> None:
        file.write_bytes(b"\xef\xbb\xbfat_s,pages\r\n1,2\r\n")
        assert read_csv(file).pages.tolist() == [2]

    def test_one_pool_of_several(self, file: Path) -> None:
        file.write_text("at_s,pages,pool\n1,2,cpu\n2,3,gpu\n3,4,\n")
        assert read_csv(file, "gpu").pages.tolist() == [3]
        assert read_csv(file, "cpu").pages.tolist() == [2, 4]
        assert read_csv(file).pages.tolist() == [2, 3, 4]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("at_s,pages\n1,2\nx,2\n", "line 3: at_s and pages must be numbers."),
            ("at_s,pages\n1,2.5\n", "line 2: at_s and pages must be numbers."),
            ("at_s,pages\n1\n", "line 2: at_s and pages must be numbers."),
            ("at_s,pages\n-1,2\n", "line 2: at_s must be 0 or more, and pages from 1 to 5000."),
            ("at_s,pages\nnan,2\n", "line 2: at_s must be 0 or more"),
            ("at_s,pages\ninf,2\n", "line 2: at_s must be 0 or more"),
            (
                "at_s,pages\n1763740000,1\n",
                "line 2: at_s counts seconds from the trace's start",
            ),
            ("at_s,pages\n1,0\n", "line 2: at_s must be 0 or more"),
            ("at_s,pages\n1,5001\n", "line 2: at_s must be 0 or more"),
            ("time,pages\n1,2\n", "line 1: the columns must be named at_s,pages[,pool]."),
            ("", "line 1: the columns must be named at_s,pages[,pool]."),
        ],
    )
    def test_a_wrong_line_is_named(self, file: Path, text: str, said: str) -> None:
        file.write_text(text)
        with pytest.raises(BadOption) as caught:
            read_csv(file)
        assert caught.value.message.startswith(f"{file}, ")
        assert said in caught.value.message

    def test_a_file_without_a_job_is_refused(self, file: Path) -> None:
        file.write_text("at_s,pages,pool\n1,2,cpu\n")
        with pytest.raises(BadOption, match="has no job of the pool gpu"):
            read_csv(file, "gpu")

    def test_what_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(BadOption, match="cannot be read: No such file"):
            read_csv(tmp_path / "none.csv")
        (tmp_path / "bytes.csv").write_bytes(b"at_s,pages\n\xff\xfe,1\n")
        with pytest.raises(BadOption, match="not a CSV in UTF-8"):
            read_csv(tmp_path / "bytes.csv")


class TestMade:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_the_same_seed_gives_the_same_trace(self, shape: str) -> None:
        one, same, other = (made(shape, Load(seed=seed)) for seed in (3, 3, 4))
        assert np.array_equal(one.at_s, same.at_s)
        assert np.array_equal(one.pages, same.pages)
        assert not np.array_equal(one.at_s[:50], other.at_s[:50])

    @pytest.mark.parametrize("shape", SHAPES)
    def test_it_is_as_much_as_was_asked_for(self, shape: str) -> None:
        trace = made(shape, Load(pages_a_month=3e6, days=7, pages_a_job=4))
        assert trace.span_s == 7 * DAY_S
        assert (np.diff(trace.at_s) >= 0).all()
        assert trace.at_s[0] >= 0
        assert trace.at_s[-1] <= trace.span_s
        assert trace.page_count == pytest.approx(3e6 * 7 / 30, rel=0.02)
        assert trace.pages.min() == 1

    def test_an_office_sleeps_at_night(self) -> None:
        hours = made("daily", Load(pages_a_month=1e7)).at_s // HOUR_S
        night, noon = (hours < 5).sum() / 5, ((hours >= 9) & (hours < 17)).sum() / 8
        assert noon > 8 * night

    def test_bursts_are_most_of_it_in_little_of_the_time(self) -> None:
        at_s = made("bursts", Load(pages_a_month=1e7)).at_s
        minutes = np.sort(np.bincount((at_s // 60).astype(int), minlength=1440))[::-1]
        assert minutes[:72].sum() > 0.8 * len(at_s)  # a twentieth of the day

    def test_a_monday_at_nine_has_the_weekends_work(self) -> None:
        at_s = made("monday", Load(pages_a_month=1e7, days=7)).at_s
        days = np.bincount((at_s // DAY_S).astype(int), minlength=7)
        peak = ((at_s > 8 * HOUR_S) & (at_s < 10 * HOUR_S)).sum()
        assert peak > 0.3 * len(at_s)
        assert days[5] + days[6] < 0.1 * days[1:5].sum()

    def test_one_page_a_job(self) -> None:
        assert set(made("poisson", Load(pages_a_job=1)).pages.tolist()) == {1}

    def test_too_much_is_refused_before_it_is_made(self) -> None:
        with pytest.raises(BadOption, match="fewer days, or more pages per job"):
            made("daily", Load(pages_a_month=1e9, days=30, pages_a_job=1))

    def test_a_shape_that_is_not_known(self) -> None:
        with pytest.raises(BadOption, match="did you mean daily"):
            made("dayly", Load())

    @pytest.mark.parametrize(
        "load",
        [
            Load(pages_a_month=0),
            Load(days=0),
            Load(days=1e8, pages_a_month=1),
            Load(pages_a_job=0.5),
            Load(pages_a_job=float("inf")),
        ],
    )
    def test_a_load_that_is_none(self, load: Load) -> None:
        with pytest.raises(BadOption, match="needs pages"):
            made("poisson", load)


def test_a_trace_that_cannot_be() -> None:
    for at_s, pages in (([1.0], [0]), ([-1.0], [1]), ([float("nan")], [1]), ([1.0, 2.0], [1])):
        with pytest.raises(BadOption):
            trace_of(at_s, pages)
