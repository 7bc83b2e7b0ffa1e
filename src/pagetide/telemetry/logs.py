"""Structured logs, as text or JSON lines, that hold no secret and nothing out of a document.

Only the fields named here are written. Whatever looks like a key, a signature or a query
string is blotted out, and of a foreign exception only its type and the places it passed are
shown: its message may quote what it choked on.
"""

from __future__ import annotations

import logging
import re
import sys
import time
from types import TracebackType
from typing import TextIO

import msgspec

from pagetide.errors import BadOption, PagetideError
from pagetide.settings import Settings
from pagetide.telemetry.log_queue import Queued

LEVELS, FORMATS = ("debug", "info", "warning", "error"), ("json", "text")
FIELDS = (
    "job",
    "task",
    "worker",
    "pool",
    "model",
    "pages",
    "method",
    "path",
    "status",
    "ms",
    "code",
    "exit",
    "reason",
    "layers",
    "missing",
    "count",
    "was",
    "replicas",
    "ready",
    "waiting",
    "leased",
    "network",
    "files",
    "bytes",
)
_SECRETS = (
    (re.compile(r"pt_([0-9a-z]{8})_[0-9A-Za-z_-]+"), r"pt_\1_…"),
    (re.compile(r"(?i)\b(bearer|basic)\s+\S+"), r"\1 …"),
    (re.compile(r"(://)[^/\s:@]*:[^/\s@]+@"), r"\1…@"),
    (re.compile(r"\?[^\s\"']*=[^\s\"']*"), "?…"),
    (
        re.compile(r"(?i)\b(signature|sig|password|secret|token|accountkey)=[^\s&;\"']+"),
        r"\1=…",
    ),
)
# These log every request they make at `info`, with its URL.
_TALKATIVE = (
    "httpx",
    "httpcore",
    "asyncio",
    "multipart",
    "python_multipart",
    "amqp",
    "azure",
    "boto3",
    "botocore",
    "celery",
    "kombu",
    "psycopg",
    "urllib3",
)


def configure(settings: Settings, stream: TextIO | None = None) -> None:
    """Send this process's logs to a stream, by default the standard error.

    Nobody waits for the standard error to be read; see `log_queue`.

    Raises:
        BadOption: There is no such level or format.
    """
    if settings.log_level.lower() not in LEVELS:
        raise BadOption(f"PAGETIDE_LOG_LEVEL must be one of {', '.join(LEVELS)}.")
    if settings.log_format not in FORMATS:
        raise BadOption(f"PAGETIDE_LOG_FORMAT must be one of {', '.join(FORMATS)}.")
    writer = logging.StreamHandler(stream) if stream else Queued(sys.stderr)
    writer.setFormatter(JsonLines() if settings.log_format == "json" else TextLines())
    root = logging.getLogger()
    root.handlers[:] = [writer]
    root.setLevel(settings.log_level.upper())
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def blotted(text: str) -> str:
    """The text without what looks like a secret."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


class TextLines(logging.Formatter):
    """`time level logger: message field=value …`."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line, with the places of an exception below it."""
        pairs = "".join(f" {name}={value}" for name, value in fields_of(record).items())
        line = f"{_time(record)} {record.levelname.lower()} {record.name}:"
        return f"{line} {_message(record)}{pairs}" + "".join(
            f"\n  {place}" for place in _places(record)
        )


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        line: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            **fields_of(record),
        }
        if places := _places(record):
            line["exception"] = places
        return msgspec.json.encode(line).decode()


def fields_of(record: logging.LogRecord) -> dict[str, object]:
    """The record's fields that may be written, beside its message."""
    fields = {name: getattr(record, name, None) for name in FIELDS}
    return {
        name: value if isinstance(value, int | float) else blotted(_one_line(str(value)))
        for name, value in fields.items()
        if value is not None
    }


def _message(record: logging.LogRecord) -> str:
    return blotted(_one_line(record.getMessage()))


def _one_line(text: str) -> str:
    """No sender of a request can write a line of the log, or colour it."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:2000])
    return shown.encode("utf-8", "replace").decode()


def _time(record: logging.LogRecord) -> str:
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    return f"{seconds}.{int(record.msecs):03}Z"


def _places(record: logging.LogRecord) -> list[str]:
    if not record.exc_info or record.exc_info[1] is None:
        return []
    error = record.exc_info[1]
    known = f": {blotted(_one_line(error.message))}" if isinstance(error, PagetideError) else ""
    return [*_frames(error.__traceback__), f"{type(error).__name__}{known}"]


def _frames(traceback: TracebackType | None) -> list[str]:
    places = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        places.append(f"{code.co_filename}:{traceback.tb_lineno} {code.co_qualname}")
        traceback = traceback.tb_next
    return places
