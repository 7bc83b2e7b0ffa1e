"""Buckets and containers: what their URLs say, and how their clients behave."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from obstore.exceptions import BaseError
from obstore.store import AzureStore, GCSStore, S3Store

from pagetide.errors import BadOption
from pagetide.server.blobs.failures import Place
from pagetide.server.blobs.keys import is_key

if TYPE_CHECKING:
    from obstore.store import AzureConfig, ClientConfig, GCSConfig, RetryConfig, S3Config

    Cloud = S3Store | AzureStore | GCSStore

RETRIES: RetryConfig = {
    "max_retries": 5,
    "retry_timeout": timedelta(seconds=60),
    "backoff": {
        "init_backoff": timedelta(milliseconds=100),
        "max_backoff": timedelta(seconds=5),
    },
}
# The whole of a download may take long, for its taker may be slow; obstore's 30 s would cut
# it. What must not take long is a single read.
TIMEOUTS: ClientConfig = {"connect_timeout": "5s", "read_timeout": "30s", "timeout": "24h"}
_NAME = re.compile(r"[\w$][\w.$-]*", re.ASCII)
FLAGS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def open_cloud(url: str) -> tuple[Cloud, Place]:
    """The bucket or container at a URL; it is asked for nothing yet.

    - `s3://BUCKET/PREFIX?endpoint=URL&region=NAME&path_style=no`: with `path_style=no` the
      bucket's name stands in the host's.
    - `az://CONTAINER/PREFIX?account=NAME&endpoint=URL`
    - `gs://BUCKET/PREFIX?endpoint=URL`

    The prefix and the options may be left out, the account's name where
    `AZURE_STORAGE_ACCOUNT_NAME` says it. Plain http is used where the endpoint says so.

    Credentials come from the environment, as the crate object_store (in obstore) finds them:

    - S3: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; else a web
      identity (`AWS_WEB_IDENTITY_TOKEN_FILE` and `AWS_ROLE_ARN`), an ECS task's role
      (`AWS_CONTAINER_CREDENTIALS_RELATIVE_URI`), an EKS pod's identity
      (`AWS_CONTAINER_CREDENTIALS_FULL_URI` and `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE`), the
      machine's role (IMDSv2). The files in `~/.aws` are not read.
    - Azure: `AZURE_STORAGE_TOKEN`; else `AZURE_STORAGE_ACCOUNT_KEY`; a workload identity
      (`AZURE_CLIENT_ID`, `AZURE_TENANT_ID` and `AZURE_FEDERATED_TOKEN_FILE`); a client's
      secret (`AZURE_CLIENT_SECRET` beside the former two); `AZURE_STORAGE_SAS_TOKEN`; with
      `AZURE_USE_AZURE_CLI=true` that program; the machine's managed identity, asked at
      `AZURE_IDENTITY_ENDPOINT` where that is set. Container Apps give that address in
      `IDENTITY_ENDPOINT`, which is not read.
    - Google: `GOOGLE_SERVICE_ACCOUNT` (a file) or `GOOGLE_SERVICE_ACCOUNT_KEY`; else
      `GOOGLE_APPLICATION_CREDENTIALS` or what gcloud has kept; the machine's account.

    Raises:
        BadOption: The URL, or a credential's form, is wrong.
    """
    parts = urlsplit(url)
    name, prefix = parts.netloc, unquote(parts.path).strip("/")
    if not _NAME.fullmatch(name) or (prefix and not is_key(prefix)):
        raise BadOption(
            f"Blobs at {parts.scheme}: need {parts.scheme}://NAME/PREFIX, with only"
            " letters, digits and ._=-; credentials come from the environment."
        )
    known, connect, kind = CLOUDS[parts.scheme]
    place = Place(kind, name)
    options = _options(parts.query, known, parts.scheme)
    try:
        return connect(name, prefix or None, options), place
    except (BaseError, ValueError):
        raise BadOption(
            f"The {place} cannot be used: its URL, or a credential in the"
            " environment, has the wrong form."
        ) from None


def _s3(name: str, prefix: str | None, options: dict[str, str]) -> Cloud:
    config: S3Config = {}
    host_style = not FLAGS[options.get("path_style", "yes")]
    if host_style:
        config["virtual_hosted_style_request"] = True
    if region := options.get("region"):
        config["region"] = region
    if endpoint := options.get("endpoint"):
        scheme, _, rest = endpoint.partition("://")
        config["endpoint"] = f"{scheme}://{name}.{rest}" if host_style else endpoint
    return S3Store(
        name,
        prefix=prefix,
        config=config,
        client_options=_client(options),
        retry_config=RETRIES,
    )


def _azure(name: str, prefix: str | None, options: dict[str, str]) -> Cloud:
    config: AzureConfig = {}
    if account := options.get("account"):
        config["account_name"] = account
    if endpoint := options.get("endpoint"):
        config["endpoint"] = endpoint
    return AzureStore(
        name,
        prefix=prefix,
        config=config,
        client_options=_client(options),
        retry_config=RETRIES,
    )


def _google(name: str, prefix: str | None, options: dict[str, str]) -> Cloud:
    config: GCSConfig = {}
    if endpoint := options.get("endpoint"):
        config["base_url"] = endpoint
    return GCSStore(
        name,
        prefix=prefix,
        config=config,
        client_options=_client(options),
        retry_config=RETRIES,
    )


def _client(options: dict[str, str]) -> ClientConfig:
    plain = options.get("endpoint", "").startswith("http://")
    return {**TIMEOUTS, "allow_http": True} if plain else TIMEOUTS


def _options(query: str, known: tuple[str, ...], scheme: str) -> dict[str, str]:
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name, value in options.items():
        if name not in known:
            raise BadOption(f"Blobs at {scheme}: accept {', '.join(known)}; not {name!r}.")
        if not value:
            raise BadOption(f"The option {name!r} of blobs at {scheme}: is empty.")
    if options.get("path_style", "yes") not in FLAGS:
        raise BadOption("The option 'path_style' of blobs at s3: must be yes or no.")
    if "endpoint" in options:
        options["endpoint"] = _vetted(options["endpoint"].rstrip("/"), scheme)
    return options


def _vetted(endpoint: str, scheme: str) -> str:
    parts = urlsplit(endpoint)
    more = parts.username or parts.password or parts.query or parts.fragment
    if parts.scheme not in ("http", "https") or not parts.hostname or more:
        raise BadOption(
            f"The option 'endpoint' of blobs at {scheme}: must be an http or https"
            " URL with only a host and a path."
        )
    return endpoint


CLOUDS: dict[
    str, tuple[tuple[str, ...], Callable[[str, str | None, dict[str, str]], Cloud], str]
] = {
    "s3": (("endpoint", "region", "path_style"), _s3, "bucket"),
    "az": (("account", "endpoint"), _azure, "container"),
    "gs": (("endpoint",), _google, "bucket"),
}
