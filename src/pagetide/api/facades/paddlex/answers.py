"""Pages as the results of PaddleX's pipelines."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from urllib.parse import parse_qsl

import msgspec

from pagetide.api.facades import outcome
from pagetide.api.facades.paddle_results import (
    Json,
    about_source,
    layout_result,
    markdown_of,
    ocr_result,
    without,
)
from pagetide.api.facades.paddlex import restructure
from pagetide.api.facades.paddlex.asked import Asked, LayoutAsked, OcrAsked
from pagetide.api.facades.plain import listed
from pagetide.api.facades.raw_pages import with_raw
from pagetide.document import Block, Page
from pagetide.exports import overlay
from pagetide.exports.figures import figures_of, file_name
from pagetide.geometry import box_of
from pagetide.job import Job
from pagetide.models import VL
from pagetide.service import Service

_RECOGNITIONS = {
    "chart": "use_chart_recognition",
    "seal": "use_seal_recognition",
    "formula": "use_formula_recognition",
}
Made = tuple[Page, Json]


class Answer:
    """The answer to one request: its job's pages, translated one by one.

    Its methods may block.
    """

    def __init__(self, service: Service, job: Job) -> None:
        self._service, self._job = service, job
        self._sizes: list[tuple[int, int]] = []

    def ocr(self, asked: OcrAsked) -> Iterator[bytes]:
        """The result of `/ocr`, as JSON in parts."""
        results = (self._ocr_page(asked, page, raw) for page, raw in self._pages())
        return self._result("ocrResults", results)

    def layout(self, asked: LayoutAsked) -> Iterator[bytes]:
        """The result of `/layout-parsing`, as JSON in parts.

        Pages are restructured together; so all of them are in memory where that is asked.
        """
        each = (self._layout_page(asked, page, raw) for page, raw in self._pages())
        results = iter(_restructured(asked, list(each))) if asked.restructure_pages else each
        return self._result("layoutParsingResults", results)

    def _result(self, name: str, results: Iterator[Json]) -> Iterator[bytes]:
        yield msgspec.json.encode({"jobId": self._job.id, name: []})[:-2]
        yield from listed(map(msgspec.json.encode, results))
        model = outcome.head(self._service, self._job).model.name
        info = {**about_source(self._job.source, self._sizes), "model": model}
        yield b'],"dataInfo":' + msgspec.json.encode(info) + b"}"

    def _pages(self) -> Iterator[Made]:
        """Each page, and what PaddleOCR itself made of it, if it did."""
        for page, raw in with_raw(self._service, self._job):
            self._sizes.append((page.width, page.height))
            yield page, raw

    def _ocr_page(self, asked: OcrAsked, page: Page, raw: Json) -> Json:
        found = raw if "rec_texts" in raw else ocr_result(page)
        if asked.return_word_box and found is not raw:
            found |= _words(page)
        drawn, plain = self._pictures(asked, page)
        return {"prunedResult": found} | _given(ocrImage=drawn, inputImage=plain)

    def _layout_page(self, asked: LayoutAsked, page: Page, raw: Json) -> Json:
        drawn, plain = self._pictures(asked, page)
        return {
            "prunedResult": raw if "parsing_res_list" in raw else self._layout_result(page),
            "markdown": self._markdown(asked, without(page, asked.markdown_ignore_labels)),
            "outputImages": _given(layout_det_res=drawn),
            **_given(inputImage=plain),
        }

    def _layout_result(self, page: Page) -> Json:
        """The page, and what was made of charts, seals and formulas."""
        model = page.model.name if page.model else self._job.options.model
        found, done = layout_result(page), recognitions(model)
        settings = found["model_settings"] | {_RECOGNITIONS[k]: v for k, v in done.items()}
        missed = [_missed(block) for block in page.blocks if not done.get(block.kind, True)]
        said = [msgspec.to_builtins(notice) for notice in page.warnings]
        return found | {"model_settings": settings, "warnings": said + missed}

    def _markdown(self, asked: LayoutAsked, page: Page) -> Json:
        if not asked.return_markdown_images:
            return {"text": markdown_of(page)["text"]}
        told = markdown_of(page, self._figure)
        for block in () if asked.prettify_markdown else figures_of(page):
            name = file_name(page, block)
            pretty = restructure.shown(name, block.kind)
            told["text"] = told["text"].replace(pretty, restructure.linked(name))
        return told

    def _figure(self, page: Page, block: Block) -> str:
        return _base64(self._service.figure(self._job, page.number, block.order))

    def _pictures(self, asked: Asked, page: Page) -> tuple[str | None, str | None]:
        """The page with what was found on it, and without; none where nobody wants them."""
        if not asked.visualize or page.error is not None:
            return None, None
        image = self._service.page_pixels(self._job, page.number)
        plain = self._service.page_image(self._job, page.number)
        return _base64(overlay.draw(page, image.pixels)), _base64(plain)


def recognitions(model: str) -> dict[str, bool]:
    """Which kinds of blocks a model of ours can tell what they say, beyond their text."""
    name, _, query = model.partition("?")
    options = dict(parse_qsl(query))
    if name != VL:
        return dict.fromkeys(_RECOGNITIONS, False)
    on = ("yes", "true", "1", "on")
    return {
        "chart": options.get("charts", "no").lower() in on,
        "seal": options.get("seals", "no").lower() in on,
        "formula": True,
    }


def _missed(block: Block) -> dict[str, object]:
    return {
        "code": "not_recognised",
        "message": f"Block {block.order} is a {block.kind}, which this model does not read.",
    }


def _restructured(asked: LayoutAsked, results: list[Json]) -> list[Json]:
    pages = restructure.restructured(
        [result["prunedResult"] for result in results],
        merge_tables=asked.merge_tables,
        relevel_titles=asked.relevel_titles,
    )
    ignored = frozenset(asked.markdown_ignore_labels)
    for result, page in zip(results, pages, strict=True):
        images = result["markdown"].get("images", {})
        text = restructure.markdown(
            page, images, pretty=asked.prettify_markdown, ignored=ignored
        )
        result |= {"prunedResult": page, "markdown": result["markdown"] | {"text": text}}
    return results


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
