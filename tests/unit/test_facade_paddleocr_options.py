"""What PaddleOCR's clients may ask of a model, and what becomes of it."""

from __future__ import annotations

import pytest

from pagetide.errors import BadOption, UnknownModel
from pagetide.server.compat.paddleocr import options
from pagetide.settings import Settings

ALIASES = {
    "PP-StructureV3": "fake",
    "PP-OCRv5": "fake",
    "PaddleOCR-VL": "paddleocr-vl?version=1",
}


def wanted(model: str, **payload: object) -> options.ReadingOptions:
    return options.wanted(Settings(aliases=ALIASES), model, payload)


@pytest.mark.parametrize(
    ("name", "payload", "model"),
    [
        ("PP-OCRv6", {}, "pp-ocrv6"),
        ("PP-OCRv6", {"useDocUnwarping": False, "visualize": None}, "pp-ocrv6"),
        ("PP-OCRv5", {}, "fake"),
        ("PP-OCRv5-latin", {}, "pp-ocrv5?recogniser=latin_PP-OCRv5_mobile_rec"),
        ("PaddleOCR-VL-1.6", {}, "paddleocr-vl"),
        ("PaddleOCR-VL", {"minPixels": 9}, "paddleocr-vl?min_pixels=9&version=1"),
        (
            "PaddleOCR-VL-1.6",
            {"useChartRecognition": True, "useDocOrientationClassify": False},
            "paddleocr-vl?charts=true",
        ),
    ],
)
def test_options_become_those_of_our_models(
    name: str, payload: dict[str, object], model: str
) -> None:
    assert wanted(name, **payload).model == model


def test_options_of_paddleocrs_own_pipelines_go_to_them_by_their_names() -> None:
    found = options.wanted(
        Settings(),
        "PP-StructureV3",
        {
            "useDocUnwarping": True,
            "layoutThreshold": {"0": 0.3},
            "layoutUnclipRatio": [1.0, 1.5],
            "useE2eWiredTableRecModel": True,
            "textDetLimitSideLen": 64,
            "restructurePages": False,
        },
    )
    asked = dict(part.split("=") for part in found.model.partition("?")[2].split("&"))
    assert asked == {
        "use_doc_unwarping": "true",
        "layout_threshold": "%7B%220%22%3A0.3%7D",
        "layout_unclip_ratio": "1.0%2C1.5",
        "use_e2e_wired_table_rec_model": "true",
        "text_det_limit_side_len": "64",
    }


def test_options_about_the_answer_are_kept() -> None:
    found = wanted(
        "PP-OCRv6",
        visualize=False,
        returnMarkdownImages=False,
        markdownIgnoreLabels=["number", "header"],
    )
    assert (found.visualize, found.figures) == (False, False)
    assert found.ignored == ("number", "header")


@pytest.mark.parametrize(
    ("name", "payload", "says"),
    [
        ("PP-OCRv6", {"useDocUnwarping": True}, "cannot be told `useDocUnwarping` true"),
        ("PP-OCRv6", {"useDocUnwarping": "no"}, 'cannot be told `useDocUnwarping` "no"'),
        ("PP-OCRv6", {"visualize": "no"}, "`visualize` must be true or false"),
        ("PP-OCRv6", {"textDetThresh": 0.3}, "pp-ocrv6 cannot be told `textDetThresh`"),
        ("PP-StructureV3", {"useTableRecognition": False}, "`useTableRecognition` false"),
        ("PP-StructureV3", {"useLayoutDetection": False}, "can only be true"),
        ("PP-StructureV3", {"useChartRecognition": 1}, "`useChartRecognition` 1"),
        ("PP-StructureV3", {"useSeals": True}, "no option `useSeals`"),
        ("PaddleOCR-VL-1.6", {"temperature": 0.1}, "`temperature`"),
        ("PaddleOCR-VL-1.6", {"minPixels": [[1]]}, "`minPixels`"),
        ("PaddleOCR-VL-1.6", {"minPixels": "1" * 5000}, "4096 bytes"),
        ("PP-OCRv6", {"outputFormats": ["docx"]}, "`outputFormats`"),
        ("PP-OCRv6", {"markdownIgnoreLabels": "number"}, "`markdownIgnoreLabels`"),
        ("PP-OCRv6", {"restructurePages": True}, "`restructurePages`"),
    ],
)
def test_options_that_cannot_be_had_are_refused(
    name: str, payload: dict[str, object], says: str
) -> None:
    with pytest.raises(BadOption, match=says):
        wanted(name, **payload)


def test_options_for_what_the_model_does_not_read_are_taken_and_kept() -> None:
    """Their clients ask for charts whatever the document."""
    asked = {"useChartRecognition": True, "useSealRecognition": True}
    found = wanted("PP-StructureV3", **asked, useFormulaRecognition=False)
    assert (found.model, found.recognise) == ("fake", ("chart", "seal"))
    own = options.wanted(Settings(), "PP-StructureV3", asked)
    assert own.model == ("pp-structurev3?use_chart_recognition=true&use_seal_recognition=true")


@pytest.mark.parametrize("name", ["PaddleOCR-VL-1.5", "pp-ocrv6", "fake", ""])
def test_a_model_that_is_not_run_is_not_swapped(name: str) -> None:
    with pytest.raises(UnknownModel, match="There is no model"):
        wanted(name)
