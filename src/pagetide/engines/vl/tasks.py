"""What PaddleOCR-VL is asked about an area: its kind decides the words and the pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import parse_qsl

from pagetide.errors import BadOption, nearest
from pagetide.layout import Area

# The pixels a picture has once the server has resized it: one token for 28 × 28 of them.
MIN_PIXELS = 112_896
MAX_PIXELS = 1_003_520
MOST_PIXELS = 16_000_000
MOST_TOKENS = 16_384


@dataclass(frozen=True, kw_only=True)
class Task:
    """A kind of question.

    Attributes:
        name: What parameters call it.
        prompt: The words that the model was taught.
        min_pixels: A smaller picture is enlarged to so many.
        max_pixels: A larger one is made smaller.
    """

    name: str
    prompt: str
    min_pixels: int = MIN_PIXELS
    max_pixels: int = MAX_PIXELS


TASKS = {
    name: Task(name=name, prompt=f"{words}:")
    for name, words in {
        "ocr": "OCR",
        "table": "Table Recognition",
        "formula": "Formula Recognition",
        "chart": "Chart Recognition",
        "seal": "Seal Recognition",
    }.items()
}

VERSIONS = {
    "1.6": "PaddleOCR-VL-1.6-0.9B",
    "1.5": "PaddleOCR-VL-1.5-0.9B",
    "1": "PaddleOCR-VL-0.9B",
}

NOT_READ = frozenset({"figure"})
_BY_KIND = {"table": "table", "formula": "formula", "chart": "chart", "seal": "seal"}


@dataclass(frozen=True, kw_only=True)
class VlOptions:
    """How pages are read.

    Attributes:
        version: Of the model: a key of `VERSIONS`.
        fallback: What reads a block that the model could not: `pp-ocrv6`, or empty.
        charts: Whether charts are read; if not, they are left as pictures.
        seals: The same for seals.
        merge: Whether text that runs on in another area is read as one picture.
        max_tokens: Longest answer.
        tasks: The questions, with their pixels.
    """

    version: str = "1.6"
    fallback: str = ""
    charts: bool = False
    seals: bool = False
    merge: bool = True
    max_tokens: int = 4096
    tasks: tuple[Task, ...] = tuple(TASKS.values())

    @classmethod
    def parse(cls, parameters: str) -> VlOptions:
        """What `version=1.5&fallback=pp-ocrv6&charts=yes` asks for.

        The others are `seals`, `merge`, `max_tokens`, `min_pixels` and `max_pixels`, and
        the last two for one task alone, such as `table_max_pixels`.

        Raises:
            BadOption: There is no such parameter, or its value is not allowed.
        """
        options, known = cls(), _known()
        for name, text in parse_qsl(parameters, keep_blank_values=True):
            if name not in known:
                raise BadOption(
                    f"The model paddleocr-vl has no parameter {name!r}; {nearest(name, known)}"
                )
            options = _with(options, name, text)
        for task in options.tasks:
            if task.min_pixels > task.max_pixels:
                raise BadOption(
                    f"min_pixels of {task.name} ({task.min_pixels}) is above its"
                    f" max_pixels ({task.max_pixels})."
                )
        if options.seals and options.version == "1":
            raise BadOption("PaddleOCR-VL 1 does not read seals: use version 1.5 or 1.6.")
        return options

    @property
    def model(self) -> str:
        """The model's own name."""
        return VERSIONS[self.version]

    def task_of(self, area: Area) -> Task | None:
        """What is asked about an area; None where it is not read."""
        if area.kind in NOT_READ:
            return None
        if (area.kind == "chart" and not self.charts) or (
            area.kind == "seal" and not self.seals
        ):
            return None
        name = _BY_KIND.get(area.kind, "ocr")
        if area.label == "formula_number":
            name = "ocr"
        return next(task for task in self.tasks if task.name == name)


def _known() -> list[str]:
    bounds = [f"{name}_{bound}" for name in TASKS for bound in ("min_pixels", "max_pixels")]
    plain = ["version", "fallback", "charts", "seals", "merge", "max_tokens"]
    return [*plain, "min_pixels", "max_pixels", *bounds]


def _with(options: VlOptions, name: str, text: str) -> VlOptions:
    if name == "version":
        return replace(options, version=_one_of(name, text.removeprefix("v"), [*VERSIONS]))
    if name == "fallback":
        chosen = _one_of(name, text, ["pp-ocrv6", "none"])
        return replace(options, fallback="" if chosen == "none" else chosen)
    if name in ("charts", "seals", "merge"):
        return replace(options, **{name: _yes_or_no(name, text)})  # type: ignore[arg-type]
    if name == "max_tokens":
        return replace(options, max_tokens=_number(name, text, MOST_TOKENS))
    bound = name[-len("min_pixels") :]
    of_task = name.removesuffix(bound).rstrip("_")
    pixels = {bound: _number(name, text, MOST_PIXELS)}
    tasks = (
        replace(task, **pixels) if of_task in ("", task.name) else task  # type: ignore[arg-type]
        for task in options.tasks
    )
    return replace(options, tasks=tuple(tasks))


def _one_of(name: str, text: str, known: list[str]) -> str:
    if text not in known:
        raise BadOption(
            f"The {name} of paddleocr-vl must be {' or '.join(known)}, not {text!r}."
        )
    return text


def _yes_or_no(name: str, text: str) -> bool:
    values = {"yes": True, "on": True, "1": True, "true": True, "": True}
    values |= {"no": False, "off": False, "0": False, "false": False}
    if text.lower() not in values:
        raise BadOption(f"{name} of paddleocr-vl must be yes or no, not {text!r}.")
    return values[text.lower()]


def _number(name: str, text: str, most: int) -> int:
    digits = text.isascii() and text.isdigit() and len(text) <= 12
    if not (digits and 1 <= int(text) <= most):
        raise BadOption(f"{name} of paddleocr-vl must be 1 to {most}, not {text!r}.")
    return int(text)
