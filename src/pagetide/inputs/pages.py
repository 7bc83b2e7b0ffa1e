"""Inputs and their pages, from the caller's side: open inputs, and page contents."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, get_args

from pagetide.document import (
    FormField,
    Line,
    Link,
    Notice,
    Page,
    SelectionMark,
    SourceInfo,
    TextLayerDecision,
    TextLayerMode,
)
from pagetide.document.kinds import PictureEnding
from pagetide.engine import PageImage
from pagetide.errors import BadOption, Damaged, OutOfMemory, PageOutOfRange, PagetideError
from pagetide.geometry import Polygon, box_of
from pagetide.inputs import opened
from pagetide.inputs.limits import Limits
from pagetide.inputs.located import Located, Source, locate
from pagetide.inputs.sandbox import Sandbox
from pagetide.inputs.sniff import MediaType
from pagetide.inputs.sound import is_sound
from pagetide.layout import NOTHING_DRAWN, Drawn, OutlineItem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagetide.inputs.pictures.perspective import Straight

MIN_DPI, MAX_DPI = 72, 600

_WORN_CALLS = 50
_STRAIGHTENED = Notice(
    code="straightened",
    message=(
        "The photo shows a page at an angle: the page was cut out and straightened,"
        " and its surroundings were not read. Polygons are in the photo."
    ),
)
_keys = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class PageContent:
    """One page, ready to be read or already read; see `document.Page` for the fields' meaning.

    Attributes:
        lines: The page's own text; empty unless `text_layer.used`.
        drawn: Rules, fills and pictures of a page whose text layer is used.
        outline: The document outline's items that point to the page.
        image: The page as a picture; None if `text_layer.used` or only the text was requested.
        straight: How `image` maps to the photo that it was made from; None if it is the page as
            displayed.
        page: The page itself, if the child assembled it: it has everything not given here.
    """

    number: int
    width: int
    height: int
    dpi: float
    width_pt: float
    height_pt: float
    rotation: int
    text_layer: TextLayerDecision
    lines: tuple[Line, ...] = ()
    drawn: Drawn = NOTHING_DRAWN
    outline: tuple[OutlineItem, ...] = ()
    links: tuple[Link, ...] = ()
    selection_marks: tuple[SelectionMark, ...] = ()
    form_fields: tuple[FormField, ...] = ()
    image: PageImage | None = None
    straight: Straight | None = None
    warnings: tuple[Notice, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
    page: Page | None = None

    @classmethod
    def of(cls, number: int, reply: opened.PageReply) -> PageContent:
        """What a child reported about a page, without its picture."""
        return cls(
            number=number,
            width=reply.width,
            height=reply.height,
            dpi=reply.dpi,
            width_pt=reply.width_pt,
            height_pt=reply.height_pt,
            rotation=reply.rotation,
            text_layer=reply.text_layer,
            lines=reply.lines,
            drawn=reply.drawn,
            outline=reply.outline,
            links=reply.links,
            selection_marks=reply.selection_marks,
            form_fields=reply.form_fields,
            warnings=reply.warnings,
            timings_ms=reply.timings_ms,
            page=reply.page,
        )


Assemble = Callable[[int, opened.PageReply], Page]
"""Assembles a page without a picture, given its number."""


class Input:
    """An open input, and its pages in any order; threads may share it.

    Attributes:
        info: Its name, hash, type and size.
    """

    def __init__(
        self,
        located: Located,
        sandbox: Sandbox,
        limits: Limits,
        password: str | None,
        *,
        shared: bool = False,
    ) -> None:
        self._located, self._password = located, password
        self._sandbox, self._limits = sandbox, limits
        self._key, self._generation = next(_keys), 0
        self._shared = shared
        try:
            page_count = self._open()
        except BaseException:
            self._let_go()
            raise
        self.info = SourceInfo(
            name=located.name,
            sha256=located.sha256,
            bytes=located.size,
            media_type=located.media_type.value,
            page_count=page_count,
        )

    def page(
        self,
        number: int,
        *,
        dpi: float = 144,
        text_layer: TextLayerMode = "auto",
        assemble: Assemble | None = None,
    ) -> PageContent:
        """A page: its own text if that is requested and can be trusted, otherwise its picture.

        Args:
            number: From 1.
            dpi: Pixels per inch of a PDF's page, 72–600; a picture keeps its own pixels.
            text_layer: `auto`, `never` or `only`.
            assemble: Of a module's top level; run in the child, which then returns only its
                page.

        Raises:
            PageOutOfRange: There is no such page.
            BadOption: `dpi` or `text_layer` is not allowed.
            Damaged: The page cannot be opened, rendered or decoded.
            TooManyPixels: The page or a picture on it has more pixels than the limit.
            PageTimeout: It takes too long.
            OutOfMemory: It needs too much memory.
        """
        self._check(number, dpi)
        if text_layer not in get_args(TextLayerMode):
            raise BadOption(f"text_layer must be auto, never or only, not {text_layer!r}.")
        reply, payload = self._read(number, dpi, text_layer, assemble)
        if reply.page and (payload or not (assemble and is_sound(reply.page, number, reply))):
            raise Damaged  # a compromised child may return anything
        content = PageContent.of(number, reply)
        return _with_image(content, reply, payload) if payload else content

    def displayed(self, number: int, *, dpi: float = 144) -> PageImage:
        """A page's picture as displayed: a photo of a page is not straightened.

        Raises:
            PagetideError: As for `page`.
        """
        self._check(number, dpi)
        reply, payload = self._read(number, dpi, "never")
        return PageImage(pixels=_pixels(reply, payload), dpi=reply.dpi)

    def page_picture(
        self,
        number: int,
        *,
        dpi: float = 144,
        ending: PictureEnding = "png",
        width: int | None = None,
    ) -> bytes:
        """A page's picture as a file, made in the sandbox.

        Args:
            number: From 1.
            dpi: Pixels per inch of a PDF's page; a picture keeps its own pixels.
            ending: `png`, or `jpeg`, whose pixels are not quite the same.
            width: Most pixels across, for a small picture; `dpi` is no more than 72 then.

        Raises:
            PagetideError: As for `page`.
        """
        if width is None:
            return self._file(opened.page_picture, number, dpi, ending)
        return self._file(opened.page_picture, number, min(dpi, MIN_DPI), ending, width)

    def figure_png(self, number: int, polygon: Polygon, *, dpi: float = 144) -> bytes:
        """The part of a page around a polygon, such as a block's, as PNG, made in the sandbox.

        Args:
            number: From 1.
            polygon: Page pixels at `dpi`; uses the upright box around it, as far as it is on
                the page.
            dpi: The page's own, as in `Page.dpi`; a picture keeps its own pixels.

        Raises:
            BadOption: The polygon covers nothing of the page.
            PagetideError: As for `page`.
        """
        box = box_of(polygon)
        if not all(math.isfinite(side) for side in box):
            raise BadOption(f"The area does not overlap page {number}.")
        return self._file(opened.figure_png, number, dpi, box)

    def _file(
        self, make: Callable[..., bytes], number: int, dpi: float, *more: object
    ) -> bytes:
        self._check_number(number)
        with self._sandbox.lock:
            self._reopen()
            made: bytes = self._sandbox.call(
                make, self._key, number, dpi, self._limits.max_pixels, *more
            )
        return made

    def _check(self, number: int, dpi: float) -> None:
        self._check_number(number)
        if not MIN_DPI <= dpi <= MAX_DPI:
            raise BadOption(f"dpi must be from {MIN_DPI} to {MAX_DPI}, not {dpi:g}.")

    def _check_number(self, number: int) -> None:
        count = self.info.page_count
        if not 1 <= number <= count:
            raise PageOutOfRange(f"There is no page {number}: the input has {count}.")

    def close(self) -> None:
        """Release the input; a second call has no effect."""
        with self._sandbox.lock:
            if self._sandbox.holds(self._generation):
                with suppress(PagetideError):  # the child is then gone, with everything it held
                    self._sandbox.call(opened.close_document, self._key)
            self._generation = 0
        self._let_go()

    def beside(self, sandbox: Sandbox) -> Input:
        """The same input, open in another sandbox as well; close it before this one.

        Raises:
            PagetideError: As for `open_input`.
        """
        return Input(self._located, sandbox, self._limits, self._password, shared=True)

    def _let_go(self) -> None:
        if not self._shared:
            self._located.close()

    def _read(
        self,
        number: int,
        dpi: float,
        mode: TextLayerMode,
        assemble: Assemble | None = None,
    ) -> tuple[opened.PageReply, bytearray]:
        by = assemble and f"{assemble.__module__}:{assemble.__qualname__}"
        args = (self._key, number, dpi, mode, self._limits.max_pixels, by)
        with self._sandbox.lock:
            self._reopen()
            calls = self._sandbox.calls
            try:
                return self._sandbox.fetch(opened.read_page, *args, returns=opened.PageReply)
            except OutOfMemory:
                # The child may have run out of memory because of earlier pages, not this one.
                if calls < _WORN_CALLS:
                    raise
            self._reopen()
            return self._sandbox.fetch(opened.read_page, *args, returns=opened.PageReply)

    def _reopen(self) -> None:
        if not self._sandbox.holds(self._generation):
            self._open()

    def _open(self) -> int:
        place = self._located.place
        with self._sandbox.lock:
            page_count: int = self._sandbox.call(
                opened.open_document,
                self._key,
                place if isinstance(place, bytes) else Path(place),
                self._located.media_type.value,
                self._password,
                self._limits.max_pages,
            )
            self._generation = self._sandbox.generation
        return page_count

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_input(
    source: Source,
    *,
    sandbox: Sandbox,
    limits: Limits | None = None,
    password: str | None = None,
    name: str | None = None,
    on_type: Callable[[MediaType], None] | None = None,
) -> Input:
    """Open a PDF or a picture, identified by its content.

    Args:
        source: A path, bytes, or a binary file, which is read to its end.
        sandbox: Where it is opened.
        limits: By default the sandbox's.
        password: For an encrypted PDF; it is kept only as long as the input is open.
        name: What to call it; by default the path's last part, or nothing.
        on_type: Called with its type as soon as that is known, before it is opened.

    Raises:
        NotFound: There is no such file, or it may not be read.
        UnsupportedType: It is neither a PDF nor a picture of a supported type.
        Damaged: It is empty, or cannot be opened.
        TooLarge: It has more bytes than the limit.
        TooManyPages: It has more pages than the limit.
        PasswordNeeded: It is encrypted.
        PasswordWrong: The password does not fit.
        PageTimeout: Opening it takes too long.
        OutOfMemory: Opening it needs too much memory.
    """
    limits = limits or sandbox.limits
    located = locate(source, limits.max_bytes, name)
    if on_type:
        on_type(located.media_type)
    return Input(located, sandbox, limits, password)


def _with_image(
    content: PageContent, reply: opened.PageReply, payload: bytearray
) -> PageContent:
    image, straight = _image(reply, payload)
    warnings = (*content.warnings, _STRAIGHTENED) if straight else content.warnings
    return replace(content, image=image, straight=straight, warnings=warnings)


def _image(reply: opened.PageReply, payload: bytearray) -> tuple[PageImage, Straight | None]:
    from pagetide.inputs.pictures.perspective import straightened

    pixels = _pixels(reply, payload)
    found = straightened(pixels)
    pixels, straight = found or (pixels, None)
    return PageImage(pixels=pixels, dpi=reply.dpi), straight


def _pixels(reply: opened.PageReply, payload: bytearray) -> NDArray[np.uint8]:
    """Height × width × 3, blue-green-red, read-only; grey is repeated in all three."""
    import numpy as np

    if len(payload) != reply.height * reply.width * reply.channels:
        raise Damaged  # a compromised child may return anything
    pixels = np.frombuffer(payload, np.uint8).reshape(reply.height, reply.width, -1)
    if pixels.shape[2] == 1:
        import cv2

        pixels = cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR)  # NumPy takes thirty times as long
    pixels.flags.writeable = False
    return pixels
