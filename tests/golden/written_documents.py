"""One document for each model, as it is read today; `python -m tests.golden.written_documents`
writes them anew where a change is meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from numpy.typing import NDArray

from bench.fake_vl_server import FakeVlServer, Reply
from pagetide.document import BlockKind, Document, ModelInfo
from pagetide.engine import PageReading
from pagetide.engines.paddle.results.parsed import parse_ocr, parse_structurev3
from pagetide.engines.vl import open_engine
from pagetide.geometry import polygon_of
from pagetide.inputs import PageContent
from pagetide.layout import Area
from pagetide.reading import Reader, ReadOptions
from pagetide.reading.opening import open_reader
from pagetide.reading.pages_in_work import Prepared, Work
from pagetide.settings import Settings
from tests.documents import document_of, page_of

SAMPLES = Path(__file__).parents[2] / "samples"
CAPTURED = Path(__file__).parent / "paddle"
FOLDER = Path(__file__).parent / "documents"
CAPTURED_SIZE = (1200, 1500)


# In f32, which every processor has: with bf16 boxes differ by a pixel from one kind to the
# next, and what stands at a rule's edge changes its kind with them.
ALIKE_EVERYWHERE = "onnxruntime"


def read_with(
    model: str, sample: str, pages: str | None = None, **options: str
) -> Callable[[], Document]:
    """A sample as the library reads it."""

    def document() -> Document:
        settings = Settings(runtime=ALIKE_EVERYWHERE)
        with open_reader(model, options=options, settings=settings) as reader:
            return reader.read(SAMPLES / sample, ReadOptions(pages=pages))

    return document


def captured(
    model: str, name: str, parse: Callable[[Any, int, int], PageReading]
) -> Callable[[], Document]:
    """What PaddleOCR's pipeline wrote of a page, as a document."""

    def document() -> Document:
        raw = json.loads((CAPTURED / f"{name}.json").read_text(encoding="utf-8"))
        reading = parse(raw, *CAPTURED_SIZE)
        blank = page_of((), size=CAPTURED_SIZE)
        content = PageContent(
            number=1,
            width=blank.width,
            height=blank.height,
            dpi=blank.dpi,
            width_pt=blank.width_pt,
            height_pt=blank.height_pt,
            rotation=0,
            text_layer=blank.text_layer,
        )
        page = Prepared(work=Work(), content=content).page(reading)
        assert page is not None
        made = document_of(page, name="page.png", media_type="image/png")
        info = ModelInfo(
            name=model, engine="paddle", version="3.7.0", runtime="onnxruntime", language="auto"
        )
        return msgspec.structs.replace(made, model=info)

    return document


def through_a_server() -> Document:
    """A sample read by PaddleOCR-VL's engine, the server making up the text."""

    def areas(pixels: NDArray[Any]) -> list[Area]:
        height, width = pixels.shape[:2]
        kinds: tuple[BlockKind, ...] = ("title", "text", "table")
        return [
            Area(
                label=kind,
                kind=kind,
                polygon=polygon_of((0, height * i / 3, width, height * (i + 1) / 3)),
                confidence=0.9,
                order=i,
            )
            for i, kind in enumerate(kinds)
        ]

    def answer(asked: Any) -> Reply:
        table = asked.prompt.startswith("Table")
        return Reply(
            text="<fcel>Port<fcel>Ships<nl><fcel>Emden<fcel>7<nl>" if table else "Tide"
        )

    with FakeVlServer(answer) as server:
        settings = Settings(vl_url=server.url, threads=2)
        with Reader(lambda: open_engine(settings, "", areas), settings) as reader:
            return reader.read(SAMPLES / "receipt.jpg", ReadOptions(text_layer="never"))


MODELS: dict[str, Callable[[], Document]] = {
    "auto": read_with("auto", "mixed.pdf", pages="1-2"),
    "structure-lite": read_with("structure-lite", "table.png"),
    "pp-ocrv6": read_with("pp-ocrv6", "receipt.jpg"),
    "pp-ocrv5": read_with(
        "pp-ocrv5",
        "two_columns.png",
        detector="PP-OCRv6_small_det",
        recogniser="PP-OCRv6_small_rec",
    ),
    "text-layer": read_with("text-layer", "mixed.pdf", pages="1"),
    "pp-structurev3": captured("pp-structurev3", "raw_pp_structurev3", parse_structurev3),
    "pp-ocr": captured("pp-ocr", "raw_pp_ocr", parse_ocr),
    "paddleocr-vl": through_a_server,
}


def settled(document: Document) -> Document:
    """The document without what differs from run to run: how long it took."""
    pages = tuple(msgspec.structs.replace(page, timings_ms={}) for page in document.pages)
    return msgspec.structs.replace(document, pages=pages)


if __name__ == "__main__":
    for name, read in MODELS.items():
        text = settled(read()).to_json(indent=1)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
