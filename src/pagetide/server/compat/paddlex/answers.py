"""Pages as the results of PaddleX's pipelines."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from itertools import repeat

import msgspec

from pagetide.document import Block, Notice, Page
from pagetide.exports import overlay
from pagetide.exports.figures import figures_of, file_name
from pagetide.geometry import box_of
from pagetide.server.compat import outcome, recognitions
from pagetide.server.compat.paddle_results import (
    Json,
    about_source,
    layout_result,
    markdown_of,
    ocr_result,
    without,
)
from pagetide.server.compat.paddlex import restructure
from pagetide.server.compat.paddlex.request import LayoutRequest, OcrRequest, PipelineRequest
from pagetide.server.compat.paddlex.restructure import BLOCKS, LINES, OCR
from pagetide.server.compat.plain import listed
from pagetide.server.compat.raw_pages import with_raw
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service

Made = tuple[Page, Json]


class Answer:
    """The answer to one request: its job's pages, translated one by one.

    Its methods may block.
    """

    def __init__(self, service: Service, job: Job) -> None:
        self._service, self._job = service, job
        self._sizes: list[tuple[int, int]] = []

    def ocr(self, request: OcrRequest) -> Iterator[bytes]:
        """The result of `/ocr`, as JSON in parts."""
        results = (self._ocr_page(request, page, raw) for page, raw in self._pages())
        return self._result("ocrResults", results, ())

    def layout(self, request: LayoutRequest) -> Iterator[bytes]:
        """The result of `/layout-parsing`, as JSON in parts.

        Pages are restructured together; so the blocks of all of them, but no pictures, are
        in memory where that is asked.
        """
        blocks = self._restructured(request) if request.restructure_pages else repeat(None)
        results = (
            self._layout_page(request, page, raw, found)
            for (page, raw), found in zip(self._pages(), blocks, strict=False)
        )
        wanted = [kind for kind in recognitions.KINDS if request.recognises(kind)]
        warnings = recognitions.not_had(self._job.options.model, wanted)
        return self._result("layoutParsingResults", results, warnings)

    def _result(
        self, name: str, results: Iterator[Json], warnings: Iterable[Notice]
    ) -> Iterator[bytes]:
        yield msgspec.json.encode({"jobId": self._job.id, name: []})[:-2]
        yield from listed(map(msgspec.json.encode, results))
        model = outcome.head(self._service, self._job).model.name
        info = {**about_source(self._job.source, self._sizes), "model": model}
        end = {"dataInfo": info, "warnings": list(warnings)}
        yield b"]," + msgspec.json.encode(end)[1:]

    def _pages(self) -> Iterator[Made]:
        """Each page, and what PaddleOCR itself made of it, if it did."""
        for page, raw in with_raw(self._service, self._job):
            self._sizes.append((page.width, page.height))
            yield page, raw

    def _ocr_page(self, request: OcrRequest, page: Page, raw: Json) -> Json:
        found = raw if "rec_texts" in raw else ocr_result(page)
        if request.return_word_box and found is not raw:
            found |= _words(page)
        drawn, plain = self._pictures(request, page)
        return {"prunedResult": found} | _given(ocrImage=drawn, inputImage=plain)

    def _layout_page(
        self, request: LayoutRequest, page: Page, raw: Json, blocks: list[Json] | None
    ) -> Json:
        result = self._layout_result(page, raw)
        markdown = self._markdown(request, without(page, request.markdown_ignore_labels))
        if blocks is not None:
            result |= {BLOCKS: blocks}
            markdown |= {"text": _remade_text(request, result, markdown.get("images", {}))}
        drawn, plain = self._pictures(request, page)
        return {
            "prunedResult": result,
            "markdown": markdown,
            "outputImages": _given(layout_det_res=drawn),
            **_given(inputImage=plain),
        }

    def _restructured(self, request: LayoutRequest) -> Iterator[list[Json]]:
        """Each page's blocks, after all pages were looked at together."""
        results = (self._layout_result(*made) for made in with_raw(self._service, self._job))
        parts = [
            {BLOCKS: result[BLOCKS], OCR: {LINES: result.get(OCR, {}).get(LINES, [])}}
            for result in results
        ]
        pages = restructure.restructured(
            parts, merge_tables=request.merge_tables, relevel_titles=request.relevel_titles
        )
        yield from (page[BLOCKS] for page in pages)

    def _layout_result(self, page: Page, raw: Json) -> Json:
        """PaddleOCR's own result; else the page, and what was made of charts and the like."""
        if BLOCKS in raw:
            return raw
        model = page.model.name if page.model else self._job.options.model
        found = layout_result(page)
        return found | {
            "model_settings": found["model_settings"] | recognitions.settings(model),
            "warnings": [*page.warnings, *recognitions.missed(page, model)],
        }

    def _markdown(self, request: LayoutRequest, page: Page) -> Json:
        if not request.return_markdown_images:
            return {"text": markdown_of(page)["text"]}
        markdown = markdown_of(page, self._figure)
        for block in () if request.prettify_markdown else figures_of(page):
            name = file_name(page, block)
            pretty = restructure.shown(name, block.kind)
            markdown["text"] = markdown["text"].replace(pretty, restructure.linked(name))
        return markdown

    def _figure(self, page: Page, block: Block) -> str:
        return _base64(self._service.pages.figure(self._job, page.number, block.order))

    def _pictures(self, request: PipelineRequest, page: Page) -> tuple[str | None, str | None]:
        """The page with what was found on it, and without; none where nobody wants them."""
        if not request.visualize or page.error is not None:
            return None, None
        image = self._service.pages.pixels(self._job, page.number)
        plain = self._service.pages.image(self._job, page.number)
        return _base64(overlay.draw(page, image.pixels)), _base64(plain)


def _remade_text(request: LayoutRequest, result: Json, images: Json) -> str:
    ignored = frozenset(request.markdown_ignore_labels)
    return restructure.markdown(
        result, images, pretty=request.prettify_markdown, ignored=ignored
    )


def _words(page: Page) -> Json:
    lines = [[word for word in line.words] for line in page.lines]
    return {
        "text_word": [[word.text for word in words] for words in lines],
        "text_word_boxes": [
            [[round(number) for number in box_of(word.polygon)] for word in words]
            for words in lines
        ],
    }


def _given(**fields: str | None) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value is not None}


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
