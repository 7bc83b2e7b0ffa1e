"""A package `paddleocr` for tests of the code around the real one: it misbehaves on request.

The page's width decides what it does with a page, `device` what happens when it is created.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from pagetide.engine import PageImage

EXITS, KILLED, HANGS, EMPTY, TWO, RAISES, STARVES, DIALS, SHAPELESS, BABBLES = range(11, 21)

_PADDLEOCR = """
import json, os, signal, socket, sys, threading

assert os.environ["PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK"], "set before the import"
HOME = os.environ["PADDLE_PDX_CACHE_HOME"]
OURS = [name for name in os.environ if name.startswith("PAGETIDE_")]
print("a library that prints")

class Result:
    def __init__(self, res):
        self.json = {"res": res}

class PaddleOCR:
    def __init__(self, **arguments):
        self.arguments = arguments
        device = arguments["device"]
        if device == "raises":
            raise RuntimeError("no such thing in /home/someone/private: password=hunter2")
        if device == "exits":
            os._exit(7)
        if device == "hangs":
            threading.Event().wait()
        if device == "dials":
            try:  # as PaddleX does: it catches all, and tries the next
                socket.create_connection(("192.0.2.1", 80))
            except Exception:
                raise Exception("no hoster is available")

    def predict(self, page, **asked):
        width = page.shape[1]
        if width == 11:
            os._exit(3)
        if width == 12:
            os.kill(os.getpid(), signal.SIGKILL)
        if width == 13:
            threading.Event().wait()
        if width == 14:
            return []
        if width == 16:
            raise ValueError("/home/someone/private is bad: token=abcdef")
        if width == 17:
            raise MemoryError
        if width == 18:
            socket.create_connection(("192.0.2.1", 80))
        if width == 19:
            return [Result({"rec_texts": 5})]
        if width == 20:
            print("noise\\n" * 5000)
        told = {
            "arguments": self.arguments,
            "asked": asked,
            "pid": os.getpid(),
            "home": HOME,
            "in home": sorted(os.listdir(HOME)),
            "ours": OURS,
            "mean": float(page.mean()),
            "path": sys.path[:3],
        }
        box = [2, 2, width - 2, page.shape[0] - 2]
        polygon = [[2, 2], [width - 2, 2], [width - 2, box[3]], [2, box[3]]]
        page[:] = 0  # as the real one does, which paints over
        one = Result({
            "dt_polys": [polygon], "rec_polys": [polygon], "rec_boxes": [box],
            "rec_texts": [f"{width} by {page.shape[0]}"], "rec_scores": [0.9], "told": told,
        })
        return [one, one] if width == 15 else [one]

class PPStructureV3(PaddleOCR):
    pass
"""
_INFERENCE = """
def load_pipeline_config(name):
    text = {"TextDetection": {"model_name": "det"}, "TextRecognition": {"model_name": "rec"}}
    return {
        "pipeline_name": name,
        "SubModules": {"LayoutDetection": {"model_name": "layout"}},
        "SubPipelines": {
            "GeneralOCR": {"use_textline_orientation": True, "SubModules": dict(text)},
            "TableRecognition": {"SubPipelines": {"GeneralOCR": {
                "use_textline_orientation": True,
                "SubModules": {"TextDetection": {"model_name": "det"}},
            }}},
            "SealRecognition": {"SubPipelines": {"SealOCR": {
                "SubModules": {"TextDetection": {"model_name": "seal"}},
            }}},
        },
    }
"""


def install(folder: Path) -> None:
    """Write the packages into a folder that Python searches."""
    for package, source in (("paddleocr", _PADDLEOCR), ("paddlex", "")):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").write_text(source, encoding="utf-8")
        facts = folder / f"{package}-3.7.0.dist-info"
        facts.mkdir()
        facts.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 3.7.0\n", encoding="utf-8"
        )
    (folder / "paddlex" / "inference.py").write_text(_INFERENCE, encoding="utf-8")


def networks(folder: Path) -> None:
    """Folders that look like those of all networks."""
    from pagetide.engines.paddle.parts import STRUCTURE_V3

    names = {part.network or "PP-OCRv6_medium_rec" for part in STRUCTURE_V3.values()}
    for name in names | {"eslav_PP-OCRv5_mobile_rec"}:
        for suffix, files in (
            ("_onnx", ("inference.onnx",)),
            ("_paddle", ("inference.json", "inference.pdiparams")),
        ):
            lay(folder / f"{name}{suffix}", name, files)


def lay(folder: Path, network: str, files: tuple[str, ...] = ("inference.onnx",)) -> Path:
    """A folder that claims to hold a network, with these files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "inference.yml").write_text(f"Global:\n  model_name: {network}\n")
    for file in files:
        (folder / file).write_bytes(b"weights")
    return folder


def blank(width: int, height: int = 30, shade: int = 255) -> PageImage:
    """A page of this width."""
    return PageImage(pixels=np.full((height, width, 3), shade, np.uint8), dpi=144)


def told(raw: bytes | None) -> dict[str, Any]:
    """What the fake reports of how it was created and called."""
    assert raw is not None
    found: dict[str, Any] = json.loads(raw)["told"]
    return found
