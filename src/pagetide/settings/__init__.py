"""Every setting, in one place: the only package that reads the environment.

A setting's variable is its name in capitals behind `PAGETIDE_`; `sources` has what else may set
it. The settings themselves stand by topic in `reading`, `serving` and `working`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from pagetide.errors import BadOption
from pagetide.settings.reading import (
    ExtractSettings,
    ModelSettings,
    ReadingSettings,
    VlSettings,
)
from pagetide.settings.serving import (
    ApiSettings,
    ClientSettings,
    LimitSettings,
    LogSettings,
    QueueSettings,
    ReviewSettings,
    StorageSettings,
)
from pagetide.settings.sources import environment_with, find_settings, warn_of_unknown
from pagetide.settings.values import Known, vet_number
from pagetide.settings.working import PoolSettings, WorkerSettings


@dataclass(frozen=True, kw_only=True)
class Settings(
    ReadingSettings,
    ModelSettings,
    VlSettings,
    ExtractSettings,
    StorageSettings,
    QueueSettings,
    ApiSettings,
    PoolSettings,
    WorkerSettings,
    LimitSettings,
    ReviewSettings,
    LogSettings,
    ClientSettings,
):
    """All settings, with their defaults."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Settings from `PAGETIDE_*` variables and the files that they name.

        What nothing sets keeps its default; a variable of ours that is no setting is logged.

        Args:
            environment: By default this process's.

        Raises:
            BadOption: A value is not of its setting's type, or a file is not as it must be;
                the message names the setting or the file, and holds no secret.
        """
        env = os.environ if environment is None else environment
        known = cls.known()
        found = find_settings(env, known)
        warn_of_unknown(env, known)
        settings = cls(**{name: each.value for name, each in found.items()})  # type: ignore[arg-type]
        for each in known.values():
            if each.kind in (int, float) and each.name != "threads":  # its users say more
                vet_number(each, getattr(settings, each.name))
        if settings.sandbox not in {"auto", "require"}:
            raise BadOption("PAGETIDE_SANDBOX must be auto or require.")
        for share in ("review_below", "review_sample"):
            if getattr(settings, share) > 1:
                raise BadOption(f"{known[share].variable} must be between 0 and 1.")
        if len(settings.canary) > 1:
            raise BadOption("PAGETIDE_CANARY must name at most one pool.")
        return settings

    @classmethod
    def known(cls) -> dict[str, Known]:
        """All settings, by name, as where they come from must know them."""
        return {
            each.name: Known(
                name=each.name,
                kind=type(each.default),
                shape=each.metadata.get("shape"),
                positive="positive" in each.metadata,
                secret=not each.repr,
            )
            for each in fields(cls)
        }

    def as_environment(self) -> dict[str, str]:
        """This process's environment with exactly these settings, for a child.

        A secret that came from a file stays in the file, for the child to read. One that
        came otherwise is a variable, as it was: `/proc/PID/environ` shows it to this user
        and to root alone.
        """
        values = {name: getattr(self, name) for name in self.known()}
        return environment_with(os.environ, self.known(), values)

    @property
    def cache_folder(self) -> Path | None:
        """Where compiled models are kept, or None where they are not."""
        if self.cache_dir == "off":
            return None
        if self.cache_dir:
            return Path(self.cache_dir)
        home = os.environ.get("XDG_CACHE_HOME")
        return (Path(home) if home else Path.home() / ".cache") / "pagetide"

    @property
    def home_folder(self) -> Path:
        """Where a server keeps its jobs and documents, from the root on."""
        if self.data_dir:
            return Path(self.data_dir).absolute()
        home = os.environ.get("XDG_DATA_HOME")
        return (Path(home) if home else Path.home() / ".local" / "share") / "pagetide"

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """`allow_hosts` as a set, in small letters."""
        return frozenset(map(str.lower, self.allow_hosts))

    @property
    def canary_share(self) -> tuple[str, float] | None:
        """The pool that workers of another version serve, and its share (0–1) of new jobs."""
        return next(iter(self.canary.items()), None)

    def least_workers(self, pool: str) -> int:
        """Worker processes that a pool keeps though it has no work."""
        least = self.min_workers
        return least if isinstance(least, int) else least.get(pool, 0)

    def languages_of(self, pool: str) -> tuple[str, ...]:
        """The languages that a pool reads beside those that its models bring along."""
        codes = self.languages
        return codes if isinstance(codes, tuple) else codes.get(pool.partition("-")[0], ())

    def model_named(self, name: str) -> str | None:
        """The model that another service's name stands for here; None where none does."""
        found = {alias.lower(): model for alias, model in self.aliases.items()}
        return found.get(name.lower())

    @property
    def workers_per_pool(self) -> int:
        """Maximum worker processes of a pool."""
        return self.max_workers or max(1, available_cores() // 4)


def available_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def plain_environment() -> dict[str, str]:
    """What a program that opens strangers' files may know: where things are, and no more.

    Where this package is not installed beside others, `PYTHONPATH` is made to lead to it; what
    `PYTHON*` this process was given is not handed on.
    """
    known = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
    plain = {name: os.environ[name] for name in known if name in os.environ}
    place = Path(__file__).parents[2]
    # Before Python's own modules, other packages would stand in for them.
    return plain if place.name.endswith("-packages") else {**plain, "PYTHONPATH": str(place)}
