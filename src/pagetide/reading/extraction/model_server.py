"""The model server to ask, and the limits of asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pagetide.document.extraction import Usage
from pagetide.engines.vl.server import Clock
from pagetide.errors import BadOption, ModelUnavailable
from pagetide.settings import Settings


@dataclass(frozen=True, kw_only=True)
class ModelServer:
    """An OpenAI-compatible server, and how much is asked of it.

    Attributes:
        url: Base URL, such as `http://127.0.0.1:8000/v1`.
        key: Sent as a bearer token, unless empty.
        served_name: The name it serves its model under; empty means that none is named.
        concurrency: Most requests of one extraction at once.
        timeout_s: Longest that one attempt may take.
        deadline_s: Longest that one extraction may take.
        letters: Most letters of a document in one request.
        parts_max: Most parts of a long document that are asked.
        sees: Whether its model sees: pictures of pages are sent beside their text.
        clock: How retries wait; for tests.
        on_answer: Told what each question took, answered or not.
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
        """The server that the settings name, or another in its place.

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
