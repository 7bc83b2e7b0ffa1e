"""`paddleocr-vl`: its layout network here, a server that reads, PP-OCRv6 to fall back to."""

from __future__ import annotations

from functools import partial

from pagetide.engine import Engine
from pagetide.settings import Settings

LAYOUTS = {"1": "PP-DocLayoutV2", "1.5": "PP-DocLayoutV3", "1.6": "PP-DocLayoutV3"}


def vet(settings: Settings, parameters: str) -> None:
    """See whether the model can run with these options; opens nothing, asks no server.

    Raises:
        BadOption: There is no such option or not with this value, or a setting is wrong.
        ModelUnavailable: No server is set, or the layout network is not here.
    """
    from pagetide.engines import vl
    from pagetide.engines.models import Weights

    Weights(settings).path(LAYOUTS[vl.check(settings, parameters).version])


def reads(settings: Settings, language: str, parameters: str) -> str:
    """See whether a language can be read; the model reads all, what it falls back to may not.

    Returns:
        Its code, and what changes whenever the networks to fall back to do.

    Raises:
        PagetideError: As `vet`, or as `ppocr.vet_language`.
    """
    from pagetide.engines import ppocr, vl
    from pagetide.languages import find

    code = find(language).code
    if not vl.check(settings, parameters).fallback:
        return code
    return f"{code} {ppocr.version(settings, language)}"


def networks(settings: Settings, language: str, parameters: str) -> tuple[str, ...]:
    """The networks that it needs beside its server, here or not.

    Raises:
        BadOption: There is no such option or not with this value.
        PagetideError: As `ppocr.networks`.
    """
    from pagetide.engines import ppocr
    from pagetide.engines.vl.tasks import VlOptions

    options = VlOptions.parse(parameters)
    read = ppocr.networks(settings, language) if options.fallback else ()
    return (LAYOUTS[options.version], *read)


def open_engine(settings: Settings, parameters: str) -> Engine:
    """The engine, with the layout network that its version goes with.

    Raises:
        PagetideError: As `vet`.
        RuntimeUnavailable: The runtime is not installed.
    """
    from pagetide.engines import ppocr, vl
    from pagetide.engines.layout import open_pp_doclayout
    from pagetide.engines.models import Weights

    version = vl.check(settings, parameters).version
    layout = open_pp_doclayout(Weights(settings).path(LAYOUTS[version]), settings)
    return vl.open_engine(
        settings,
        parameters,
        layout.find,
        open_other=partial(ppocr.open_engine, settings),
        layout={"layout": layout.name},
        layout_weights={"layout": layout.sha256},
    )
