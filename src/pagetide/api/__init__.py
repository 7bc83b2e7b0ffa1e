"""The HTTP API: jobs in, results out, news as they happen."""

from pagetide.api.app import create_app

__all__ = ["create_app"]
