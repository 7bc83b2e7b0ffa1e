"""The model server to ask, and the limits of asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pagetide.document.extraction import Usage
from pagetide.engines.vl.server.client import Clock
from pagetide.errors import BadOption, ModelUnavailable
from pagetide.settings import Settings


@dataclass(frozen=True, kw_only=True)
class ModelServer:
    """An OpenAI-compatible server, and limits for its use.

    Attributes:
        url: Base URL, such as `http://127.0.0.1:8000/v1`.
        key: Sent as a bearer token, unless empty.
        served_name: Name under which it offers its model; empty means that requests name no
            model.
        concurrency: Maximum concurrent requests of one extraction.
        timeout_s: Timeout of one attempt, in seconds.
        deadline_s: Timeout of one extraction, in seconds.
        letters: Maximum characters of a document in one request.
        parts_max: Maximum parts of a long document that are sent.
        sees: Whether its model can read pictures: page pictures are then sent with the text.
        clock: How retries wait; for tests.
        on_answer: Called with the cost of each request, answered or not.
    """

    url: str = field(repr=False)
    key: str = field(default="", repr=False)
    served_name: str = ""
    concurrency: int = 8
    timeout_s: float = 60.0
    deadline_s: float = 300.0
    letters: int = 24_000
    parts_max: int = 8
    sees: bool = False
    clock: Clock = field(default_factory=Clock, repr=False)
    on_answer: Callable[[Usage], object] = field(default=lambda usage: None, repr=False)

    def __post_init__(self) -> None:
        """Check the URL.

        Raises:
            BadOption: It is none; the message does not hold it, for it may hold a password.
        """
        try:
            parts = urlsplit(self.url)
            is_url = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            is_url = False
        if not is_url:
            raise BadOption("The model server must be an http or https URL.")

    @classmethod
    def of(cls, settings: Settings, url: str = "") -> ModelServer:
        """The server in the settings, or another one.

        Raises:
            ModelUnavailable: There is none.
        """
        if not (url or settings.extract_url):
            raise ModelUnavailable(
                "Extracting needs a model server: set PAGETIDE_EXTRACT_URL to its address,"
                " such as http://127.0.0.1:8000/v1."
            )
        own = url in ("", settings.extract_url)
        return cls(
            url=url or settings.extract_url,
            key=settings.extract_key if own else "",  # a key goes to nobody else
            served_name=settings.extract_served_name,
            concurrency=settings.extract_concurrency,
            timeout_s=settings.extract_timeout_s,
            deadline_s=settings.extract_deadline_s,
            letters=settings.extract_letters,
            parts_max=settings.extract_parts_max,
            sees=settings.extract_sees,
        )
