"""Buckets and containers of a test's own, by the URLs that settings name them by."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.parts.azurite import Azurite
from tests.parts.gcs import google_before, service_account
from tests.parts.moto import REGION


@pytest.fixture
def s3_url(moto: Any) -> str:
    """A prefix of a new bucket of Moto's; this process has credentials for it."""
    bucket = f"uploads-{secrets.token_hex(6)}"
    make_bucket(moto.endpoint, bucket)
    return f"s3://{bucket}/some/prefix?endpoint={moto.endpoint}&region={REGION}"


@pytest.fixture
def az_url(azurite: Azurite, monkeypatch: pytest.MonkeyPatch) -> str:
    """A prefix of a new container of Azurite's; this process has the account's key."""
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", azurite.key)
    container = f"results-{secrets.token_hex(6)}"
    azurite.make_container(container)
    where = f"account={azurite.account}&endpoint={azurite.blob_endpoint}"
    return f"az://{container}/some/prefix?{where}"


@pytest.fixture
def gs_url(moto: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A prefix of a new bucket of what stands in for Google."""
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", service_account())
    bucket = f"google-{secrets.token_hex(6)}"
    make_bucket(moto.endpoint, bucket)
    with google_before(moto.port) as endpoint:
        yield f"gs://{bucket}/some/prefix?endpoint={endpoint}"


def make_bucket(endpoint: str, name: str) -> None:
    """Make a bucket, as its owner would: Pagetide itself makes none."""
    httpx.put(f"{endpoint}/{name}", timeout=60).raise_for_status()
