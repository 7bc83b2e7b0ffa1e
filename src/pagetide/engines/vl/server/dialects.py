"""The servers that run PaddleOCR-VL, and how what they take differs."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from pagetide.engines.vl.tasks import Task
from pagetide.errors import BadOption, nearest


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """What a server takes beside OpenAI's plain chat completion.

    Attributes:
        picture: The picture format it decodes; JPEG is written at quality 95.
        resizes: Whether it takes the least and most pixels. The others get the picture
            already resized.
        special: Whether it takes `skip_special_tokens`; a strict server refuses it.
        longest: The name of the field for the most tokens.
        sampling: What makes it choose the likeliest token.
    """

    picture: Literal["jpeg", "png"] = "jpeg"
    resizes: bool = False
    special: bool = True
    longest: str = "max_completion_tokens"
    sampling: dict[str, float] = field(default_factory=lambda: {"temperature": 0})


DIALECTS = {
    "vllm": Dialect(resizes=True),
    "sglang": Dialect(),
    "llama-cpp": Dialect(picture="png", special=False, longest="max_tokens"),
    "fastdeploy": Dialect(sampling={"temperature": 1, "top_p": 0}),
    "openai": Dialect(special=False, longest="max_tokens"),
}


def dialect_of(name: str) -> Dialect:
    """The dialect that a setting names.

    Raises:
        BadOption: There is no such dialect.
    """
    if name not in DIALECTS:
        raise BadOption(f"PAGETIDE_VL_DIALECT cannot be {name!r}; {nearest(name, DIALECTS)}")
    return DIALECTS[name]


def question(
    dialect: Dialect, *, model: str, task: Task, picture: bytes, max_tokens: int
) -> bytes:
    """The body of a request to `/chat/completions`, as JSON."""
    url = f"data:image/{dialect.picture};base64,{b64encode(picture).decode()}"
    content = [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": task.prompt},
    ]
    body: dict[str, object] = {
        "model": model,
        "messages": [{"role": "user", "content": content}],
        dialect.longest: max_tokens,
        **dialect.sampling,
    }
    if dialect.special:
        body["skip_special_tokens"] = True
    if dialect.resizes:
        body["mm_processor_kwargs"] = {
            "min_pixels": task.min_pixels,
            "max_pixels": task.max_pixels,
        }
    return msgspec.json.encode(body)
