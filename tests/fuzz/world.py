"""What the fuzzer plays against: the application as shipped, a worker, a store in a file."""

from __future__ import annotations

import base64
import io
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from fastapi import FastAPI
from PIL import Image

from bench.fake_vl_server import Reply, completion
from pagetide.server.api.answers import links
from pagetide.server.api.answers.links import link_secret
from pagetide.server.api.bodies import upload_ids
from pagetide.server.app import create_app
from pagetide.server.jobs.job import Job, JobOptions
from pagetide.server.jobs.keys import SCOPES, new_key
from pagetide.server.service.service import Service
from pagetide.server.service.submitting.pending_uploads import document_key
from pagetide.server.service.submitting.submission import Submission
from pagetide.server.wiring import open_service, open_worker
from pagetide.settings import Settings
from tests.loopback import answering, loopback
from tests.serving import pdf
from tests.waiting import until

ALIASES = (
    *("prebuilt-read", "prebuilt-layout", "mistral-ocr-latest", "ocr-process", "predict"),
    *("ocr", "layout-parsing", "PP-StructureV3", "PP-OCRv5", "docling", "easyocr", "standard"),
    *("DetectDocumentText", "AnalyzeDocument", "AnalyzeExpense"),
)
LISTED = b"<EnumerationResults><Blobs><Blob><Name>a.png</Name></Blob></Blobs><NextMarker/>"


@dataclass(frozen=True, kw_only=True)
class World:
    """A server in this process.

    Attributes:
        app: Its application, which asks for keys.
        key: One of its keys.
        away: URL of a server that has `doc.png`, a container at `box`, and a model that finds
            nothing.
    """

    app: FastAPI
    service: Service
    key: str
    owner: str
    away: str

    def job(self, metadata: dict[str, str] | None = None, pages: int = 1) -> Job:
        """A job of our key that has been read."""
        path = self.service.settings.home_folder / "uploads" / secrets.token_hex(8)
        path.write_bytes(pdf(pages))
        options = JobOptions(model="fake")
        asked = Submission(
            document=path,
            name="scan.pdf",
            options=options,
            owner=self.owner,
            metadata=metadata or {},
        )
        job = self.service.submit(asked)
        until(lambda: self.service.job(job.id).ended)
        return self.service.job(job.id)

    def upload(self) -> str:
        """Id of an upload of our key, its document there."""
        mark, expires = link_secret(self.service), int(time.time() + upload_ids.USABLE_S)
        found = upload_ids.new_id(
            mark, self.owner, expires=expires, random=secrets.token_hex(10)
        )
        self.service.blobs.put(document_key(found, self.owner), picture())
        return found

    def signed(self, path: str) -> dict[str, object]:
        """What a signed link to a path has in its query besides."""
        link = links.signed(link_secret(self.service), path, now=time.time(), valid_s=86400)
        query = parse_qs(urlsplit(link).query)
        return {name: query[name][0] for name in ("expires", "signature")}


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """A server in this process, with all that its jobs need."""
    with loopback() as away:
        away.answers["/doc.png"] = answering(picture())
        away.answers["/box"] = answering(LISTED)
        away.answers["/box/a.png"] = answering(picture())
        away.answers["/box/list"] = answering(b'{"file":"a.png"}\n')
        away.answers["/v1/chat/completions"] = answering(completion(Reply(text="{}")))
        here = f"http://127.0.0.1:{away.port}"
        settings = Settings(
            extract_url=f"{here}/v1",
            data_dir=str(folder),
            test_models=True,
            pools={"cpu": ("fake",)},
            aliases=dict.fromkeys(ALIASES, "fake"),
            allow_hosts=("127.0.0.1",),
            idle_s=1e9,
            download_timeout_s=2.0,
        )
        (folder / "uploads").mkdir()
        with closing(open_service(settings)) as service, _working(settings):
            key, owner = _key(service)
            app = create_app(service, settings, keys_needed=True)
            yield World(app=app, service=service, key=key, owner=owner, away=here)


def picture() -> bytes:
    """A small PNG."""
    written = io.BytesIO()
    Image.new("L", (40, 30), 255).save(written, "png")
    return written.getvalue()


def in_base64() -> str:
    """The picture in base64."""
    return base64.b64encode(picture()).decode()


def _key(service: Service) -> tuple[str, str]:
    text, kept = new_key(
        "fuzz",
        key_id="fuzzfuzz",
        secret=secrets.token_urlsafe(32),
        now=time.time(),
        scopes=SCOPES,
    )
    service.store.put_key(kept)
    return text, kept.id


@contextmanager
def _working(settings: Settings) -> Iterator[None]:
    with closing(open_worker(settings, "cpu")) as worker:
        thread = threading.Thread(target=worker.run, name="fuzz-worker")
        thread.start()
        try:
            yield
        finally:
            worker.stop()
            thread.join()
