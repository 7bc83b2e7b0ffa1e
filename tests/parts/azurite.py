"""Azurite: Azure's blobs and queues on this machine."""

from __future__ import annotations

import base64
import hmac
import shutil
from email.utils import formatdate
from pathlib import Path

import httpx

from tests.parts.server import PartMissing, Server, free_port, listens, program

INSTALLED = Path(__file__).parents[2] / ".parts" / "node_modules" / "azurite" / "dist" / "src"
# The account and key that every Azurite has; they are printed in its documentation.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


class Azurite(Server):
    """Azurite's blob and queue services.

    Attributes:
        account: The account it has.
        key: The account's key.
        queue_port: Where the queue service listens; the blob service does at `port`.
    """

    account = ACCOUNT
    key = KEY

    def __init__(self) -> None:
        super().__init__()
        self.queue_port = free_port()

    @property
    def blob_endpoint(self) -> str:
        """The URL of the account's blobs."""
        return f"http://127.0.0.1:{self.port}/{ACCOUNT}"

    @property
    def queue_endpoint(self) -> str:
        """The URL of the account's queues."""
        return f"http://127.0.0.1:{self.queue_port}/{ACCOUNT}"

    @property
    def connection_string(self) -> str:
        """What Azure's own clients take."""
        return (
            f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};"
            f"BlobEndpoint={self.blob_endpoint};QueueEndpoint={self.queue_endpoint};"
        )

    @property
    def url(self) -> str:
        """The URL of the account's blobs."""
        return self.blob_endpoint

    def command(self) -> list[str]:
        """See `Server`."""
        if not (INSTALLED / "azurite.js").exists():
            raise PartMissing("Azurite is not installed: `make parts` installs it")
        return [
            program("node", "apt-get install nodejs"),
            str(INSTALLED / "azurite.js"),
            *("--blobHost", "127.0.0.1", "--blobPort", str(self.port)),
            *("--queueHost", "127.0.0.1", "--queuePort", str(self.queue_port)),
            *("--tableHost", "127.0.0.1", "--tablePort", "0"),
            *("--location", str(self._data), "--silent"),
            "--skipApiVersionCheck",  # Azure's clients ask for versions it does not know
            "--disableTelemetry",
        ]

    def ready(self) -> bool:
        """See `Server`."""
        return listens(self.port) and listens(self.queue_port)

    def wipe(self) -> None:
        """Lose all blobs and queues."""
        self.stop()
        shutil.rmtree(self._data, ignore_errors=True)
        self.start()

    def make_container(self, name: str) -> None:
        """Make a container for blobs, as its owner would: Pagetide itself makes none."""
        date, version = formatdate(usegmt=True), "2021-08-06"
        signed = "\n".join(
            (
                "PUT",
                *[""] * 11,
                f"x-ms-date:{date}",
                f"x-ms-version:{version}",
                f"/{ACCOUNT}/{ACCOUNT}/{name}",
                "restype:container",
            )
        )
        digest = hmac.digest(base64.b64decode(KEY), signed.encode(), "sha256")
        headers = {
            "Authorization": f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}",
            "x-ms-date": date,
            "x-ms-version": version,
        }
        url = f"{self.blob_endpoint}/{name}?restype=container"
        httpx.put(url, headers=headers, timeout=60).raise_for_status()

    @property
    def _data(self) -> Path:
        return self.folder / "data"
