"""The process that PaddleOCR runs in: how it is started, asked, ended, and what if it dies."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pagetide.engine import PageImage, PageReading
from pagetide.engines import paddle
from pagetide.engines.paddle import interpreter, process, process_slot
from pagetide.engines.paddle.engine import PaddleEngine
from pagetide.engines.paddle.options import PPOCR
from pagetide.errors import (
    EngineFailed,
    ModelUnavailable,
    RuntimeUnavailable,
    UnknownLanguage,
    installing,
)
from pagetide.settings import Settings
from tests import paddle_fake as fake
from tests.waiting import until

Open = Callable[..., PaddleEngine]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of networks, and a fake `paddleocr` in this Python."""
    fake.install(tmp_path / "packages")
    fake.networks(tmp_path / "models")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    monkeypatch.setenv("PAGETIDE_KEY", "a secret")
    interpreter.installed.cache_clear()
    return tmp_path / "models"


@pytest.fixture
def opened(here: Path) -> Iterator[Open]:
    engines = []

    def start(parameters: str = "", *, deadline: float = 600.0, structure: bool = False) -> Any:
        settings = Settings(page_deadline_s=deadline, threads=3, paddle_python=sys.executable)
        opener = paddle.open_structurev3 if structure else paddle.open_ppocr
        engine = opener(settings, parameters, find_model=here.joinpath)
        engines.append(engine)
        return engine

    yield start
    for engine in engines:
        engine.close()


def read(engine: PaddleEngine, *widths: int, language: str = "en") -> list[PageReading]:
    return list(engine.read(iter([fake.blank(width) for width in widths]), language))


def test_a_page_comes_back_as_read_with_the_pipelines_own_json(opened: Open) -> None:
    (reading,) = read(opened(), 40)
    assert [line.text for line in reading.lines] == ["40 by 30"]
    assert reading.error is None
    assert reading.raw is not None and b'"rec_texts": ["40 by 30"]' in reading.raw
    assert reading.timings_ms["pipeline"] > 0


def test_pixels_arrive_as_they_are_and_may_be_painted_over(opened: Open) -> None:
    page = PageImage(pixels=np.full((30, 40, 3), 7, np.uint8), dpi=144)
    half = PageImage(pixels=np.full((60, 80, 3), 9, np.uint8)[::2, ::2], dpi=144)
    readings = list(opened().read(iter([page, half]), "en"))
    assert [fake.told(each.raw)["mean"] for each in readings] == [7.0, 9.0]
    assert page.pixels.max() == 7


def test_variables_are_set_before_the_import_and_ours_are_taken_out(opened: Open) -> None:
    (reading,) = read(opened(), 40)
    told = fake.told(reading.raw)
    assert [name for name in told["ours"] if not name.startswith("PAGETIDE_TEST_")] == []
    assert told["in home"] == []


def test_modules_beside_the_runner_do_not_stand_in_for_others(opened: Open) -> None:
    (reading,) = read(opened(), 40)
    assert str(interpreter.RUNNER.parent) not in str(fake.told(reading.raw)["path"])


def test_networks_are_named_and_placed_and_no_language_is(opened: Open, here: Path) -> None:
    arguments: Any = fake.told(read(opened(), 40)[0].raw)["arguments"]
    assert "lang" not in arguments and "ocr_version" not in arguments
    assert arguments["text_recognition_model_name"] == "PP-OCRv6_medium_rec"
    folder = str(here / "PP-OCRv6_medium_rec_onnx")
    assert arguments["text_recognition_model_dir"] == folder
    assert "doc_unwarping_model_name" not in arguments
    assert arguments["engine"] == "onnxruntime" and arguments["device"] == "cpu"


