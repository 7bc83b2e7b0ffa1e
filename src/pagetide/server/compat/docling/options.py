"""What a request to docling-serve asks for, and what of it is done here.

Source: `docling.datamodel.service.options` of docling-slim 2.143.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from pagetide.engines.catalogue import DEFAULT
from pagetide.errors import BadOption, nearest
from pagetide.server.api.bodies.job_form import converted
from pagetide.server.api.problems import unknown_names
from pagetide.server.compat.docling.chunking import ChunkOptions
from pagetide.server.jobs.job import JobOptions
from pagetide.settings import Settings

Output = Literal["md", "json", "html", "text"]
ImageMode = Literal["placeholder", "embedded", "referenced"]

LONGEST_BREAK = 200
NO_END = 1_000_000  # a page range that goes so far goes to the end of every document
_NOTHING = frozenset({"", "null", "default"})
_OFF, _ON = frozenset({"false"}), frozenset({"true"})
# Options that only say what is done here anyway; with any other value they are refused.
_FIXED: Mapping[str, frozenset[str]] = {
    "ocr_custom_config": _NOTHING,
    "pdf_backend": frozenset({"threaded_docling_parse", "docling_parse", "dlparse_v4"}),
    "table_mode": frozenset({"fast", "accurate"}),
    "table_cell_matching": _ON,
    "document_timeout": _NOTHING,
    "abort_on_error": _OFF,
    "do_table_structure": _ON,
    "do_pdf_heading_hierarchy": _OFF | _ON,
    "pdf_heading_hierarchy_options": _NOTHING,
    "include_page_images": _OFF,
    "images_scale": frozenset({"2", "2.0"}),
    "md_compact_tables": _OFF | _ON,
    "chunking_options": _NOTHING,
    "chunking_preset": _NOTHING,
    "do_code_enrichment": _OFF,
    "do_formula_enrichment": _OFF,
    "do_picture_classification": _OFF,
    "do_chart_extraction": _OFF,
    "do_picture_description": _OFF,
    "picture_description_area_threshold": frozenset({"0.05"}),
    **dict.fromkeys(
        (
            "chart_extraction_preset",
            "chart_extraction_custom_config",
            "picture_description_local",
            "picture_description_api",
            "picture_description_preset",
            "picture_description_custom_config",
            "vlm_pipeline_model",
            "vlm_pipeline_model_local",
            "vlm_pipeline_model_api",
            "vlm_pipeline_preset",
            "vlm_pipeline_custom_config",
            "code_formula_preset",
            "code_formula_custom_config",
            "table_structure_preset",
            "table_structure_custom_config",
            "layout_preset",
            "layout_custom_config",
            "picture_classification_preset",
            "picture_classification_custom_config",
        ),
        _NOTHING,
    ),
}
_LISTS = frozenset({"to_formats", "from_formats", "ocr_lang", "page_range"})


class AnswerFormat(Struct, frozen=True, kw_only=True):
    """How a result is to be answered; kept with the job until it is asked for.

    Attributes:
        page_break: Stands between pages in the Markdown.
        chunks: Wanted in place of the document.
    """

    to_formats: tuple[Output, ...] = ("md",)
    images: ImageMode = "placeholder"
    page_break: str = ""
    chunks: ChunkOptions | None = None


class Options(Struct, frozen=True, kw_only=True):
    """The options that change something here; their names are docling-serve's."""

    to_formats: tuple[str, ...] = ("md",)
    from_formats: tuple[str, ...] = ()
    image_export_mode: ImageMode = "placeholder"
    do_ocr: bool = True
    force_ocr: bool = False
    ocr_engine: str = "auto"
    ocr_preset: str = "auto"
    ocr_lang: tuple[str, ...] = ()
    pipeline: str = "standard"
    page_range: tuple[int, int] = (1, NO_END)
    include_images: bool = True
    md_page_break_placeholder: str = ""

    @property
    def wanted(self) -> AnswerFormat:
        """How the result is to be answered."""
        return AnswerFormat(
            to_formats=cast(tuple[Output, ...], tuple(dict.fromkeys(self.to_formats))),
            images=self.image_export_mode if self.include_images else "placeholder",
            page_break=self.md_page_break_placeholder,
        )

    def reading(self, settings: Settings) -> JobOptions:
        """How the document is to be read, its pages aside.

        Raises:
            BadOption: Nothing here stands for what is asked for.
        """
        if self.force_ocr and not self.do_ocr:
            raise BadOption("`force_ocr` needs `do_ocr`.")
        return JobOptions(
            model=self._model(settings),
            languages=self._languages,
            text_layer="never" if self.force_ocr else "auto" if self.do_ocr else "only",
        )

    @property
    def _languages(self) -> tuple[str, ...]:
        """The languages' codes; `mul` stands for whatever the model reads."""
        codes = (code.strip() for text in self.ocr_lang for code in text.split(","))
        return tuple(code for code in codes if code not in ("", "mul"))

    def _model(self, settings: Settings) -> str:
        preset = self.ocr_engine if self.ocr_preset == "auto" else self.ocr_preset
        if preset != "auto":
            return settings.model_named(preset) or preset
        found = settings.model_named(self.pipeline)
        if found is None and self.pipeline != "standard":
            raise BadOption(f"There is no `pipeline` {self.pipeline[:80]!r} here.")
        return found or DEFAULT


def options_of(fields: Mapping[str, object], *, texts: bool) -> Options:
    """The options among the fields of a request.

    Args:
        fields: By name.
        texts: They came as lists of texts, one for each time that a field was given.

    Raises:
        BadOption: One is unknown, not valid, or asks for what is not done here.
    """
    unknown_names("option", set(fields), {*_FIXED, *Options.__struct_fields__})
    given = {name: _single(name, value, texts) for name, value in fields.items()}
    for name in _FIXED.keys() & given.keys():
        _check_fixed(name, given.pop(name))
    kept = {name: value for name, value in given.items() if value is not None}
    options = converted(kept, Options, texts=texts)
    _check(options)
    return options


def _single(name: str, value: Any, texts: bool) -> object:
    if name in _LISTS:
        return [value] if isinstance(value, str) else value
    if not texts:
        return value
    if len(value) > 1:
        raise BadOption(f"`{name}` is given {len(value)} times.")
    return value[0]


def _check_fixed(name: str, value: object) -> None:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    allowed = _FIXED[name]
    if text.lower() in allowed:
        return
    known = " or ".join(sorted(allowed - {""}))
    raise BadOption(f"`{name}` can only be {known} here, not {text[:80]!r}.")


def _check(options: Options) -> None:
    for name in options.to_formats:
        if name not in Output.__args__:  # type: ignore[attr-defined]
            raise BadOption(
                f"`to_formats` {name[:80]!r} is not made here;"
                f" {nearest(name[:80], Output.__args__)}"  # type: ignore[attr-defined]
            )
    if len(options.md_page_break_placeholder) > LONGEST_BREAK:
        raise BadOption(f"`md_page_break_placeholder` has more than {LONGEST_BREAK} letters.")
    first, last = options.page_range
    if first < 1 or last < first:
        raise BadOption("`page_range` must be two page numbers from 1, the smaller first.")
