"""`structure-lite`: which parts its options name, and how they are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from pagetide.engine import Engine
from pagetide.engines import ppocr
from pagetide.errors import BadOption, nearest
from pagetide.settings import Settings, available_cores

if TYPE_CHECKING:
    from pagetide.engines.layout import Layout
    from pagetide.engines.networks.cores import Cores
    from pagetide.engines.table_structure import TableStructure

NAME = "structure-lite"
PARTS = ("layout", "tables")
OPTIONS = (*PARTS, *ppocr.OPTIONS)


@dataclass(frozen=True, kw_only=True)
class LiteOptions:
    """What the options of `structure-lite` name.

    Attributes:
        layout: A network of the PP-DocLayout family; empty means the one that is bundled.
        tables: A network of the SLANet family that looks at every table on a picture; empty
            means none.
        lines: The options of the lines' engine, as a query.
    """

    layout: str = ""
    tables: str = ""
    lines: str = ""

    @property
    def parts(self) -> dict[str, str]:
        """The networks that are named, by what they are for."""
        named = {"layout": self.layout, "tables": self.tables}
        return {purpose: name for purpose, name in named.items() if name}

    @classmethod
    def parse(cls, parameters: str) -> LiteOptions:
        """The options of `layout=PP-DocLayoutV3&tables=SLANet_plus&size=medium`.

        Raises:
            BadOption: There is no such option, or it is given without a value.
        """
        given = dict(parse_qsl(parameters, keep_blank_values=True))
        for key in given:
            if key not in OPTIONS:
                raise BadOption(f"{NAME} has no option {key!r}; {nearest(key, OPTIONS)}")
        parts = {key: given.pop(key) for key in PARTS if key in given}
        for key, name in parts.items():
            if not name:
                raise BadOption(f"{NAME}'s option {key!r} needs the name of a network.")
        return cls(**parts, lines=urlencode(given))


def vet(settings: Settings, parameters: str) -> None:
    """See whether the model can run with these options; opens nothing.

    Raises:
        BadOption: There is no such option, or not with this value.
        ModelUnavailable: A network is not here; the message says what to run.
    """
    from pagetide.engines.models import Weights

    options, weights = LiteOptions.parse(parameters), Weights(settings)
    ppocr.vet(settings, options.lines)
    for purpose, name in options.parts.items():
        weights.vet(name, purpose)
        _ = weights.need(name).network  # PaddlePaddle's own form has none


def reads(settings: Settings, language: str, parameters: str) -> str:
    """What changes whenever the networks that read a language do; opens nothing.

    Raises:
        PagetideError: As `ppocr.vet_language`.
    """
    from pagetide.engines.models import Weights

    options, weights = LiteOptions.parse(parameters), Weights(settings)
    lines = ppocr.version(settings, language, options.lines)
    named = [weights.need(name) for name in options.parts.values()]
    return " ".join([lines, *(f"{one.name} {one.sha256[:12]}" for one in named)])


def networks(settings: Settings, language: str, parameters: str) -> tuple[str, ...]:
    """The networks that read a language, here or not.

    Raises:
        PagetideError: As `ppocr.networks`.
    """
    options = LiteOptions.parse(parameters)
    return (*ppocr.networks(settings, language, options.lines), *options.parts.values())


def open_engine(settings: Settings, parameters: str) -> Engine:
    """The engine, its parts sharing the cores.

    Raises:
        BadOption: There is no such option, or not with this value.
        ModelUnavailable: A network is not here; the message says what to run.
        RuntimeUnavailable: The runtime is not installed.
    """
    from pagetide.engines.networks.cores import Cores
    from pagetide.engines.rules import find_rules
    from pagetide.engines.structured import StructuredEngine

    options = LiteOptions.parse(parameters)
    cores = Cores(settings.threads or available_cores())
    lines = ppocr.open_engine(settings, options.lines, cores=cores)
    return StructuredEngine(
        NAME,
        lines,
        _layout(options.layout, settings, cores),
        find_rules,
        tables=_tables(options.tables, settings, cores),
    )


def _layout(name: str, settings: Settings, cores: Cores) -> Layout:
    from pagetide.engines.layout import open_layout, open_pp_doclayout
    from pagetide.engines.models import Weights

    found = Weights(settings).need(name) if name else None
    if found is None or found.bundled:
        return open_layout(settings, cores)
    return open_pp_doclayout(found.folder, settings, cores)


def _tables(name: str, settings: Settings, cores: Cores) -> TableStructure | None:
    from pagetide.engines.models import Weights
    from pagetide.engines.table_structure import open_table_structure

    return open_table_structure(Weights(settings).path(name), settings, cores) if name else None