def test_the_language_chooses_the_recogniser_and_each_has_a_process(opened: Open) -> None:
    engine = opened()
    english, russian = (read(engine, 40, language=code)[0] for code in ("en", "ru"))
    arguments: Any = fake.told(russian.raw)["arguments"]
    assert arguments["text_recognition_model_name"] == "eslav_PP-OCRv5_mobile_rec"
    again = read(engine, 40, language="fr")[0]  # the network that reads English
    assert fake.told(again.raw)["pid"] == fake.told(english.raw)["pid"]
    assert fake.told(russian.raw)["pid"] != fake.told(english.raw)["pid"]


def test_a_third_language_ends_the_process_used_longest_ago(opened: Open, here: Path) -> None:
    fake.lay(here / "korean_PP-OCRv5_mobile_rec_onnx", "korean_PP-OCRv5_mobile_rec")
    engine = opened()
    blank = iter([fake.blank(40), fake.blank(50), fake.blank(60)])
    english = engine.read(blank, "en")
    first = fake.told(next(english).raw)["pid"]
    russian, korean = (read(engine, 40, language=code)[0] for code in ("ru", "ko"))
    pids: list[Any] = [fake.told(reading.raw)["pid"] for reading in (russian, korean)]
    assert [is_alive(pid) for pid in (first, *pids)] == [False, True, True]
    second = next(english)  # it goes on all the same
    assert second.error is None and fake.told(second.raw)["pid"] not in (first, *pids)
    assert [is_alive(pid) for pid in pids] == [False, True]


def test_what_an_engine_has_on_is_said_of_the_networks_that_need_it(opened: Open) -> None:
    engine = opened("use_seal_recognition=yes", structure=True)
    with pytest.raises(
        RuntimeUnavailable, match="seal_text_detection runs only on PaddlePaddle"
    ):
        read(engine, 40)


def test_threads_go_to_every_network(opened: Open) -> None:
    arguments: Any = fake.told(read(opened(), 40)[0].raw)["arguments"]
    detection = arguments["paddlex_config"]["SubPipelines"]["GeneralOCR"]["SubModules"]
    assert detection["TextDetection"]["engine_config"] == {"intra_op_num_threads": 3}


def test_text_line_orientation_does_not_leak_into_the_tables(opened: Open) -> None:
    """Upstream passes the switch to the page's text alone: the tables load the network."""
    engine = opened("use_textline_orientation=no", structure=True)
    arguments = made(engine)
    tables = arguments["paddlex_config"]["SubPipelines"]["TableRecognition"]["SubPipelines"]
    assert tables["GeneralOCR"]["use_textline_orientation"] is False


def test_seal_det_limit_side_len_reaches_the_seals(opened: Open) -> None:
    """Upstream ignores it, and gives the seals the limit of the page's text."""
    engine = opened("seal_det_limit_side_len=500&text_det_limit_side_len=900", structure=True)
    arguments = made(engine)
    pipelines = arguments["paddlex_config"]["SubPipelines"]
    seal = pipelines["SealRecognition"]["SubPipelines"]["SealOCR"]["SubModules"]
    assert seal["TextDetection"]["limit_side_len"] == 500
    assert pipelines["GeneralOCR"]["SubModules"]["TextDetection"]["limit_side_len"] == 900
    assert "text_det_limit_side_len" not in arguments
    assert "seal_det_limit_side_len" not in arguments


def test_what_only_predict_takes_is_given_to_it(opened: Open) -> None:
    engine = opened("use_e2e_wired_table_rec_model=on", structure=True)
    raw = slot_answer(engine)
    assert fake.told(raw)["asked"] == {"use_e2e_wired_table_rec_model": True}


def test_a_value_for_each_class_keeps_its_numbers(opened: Open) -> None:
    engine = opened('layout_threshold={"0":0.3,"8":0.5}', structure=True)
    assert "layout_threshold" in made(engine)
    assert made(engine)["layout_threshold"] == {"0": 0.3, "8": 0.5}  # JSON again, for us


def made(engine: PaddleEngine) -> Any:
    return fake.told(slot_answer(engine))["arguments"]


def slot_answer(engine: PaddleEngine) -> bytes:
    """The raw result; the fake's is no result of PP-StructureV3, so the page fails."""
    slot = engine._slot(engine._request("en"))
    return slot.read(fake.blank(40).pixels).raw


