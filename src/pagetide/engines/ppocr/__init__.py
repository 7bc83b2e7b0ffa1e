"""The PP-OCR pipeline: detect lines, recognise them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pagetide.engine import Engine
from pagetide.settings import Settings, available_cores

if TYPE_CHECKING:
    from pagetide.engines.networks.cores import Cores
    from pagetide.engines.ppocr.inference.weights import Family, InstalledWeights

OPTIONS = ("size", "detector", "recogniser", "cascade")
"""What a model may be asked for; see `weights.Choice`."""


def open_engine(
    settings: Settings,
    parameters: str = "",
    family: Family = "pp-ocrv6",
    cores: Cores | None = None,
) -> Engine:
    """PP-OCR on the runtime that the settings name.

    Args:
        settings: Threads, runtime, least confidence, where models lie.
        parameters: Any of `OPTIONS`, as a query; see `weights.Choice`.
        family: The generation of its networks.
        cores: Shared with what works beside it; None means its own.

    Raises:
        ModelUnavailable: The detector is not here; a missing recogniser is reported when a
            language needs it.
        RuntimeUnavailable: The runtime is not installed.
        BadOption: There is no such runtime, or no such parameter.
    """
    from pagetide.engines.networks.cores import Cores
    from pagetide.engines.ppocr.engine import PPOcrEngine
    from pagetide.engines.ppocr.inference.choice import open_runtime
    from pagetide.engines.ppocr.page import PageOptions
    from pagetide.engines.ppocr.readers import Readers

    weights = _weights(settings, parameters, family)
    weights.check()
    threads = settings.threads or available_cores()
    opening = partial(open_runtime, settings, cores=cores or Cores(threads))
    return PPOcrEngine(
        family,
        Readers(weights, opening),
        threads=threads,
        options=PageOptions(
            long_side=settings.detection_side, min_confidence=settings.min_confidence
        ),
    )


def vet(settings: Settings, parameters: str = "", family: Family = "pp-ocrv6") -> None:
    """See whether the model can run with these parameters; opens nothing.

    Raises:
        BadOption: There is no such parameter, or not with this value.
        ModelUnavailable: The detector is not here; the message says what to run.
    """
    _weights(settings, parameters, family).check()


def vet_language(
    settings: Settings, language: str, parameters: str = "", family: Family = "pp-ocrv6"
) -> None:
    """See whether the model can read a language, or several joined by `+`; opens nothing.

    Raises:
        UnknownLanguage: There is no such language.
        BadOption: No recogniser reads them all; or a parameter is wrong.
        ModelUnavailable: A network is not here; the message says what to run.
    """
    from pagetide.languages import find

    _weights(settings, parameters, family).reading(find(language))


def version(
    settings: Settings, language: str, parameters: str = "", family: Family = "pp-ocrv6"
) -> str:
    """What changes whenever the networks that read a language do; opens nothing.

    Raises:
        PagetideError: As `vet_language`.
    """
    from pagetide.languages import find

    return _weights(settings, parameters, family).reading(find(language)).version


def networks(
    settings: Settings, language: str, parameters: str = "", family: Family = "pp-ocrv6"
) -> tuple[str, ...]:
    """The networks that read a language, here or not.

    Raises:
        UnknownLanguage: There is no such language.
        BadOption: No recogniser reads them all; or a parameter is wrong.
        ModelUnavailable: No network of the family reads it.
    """
    from pagetide.languages import find

    return _weights(settings, parameters, family).names(find(language))


def _weights(settings: Settings, parameters: str, family: Family) -> InstalledWeights:
    from pagetide.engines.ppocr.inference.weights import Choice, InstalledWeights

    return InstalledWeights(settings, Choice.parse(family, parameters))
