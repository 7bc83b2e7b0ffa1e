"""What a page's reading takes: its areas, and the pictures that the model is asked about."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from pagetide.engines.vl.areas import chosen
from pagetide.engines.vl.crops import Crop, Pixels, crop_of, encoded, has_ink, resized, stacked
from pagetide.engines.vl.merging import merged
from pagetide.engines.vl.server.dialects import Dialect, question
from pagetide.engines.vl.tasks import Task, VlOptions
from pagetide.geometry import polygon_of
from pagetide.layout import Area

FindAreas = Callable[[Pixels], Sequence[Area]]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a part of a picture comes from.

    Attributes:
        area: The area's place in the plan.
        left: The part's left edge on the page, in page pixels; `top` likewise.
        start: Where it begins in the picture, in page pixels down from the picture's top.
        end: Where it ends.
    """

    area: int
    left: int
    top: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A picture and what is asked about it.

    Attributes:
        places: The areas it shows, one below the other.
        picture: As it is sent.
        width: Page pixels it shows across; `height` down. A resized picture has others.
        key: SHA-256 of the picture and of all else that decides the answer.
        body: Writes the request.
    """

    places: tuple[Place, ...]
    task: Task
    picture: bytes
    width: int
    height: int
    key: bytes
    body: Callable[[], bytes]

    @property
    def length(self) -> float:
        """How long an answer it is likely to have, against others: by what it shows.

        Twice as long for a table of the same size, as each cell costs a tag.
        """
        shown = min(self.width * self.height, self.task.max_pixels)
        return shown * (2.0 if self.task.name == "table" else 1.0)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A page before the model is asked.

    Attributes:
        areas: In reading order.
        found: All that the layout model saw.
        no_layout: Whether the page is asked about whole, as no area was found on it.
    """

    areas: tuple[Area, ...] = ()
    found: tuple[Area, ...] = ()
    pieces: tuple[Piece, ...] = ()
    no_layout: bool = False


@dataclass(frozen=True, kw_only=True)
class Planner:
    """Makes plans.

    Attributes:
        model: The name under which the server knows the model.
    """

    options: VlOptions
    dialect: Dialect
    model: str
    find_areas: FindAreas = field(repr=False)

    def plan(self, pixels: Pixels) -> Plan:
        """What is to be asked about a page.

        A page that shows something, though no area was found on it, is one area of text.

        Raises:
            PagetideError: The layout model failed.
        """
        height, width = pixels.shape[:2]
        found = tuple(self.find_areas(pixels))
        no_layout = not found and has_ink(pixels)
        if no_layout:
            whole = Area(label="", kind="text", polygon=polygon_of((0, 0, width, height)))
            found = (whole,)
        areas = chosen(found, width, height, lambda area: bool(self.options.task_of(area)))
        return Plan(
            areas=tuple(areas),
            found=() if no_layout else found,
            pieces=tuple(self._pieces(pixels, areas)),
            no_layout=no_layout,
        )

    def _pieces(self, pixels: Pixels, areas: Sequence[Area]) -> list[Piece]:
        tasks = [self.options.task_of(area) for area in areas]
        read = [place for place, task in enumerate(tasks) if task]
        crops = {place: crop_of(pixels, areas[place]) for place in read}
        groups = [[number] for number in range(len(read))]
        if self.options.merge:
            groups = merged([areas[place] for place in read], [crops[p] for p in read])
        pieces = []
        for group in groups:
            places = [read[number] for number in group]
            task = tasks[places[0]]
            if task:
                pieces.append(self._piece(task, places, [crops[place] for place in places]))
        return pieces

    def _piece(self, task: Task, areas: Sequence[int], crops: list[Crop]) -> Piece:
        pixels = crops[0].pixels if len(crops) == 1 else stacked(crops)
        sent = pixels if self.dialect.resizes else resized(pixels, task)
        picture = encoded(sent, self.dialect.picture)
        places, start = [], 0
        for area, crop in zip(areas, crops, strict=True):
            end = start + crop.pixels.shape[0]
            places.append(Place(area=area, left=crop.left, top=crop.top, start=start, end=end))
            start = end
        return Piece(
            places=tuple(places),
            task=task,
            picture=picture,
            width=pixels.shape[1],
            height=pixels.shape[0],
            key=self._key(task, picture),
            body=partial(
                question,
                self.dialect,
                model=self.model,
                task=task,
                picture=picture,
                max_tokens=self.options.max_tokens,
            ),
        )

    def _key(self, task: Task, picture: bytes) -> bytes:
        request = f"{self.model} {self.options.max_tokens} {task!r} "
        return hashlib.sha256(request.encode() + hashlib.sha256(picture).digest()).digest()