@pytest.mark.parametrize(
    ("width", "code", "message"),
    [
        (fake.EXITS, "page_failed", r"ended while it read this page \(3\)"),
        (fake.KILLED, "out_of_memory", "was killed"),
        (fake.RAISES, "page_failed", r"failed on this page \(ValueError\)"),
        (fake.STARVES, "out_of_memory", "more memory"),
        (fake.SHAPELESS, "page_failed", "unknown form"),
        (fake.EMPTY, "page_failed", "returned 0 results for one page"),
        (fake.TWO, "page_failed", "returned 2 results for one page"),
    ],
)
def test_a_page_that_fails_has_an_error_and_the_next_is_read(
    opened: Open, width: int, code: str, message: str
) -> None:
    """An empty list, PaddleX's silent answer to what it does not support, is an error too."""
    before, failed, after = read(opened(), 40, width, 50)
    assert before.error is None and after.error is None
    assert [line.text for line in after.lines] == ["50 by 30"]
    assert failed.error and failed.error.code == code
    assert failed.lines == ()
    assert re.search(message, failed.error.message)


def test_a_network_that_is_missed_when_a_page_comes_is_no_fault_of_the_page(
    opened: Open,
) -> None:
    with pytest.raises(ModelUnavailable, match="may not download it"):
        read(opened(), fake.DIALS)


def test_a_page_that_hangs_is_given_up_and_the_next_is_read(opened: Open) -> None:
    engine = opened()
    (before,) = read(engine, 40)
    (slot,) = engine._slots.values()
    assert slot._process
    slot._process._page_s = 1.0
    failed, after = read(engine, fake.HANGS, 50)
    assert before.error is None and after.error is None
    assert failed.error and failed.error.code == "page_timeout"
    assert fake.told(before.raw)["pid"] != fake.told(after.raw)["pid"]


def test_what_a_library_prints_does_not_disturb(opened: Open) -> None:
    first, second = read(opened(), fake.BABBLES, 40)
    assert first.error is None and second.error is None


def test_a_process_that_died_between_pages_is_started_again(opened: Open) -> None:
    engine = opened()
    pid: Any = fake.told(read(engine, 40)[0].raw)["pid"]
    os.kill(pid, signal.SIGKILL)
    until(lambda: not is_alive(pid))
    (reading,) = read(engine, 50)
    assert reading.error is None


def test_all_that_was_written_before_an_answer_is_in_the_log() -> None:
    ours, its = os.pipe()
    with open(ours, "rb", buffering=0) as stream:  # noqa: PTH123 - a descriptor
        tail = process._Tail(stream)
        for number in range(500):
            os.write(its, b"word %d\n" % number)
            assert tail.text().endswith(f"word {number}")
        os.close(its)
        tail.join()


def test_nothing_of_a_librarys_text_is_shown_and_its_log_has_no_places(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="pagetide.paddle"):
        (reading,) = read(opened(), fake.RAISES)
    assert reading.error and "someone" not in reading.error.message
    (record,) = caplog.records
    reason = record.__dict__["reason"]
    assert "ValueError" in reason
    assert "someone" not in reason and "abcdef" not in reason


