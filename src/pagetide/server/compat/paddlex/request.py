"""What a request of PaddleX serving asks for, checked."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Set
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from pagetide.engines.catalogue import canonical
from pagetide.errors import BadOption
from pagetide.server.api.bodies.job_form import MOST_OPTIONS_BYTES, converted, json_object
from pagetide.server.compat.paddlex.options import OptionTable

LONGEST_LOG_ID = 200
T = TypeVar("T", bound="PipelineRequest")


class PipelineRequest(Struct, frozen=True, kw_only=True, rename="camel"):
    """What is asked of either pipeline.

    Attributes:
        file: A URL, or base64; as the body's reader gave it.
        file_type: 0 a PDF, 1 a picture. The document itself says better what it is.
        log_id: By which the client will know the answer.
        visualize: Whether pictures of the pages, with what was found on them, are sent.
    """

    file: str
    file_type: Literal[0, 1] | None = None
    log_id: Annotated[str, Meta(max_length=LONGEST_LOG_ID)] = ""
    visualize: bool = False


class OcrRequest(PipelineRequest, frozen=True, kw_only=True, rename="camel"):
    """What is asked of `/ocr`."""

    return_word_box: bool = False


class LayoutRequest(PipelineRequest, frozen=True, kw_only=True, rename="camel"):
    """What is asked of `/layout-parsing`.

    Attributes:
        show_formula_number: Has no effect: what was read is always in the text.
        use_chart_recognition: This and its like may be asked of any model; an answer says
            where that could not be had.
    """

    markdown_ignore_labels: tuple[str, ...] = ()
    prettify_markdown: bool = True
    show_formula_number: bool = False
    return_markdown_images: bool = True
    restructure_pages: bool = False
    merge_tables: bool = True
    relevel_titles: bool = True
    output_formats: tuple[str, ...] = ()
    use_chart_recognition: bool = False
    use_formula_recognition: bool = False
    use_seal_recognition: bool = False

    def recognises(self, kind: str) -> bool:
        """Whether blocks of this kind are to be read beyond their text."""
        return bool(getattr(self, f"use_{kind}_recognition"))


def parsed(kind: type[T], body: object, options: OptionTable, model: str) -> tuple[T, str]:
    """What is asked for, and the model with the options that are for it.

    Args:
        kind: Of which pipeline.
        body: The JSON.
        options: What the pipeline takes beside.
        model: What reads, with the options that the server's owner gives it.

    Raises:
        BadOption: An option is unknown, not valid, or not to be had; the message names it.
    """
    given = given_of(body)
    names = set(kind.__struct_encode_fields__)
    refuse_unknown(given, names | set(options))
    engine = {name: value for name, value in given.items() if name in options}
    found = converted({n: v for n, v in given.items() if n in names}, kind)
    refuse_formats(getattr(found, "output_formats", ()))
    return found, with_options(model, options, engine)


def given_of(body: object) -> dict[str, object]:
    """The options of a body; those that are null are not given.

    Raises:
        BadOption: It is no JSON object.
    """
    return {name: value for name, value in json_object(body).items() if value is not None}


def refuse_unknown(given: Iterable[str], known: Set[str]) -> None:
    """Refuse options that there are not.

    Raises:
        BadOption: There is one; the message names it, and those that it may stand for.
    """
    if unknown := set(given) - known:
        name = min(unknown)[:80]
        close = difflib.get_close_matches(name, known, n=2)
        meant = f" Did you mean `{'` or `'.join(close)}`?" if close else ""
        raise BadOption(f"There is no option `{name}`.{meant}")


def refuse_formats(formats: tuple[str, ...]) -> None:
    """Refuse formats that pages might be written in beside; there are none.

    Raises:
        BadOption: There is one.
    """
    for name in formats:
        raise BadOption(f"`outputFormats` {name[:80]!r} is not written here.")


def with_options(model: str, options: OptionTable, given: Mapping[str, object]) -> str:
    """The model with the options that are its own; those of the server's owner stay.

    Raises:
        BadOption: The model has no such option, or not with this value, or they are too many.
    """
    _check_values(given)
    name, _, query = model.partition("?")
    translated = options.translated(name, given)
    owners = {part.partition("=")[0] for part in query.split("&")}
    return canonical(model, {n: v for n, v in translated.items() if n not in owners})


def _check_values(given: Mapping[str, object]) -> None:
    """See that the values can stand behind a model's name."""
    for name, value in sorted(given.items()):
        parts = value if isinstance(value, list) else [value]
        plain = all(isinstance(part, bool | int | float | str) for part in parts)
        if not plain and not isinstance(value, dict):
            raise BadOption(f"`{name[:80]}` has no such value.")
    try:
        size = len(msgspec.json.encode(given))
    except RecursionError:
        raise BadOption("The options are too deep.") from None
    if size > MOST_OPTIONS_BYTES:
        raise BadOption(f"The options may have {MOST_OPTIONS_BYTES} bytes, not {size}.")
