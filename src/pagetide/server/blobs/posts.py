"""Forms by which a client puts a document into a bucket itself, signed for one key and size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from pagetide.errors import StoreFailed
from pagetide.net.aws_session import open_session
from pagetide.server.blobs.clouds import FLAGS
from pagetide.server.ports import PostForm

_CREATED = {"success_action_status": "201"}


class Posts:
    """Signs the forms of a bucket of S3, with the credentials that boto3 finds."""

    def __init__(self, client: Callable[[], Any], bucket: str, prefix: str) -> None:
        """Make it.

        Args:
            client: Makes boto3's, for S3: when the first form is signed, for it looks for
                credentials, and workers sign none.
            bucket: Which.
            prefix: What all keys begin with; empty, or with a slash at its end.
        """
        self._client, self._bucket, self._prefix = cache(client), bucket, prefix

    def form(self, key: str, expires_s: float, most_bytes: int) -> PostForm:
        """See `ports.Blobs.post_form`; S3 itself refuses another key, size or time.

        Raises:
            StoreFailed: There are no credentials to sign with.
        """
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            made = self._client().generate_presigned_post(
                self._bucket,
                self._prefix + key,
                Fields=dict(_CREATED),
                Conditions=[_CREATED, ["content-length-range", 1, most_bytes]],
                ExpiresIn=int(expires_s),
            )
        except (BotoCoreError, ClientError):
            raise StoreFailed("An upload to the bucket cannot be signed.") from None
        return PostForm(url=made["url"], fields=made["fields"])


def posts_at(url: str) -> Posts | None:
    """The signer of forms for the blobs at a URL; None where it is not S3, or without boto3."""
    parts = urlsplit(url)
    if parts.scheme != "s3" or find_spec("botocore") is None:
        return None
    prefix = unquote(parts.path).strip("/")
    client = partial(_client, dict(parse_qsl(parts.query)))
    return Posts(client, parts.netloc, f"{prefix}/" if prefix else "")


def _client(options: Mapping[str, str]) -> Any:
    from botocore.config import Config

    path_style = FLAGS[options.get("path_style", "yes")]
    config = Config(
        signature_version="s3v4",
        s3={"addressing_style": "path" if path_style else "virtual"},
    )
    return open_session().create_client(
        "s3",
        region_name=options.get("region"),
        endpoint_url=options.get("endpoint"),
        config=config,
    )