@pytest.mark.parametrize(
    ("device", "error", "message"),
    [
        ("raises", EngineFailed, r"could not create the pipeline \(RuntimeError\)"),
        ("exits", EngineFailed, "ended during its start"),
        ("dials", ModelUnavailable, "may not download it"),
    ],
)
def test_a_pipeline_that_cannot_be_made_is_an_error_of_the_engine(
    opened: Open, device: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        read(opened(f"device={device}"), 40)
    assert "someone" not in str(caught.value) and "hunter2" not in str(caught.value)


def test_a_pipeline_that_takes_too_long_to_make_is_an_error_of_the_engine(
    opened: Open,
) -> None:
    with pytest.raises(EngineFailed, match="PAGETIDE_PAGE_DEADLINE_S"):
        read(opened("device=hangs", deadline=0.2), 40)


def test_a_python_without_paddleocr_is_said_with_what_to_do(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH")
    engine = paddle.open_ppocr(Settings(), find_model=here.joinpath)
    with pytest.raises(ModelUnavailable, match="PAGETIDE_PADDLE_PYTHON"):
        next(engine.read(iter([fake.blank(40)]), "en"))
    with pytest.raises(ModelUnavailable, match=re.escape(installing("paddle"))):
        engine.describe("en")


def test_a_python_that_is_none_is_said(here: Path) -> None:
    settings = Settings(paddle_python="/nowhere/python")
    with pytest.raises(ModelUnavailable, match="not a working Python"):
        paddle.check(PPOCR, settings, "", "en", here.joinpath)


def test_the_engine_says_what_it_is(opened: Open) -> None:
    model = opened().describe("fr")
    assert (model.name, model.engine, model.version) == ("pp-ocr", "paddleocr", "3.7.0")
    assert model.runtime.startswith("onnxruntime ")
    assert model.language == "fr"
    assert model.parts["text_detection"] == "PP-OCRv6_medium_det"
    assert set(model.weights) == set(model.parts)
    assert all(len(sha256) == 64 for sha256 in model.weights.values())


def test_an_unknown_language_is_refused(opened: Open) -> None:
    with pytest.raises(UnknownLanguage):
        read(opened(), 40, language="klingon")


def test_threads_share_a_process_and_wait_for_each_other(opened: Open) -> None:
    engine = opened()
    pids: list[object] = []

    def work() -> None:
        pids.extend(fake.told(reading.raw)["pid"] for reading in read(engine, 40, 50, 60))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pids) == 12 and len(set(pids)) == 1


def test_closing_ends_the_process_and_gives_up_its_page(opened: Open) -> None:
    engine = opened()
    pid: Any = fake.told(read(engine, 40)[0].raw)["pid"]
    failed: list[EngineFailed] = []

    def work() -> None:
        try:
            read(engine, fake.HANGS)
        except EngineFailed as error:
            failed.append(error)

    working = threading.Thread(target=work)
    working.start()
    slot = next(iter(engine._slots.values()))
    until(slot._lock.locked)
    engine.close()
    working.join(60)
    assert [error.message for error in failed] == ["The engine is closed."]
    assert not is_alive(pid)
    with pytest.raises(EngineFailed, match="closed"):
        read(engine, 40)


def test_a_process_that_is_started_while_the_slot_ends_is_ended_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ending: list[threading.Thread] = []

    class Late:
        is_usable, ended = True, False

        def __init__(self, *_: object) -> None:
            ending.append(threading.Thread(target=place.end))
            ending[0].start()
            until(lambda: place._ended)

        def read(self, _: object) -> None:
            pytest.fail("a page is read though the slot has ended")

        def end(self) -> None:
            Late.ended = True

    monkeypatch.setattr(process_slot, "PaddleProcess", Late)
    place = process_slot.ProcessSlot(sys.executable, {}, 600.0)
    with pytest.raises(EngineFailed, match="closed"):
        place.read(fake.blank(40).pixels)
    ending[0].join()
    assert Late.ended


def test_the_process_ends_with_its_parent(here: Path, tmp_path: Path) -> None:
    program = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from pagetide.engines import paddle
from pagetide.settings import Settings
from tests import paddle_fake as fake
engine = paddle.open_ppocr(Settings(), find_model=Path({str(here)!r}).joinpath)
(reading,) = engine.read(iter([fake.blank(40)]), "en")
told = fake.told(reading.raw)
print(told["pid"], told["home"], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    pid, home = ended.stdout.decode().split()
    assert ended.returncode == -signal.SIGKILL
    until(lambda: not is_alive(int(pid)))
    assert not Path(home).exists()


def is_alive(pid: int) -> bool:
    """Whether a process runs; a dead one that nobody has waited for does not."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
