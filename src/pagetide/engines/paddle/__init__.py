"""PP-StructureV3 and PP-OCR through the package `paddleocr`, in a process of its own."""

from __future__ import annotations

import sys
from functools import partial

from pagetide.engine import Engine
from pagetide.engines.models import Weights
from pagetide.engines.paddle.engine import PaddleEngine, Parse
from pagetide.engines.paddle.interpreter import installed
from pagetide.engines.paddle.options import PPOCR, STRUCTUREV3, Family, local_only, parse
from pagetide.engines.paddle.request import FindModel, check_paddle, request, weights_of
from pagetide.engines.paddle.results.parsed import parse_ocr, parse_structurev3
from pagetide.languages import AUTO
from pagetide.languages import find as find_language
from pagetide.settings import Settings

_PARSERS: dict[str, Parse] = {
    STRUCTUREV3.model: parse_structurev3,
    PPOCR.model: parse_ocr,
}


def open_structurev3(
    settings: Settings, parameters: str = "", *, find_model: FindModel | None = None
) -> Engine:
    """`PPStructureV3` of PaddleOCR; it starts with the first page.

    Args:
        settings: As given; `paddle_python` is the Python that it runs in.
        parameters: Its switches: `use_formula_recognition=true&text_det_thresh=0.2`.
        find_model: The folder of the weights of a name; by default where they are pulled to.

    Raises:
        BadOption: A parameter is wrong.
    """
    return _open(STRUCTUREV3, settings, parameters, find_model)


def open_ppocr(
    settings: Settings, parameters: str = "", *, find_model: FindModel | None = None
) -> Engine:
    """`PaddleOCR`, the text pipeline; see `open_structurev3`."""
    return _open(PPOCR, settings, parameters, find_model)


def check(
    family: Family,
    settings: Settings,
    parameters: str,
    language: str,
    find_model: FindModel | None = None,
) -> dict[str, str]:
    """Make sure, without starting it, that a model could read pages of a language here.

    Returns:
        The versions of all that decides its results, by package.

    Raises:
        BadOption: A parameter is wrong.
        ModelUnavailable: PaddleOCR or the weights of a network are not here.
        RuntimeUnavailable: A network needs PaddlePaddle, which is not installed.
        UnknownLanguage: There is no such language.
    """
    python = settings.paddle_python or sys.executable
    asked, find = parse(family, parameters), _find(settings, find_model)
    made = request(family, asked, language, settings, find)
    found = installed(python)
    check_paddle(made.needs_paddle, found, python)
    return found


def vet(family: Family, settings: Settings, parameters: str) -> None:
    """Make sure that pages can be read; of their language, `reads` says.

    Raises:
        PagetideError: As `check`.
    """
    check(family, settings, parameters, AUTO)


def reads(family: Family, settings: Settings, language: str, parameters: str) -> str:
    """Make sure that a language can be read here; see `check`.

    Returns:
        Its code.

    Raises:
        PagetideError: As `check`.
    """
    check(family, settings, parameters, language)
    return find_language(language).code


def versions(settings: Settings) -> dict[str, str]:
    """Versions of what decides the results, by package; see `interpreter.installed`.

    Raises:
        ModelUnavailable: There is no such Python, or it has no PaddleOCR.
    """
    return installed(settings.paddle_python or sys.executable)


def networks_of(family: Family, parameters: str, language: str) -> dict[str, str]:
    """The weights that a model needs to read a language: part to their name.

    Raises:
        BadOption: A parameter is wrong.
        ModelUnavailable: No network of PP-OCR reads the language.
        UnknownLanguage: There is no such language.
    """
    return weights_of(family, parse(family, parameters), language)


def networks(
    family: Family, settings: Settings, language: str, parameters: str
) -> tuple[str, ...]:
    """The names of the weights that a model needs to read a language, here or not.

    Raises:
        PagetideError: As `networks_of`.
    """
    return tuple(networks_of(family, parameters, language).values())


def _open(
    family: Family, settings: Settings, parameters: str, find: FindModel | None
) -> Engine:
    asked = parse(family, parameters)
    parser = _PARSERS[family.model]
    return PaddleEngine(family, parser, asked, settings, _find(settings, find))


def _find(settings: Settings, given: FindModel | None) -> FindModel:
    return given or Weights(settings).path


vet_structurev3 = partial(vet, STRUCTUREV3)
vet_ppocr = partial(vet, PPOCR)
reads_structurev3 = partial(reads, STRUCTUREV3)
reads_ppocr = partial(reads, PPOCR)
networks_structurev3 = partial(networks, STRUCTUREV3)
networks_ppocr = partial(networks, PPOCR)
local_structurev3 = partial(local_only, STRUCTUREV3)
local_ppocr = partial(local_only, PPOCR)
