"""Fetch a model from the first source that has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import structs

from pagetide.engines.models.fetching import FileRequest, fetch
from pagetide.engines.models.manifest import Manifest, ModelFile, check, encode
from pagetide.engines.models.mirror import MirrorSource
from pagetide.engines.models.models_folder import ModelsFolder
from pagetide.engines.models.registry import Known, Registry
from pagetide.engines.models.sources import FolderSource, Source, Unreachable
from pagetide.errors import ModelNotPinned, ModelUnavailable, nearest
from pagetide.settings import Settings

Report = Callable[[str], None]
_PLAN = ".plan"  # no path of a model's file begins so


class Pull:
    """Fetches models into their folder, from a folder, the mirror or the hub."""

    def __init__(
        self, settings: Settings, folder: ModelsFolder, known: Registry, hub: Source
    ) -> None:
        self._settings, self._folder, self._registry, self.hub = settings, folder, known, hub

    def fetch(
        self, name: str, part: Path, folder: Path | None, report: Report, *, trust: bool
    ) -> Source:
        """Fetch a model, into the part folder that was made for it; where it came from.

        Args:
            name: The model's.
            part: That folder.
            folder: Where the user has it already.
            report: Takes lines for the user.
            trust: Whether files are taken whose hash nobody knew before.

        Raises:
            ModelNotPinned: There is such a file, and it is not to be trusted.
            ModelUnavailable: No source has it, or what it has is not what it should be.
        """
        source, offer = self._offered(name, folder, report)
        pins = self._pins(name)
        wanted = [_agreed(name, file, pins, source) for file in offer.files]
        if not trust:
            _check_known(name, wanted, pins, source)
        _keep_plan(part, offer, wanted)
        report(f"{name}: from {source.name}{_size(wanted)}.")
        try:
            files = tuple(self._fetched(source, offer, one, part) for one in wanted)
        except Unreachable as broken:
            raise ModelUnavailable(f"{name} was not pulled: {source.name}: {broken}.") from None
        known = self._registry.models.get(name)
        pinned = bool(known and known.pinned)
        if not pinned:
            at = f" (revision {offer.revision})" if offer.revision else ""
            report(f"{name}: not pinned: the hashes of the files{at} are now recorded.")
        (part / _PLAN).unlink()
        manifest = Manifest(
            name=name,
            files=files,
            source=offer.source or source.name,
            revision=offer.revision,
            pinned=pinned,
        )
        self._folder.install(manifest, part)
        return source

    def write_back(self, manifest: Manifest, folder: Path, report: Report) -> None:
        """Put an installed model into the mirror, where the settings name one.

        Raises:
            CannotWrite: The mirror does not take it.
        """
        if self._settings.models_mirror:
            mirror = MirrorSource(self._settings.models_mirror)
            mirror.put(manifest, folder)
            report(f"{manifest.name}: written to {mirror.name}.")

    def _fetched(
        self, source: Source, offer: Manifest, one: FileRequest, part: Path
    ) -> ModelFile:
        into = part / one.file.path
        into.parent.mkdir(parents=True, exist_ok=True)
        return fetch(source, offer, one, into)

    def _offered(
        self, name: str, folder: Path | None, report: Report
    ) -> tuple[Source, Manifest]:
        known = self._settled(name)
        problems = []
        for source in self._sources(folder):
            try:
                offer = source.offer(name, known)
            except Unreachable as reason:
                problems.append(f"{source.name}: {reason}")
                report(f"{name}: {source.name} cannot be used: {reason}.")
                continue
            if offer:
                check(offer, f"from {source.name}")
                return source, offer
            problems.append(f"{source.name} does not have it")
        raise ModelUnavailable(self._nowhere(name, problems))

    def _sources(self, folder: Path | None) -> Sequence[Source]:
        sources: list[Source] = []
        if folder:
            sources.append(FolderSource(folder))
        if self._settings.models_mirror:
            sources.append(MirrorSource(self._settings.models_mirror))
        if not self._settings.offline:
            sources.append(self.hub)
        return sources

    def _nowhere(self, name: str, problems: list[str]) -> str:
        if name not in self._registry.models:
            names = [*self._registry.models, *self._registry.groups]
            return f"There is no model {name!r}; {_near(name, names)}"
        if self._settings.offline:
            problems.append("PAGETIDE_OFFLINE forbids access to the hub")
        return f"{name} was not pulled: {'; '.join(problems)}."

    def _settled(self, name: str) -> Known | None:
        """The registry's entry, at the revision that came first where it says none."""
        known, recorded = self._registry.models.get(name), self._folder.record(name)
        if known and recorded and not known.revision:
            return structs.replace(known, revision=recorded.revision)
        return known

    def _pins(self, name: str) -> dict[str, str]:
        """The hashes that its files must have: the registry's, else those on record."""
        known, recorded = self._registry.models.get(name), self._folder.record(name)
        pins = {file.path: file.sha256 for file in recorded.files} if recorded else {}
        for file in known.files if known else ():
            pins[file.path] = file.sha256 or pins.get(file.path)
        return {path: sha256 for path, sha256 in pins.items() if sha256}


def _near(name: str, names: Sequence[str]) -> str:
    close = nearest(name, names)
    return close if close.startswith("did you") else "`pagetide models list` shows all."


def _agreed(name: str, file: ModelFile, pins: dict[str, str], source: Source) -> FileRequest:
    """The expected size and hash of a file, where the source and we agree.

    Raises:
        ModelUnavailable: The source has another file than the one that is pinned.
    """
    pin = pins.get(file.path)
    if pin and file.sha256 and pin != file.sha256:
        raise ModelUnavailable(
            f"{file.path} of {name} at {source.name} has the SHA-256 {file.sha256}"
            f" instead of the known one ({pin})."
        )
    return FileRequest(file, file.size, pin or file.sha256)


def _check_known(
    name: str, wanted: Sequence[FileRequest], pins: dict[str, str], source: Source
) -> None:
    """Check that the hash of each file was known before.

    Raises:
        ModelNotPinned: Of one it was not.
    """
    for one in wanted:
        if one.file.path not in pins and not (source.own and one.sha256):
            raise ModelNotPinned(
                f"{name} is not pinned: no hash of its {one.file.path} is known;"
                f" `--trust-first-use` accepts what {source.name} has, and records its"
                " hash."
            )


def _keep_plan(part: Path, offer: Manifest, wanted: Sequence[FileRequest]) -> None:
    """Note what is being fetched; drop what an attempt at something else has left."""
    plan = Manifest(
        name=offer.name,
        revision=offer.revision,
        files=tuple(
            ModelFile(path=one.file.path, size=one.size, sha256=one.sha256) for one in wanted
        ),
    )
    text, note = encode(plan), part / _PLAN
    if not note.exists() or note.read_bytes() != text:
        for path in sorted(part.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        note.write_bytes(text)


def _size(wanted: Sequence[FileRequest]) -> str:
    sizes = [one.size for one in wanted]
    if None in sizes:
        return ""
    return f", {sum(size or 0 for size in sizes) / 1e6:.1f} MB"
