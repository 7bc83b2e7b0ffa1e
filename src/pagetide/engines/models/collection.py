"""The models here: which there are, where they lie, and whether they are what they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pagetide.engines.models.fetching import digest
from pagetide.engines.models.manifest import NETWORK, Manifest, check_name
from pagetide.engines.models.models_folder import ModelsFolder, root_of
from pagetide.engines.models.registry import Known, Registry, registry
from pagetide.errors import BadOption, ModelUnavailable
from pagetide.settings import Settings

if TYPE_CHECKING:
    from pagetide.engines.models.pulling import Pull, Report
    from pagetide.engines.models.sources import Source

State = Literal["bundled", "installed", "missing", "damaged"]
HERE: tuple[State, ...] = ("bundled", "installed")


@dataclass(frozen=True, kw_only=True)
class InstalledModel:
    """A model that is here.

    Attributes:
        files: Where each of its files lies, by its path in the model's folder.
        bundled: Whether an installed package carries it.
    """

    name: str
    manifest: Manifest
    files: dict[str, Path]
    bundled: bool

    @property
    def network(self) -> Path:
        """Its ONNX file.

        Raises:
            ModelUnavailable: It has none.
        """
        if NETWORK not in self.files:
            raise ModelUnavailable(f"The model {self.name} has no {NETWORK}.")
        return self.files[NETWORK]

    @property
    def sha256(self) -> str:
        """The SHA-256 of its ONNX file when it was pulled; empty where it is not on record."""
        return self.manifest.sha256(NETWORK) or ""

    @property
    def place(self) -> Path:
        """Its folder; its file where a package carries it."""
        return self.network if self.bundled else self.folder

    @property
    def folder(self) -> Path:
        """The folder that its files lie in."""
        first = self.manifest.files[0].path
        return self.files[first].parents[first.count("/")]


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A model and its state here.

    Attributes:
        known: What the registry says; None for a model of the user's own.
        bytes: Of its files, as far as it is known.
    """

    name: str
    state: State
    known: Known | None
    bytes: int

    @property
    def trusted(self) -> bool:
        """Whether it is here, and was what it is by nobody's word but its source's."""
        return self.state == "installed" and not (self.known and self.known.pinned)


class Weights:
    """The models of this machine, as the settings place them."""

    def __init__(
        self,
        settings: Settings,
        *,
        known: Registry | None = None,
        hub: Source | None = None,
    ) -> None:
        """Look at nothing yet.

        Args:
            settings: Folder, mirror, and whether the hub may be asked.
            known: By default the registry that this package carries.
            hub: By default the real ones.
        """
        self._settings = settings
        self._registry = known or registry()
        self._hub = hub
        self._folder = ModelsFolder(root_of(settings))

    def find(self, name: str) -> InstalledModel | None:
        """A model that is here, whole; None where it is not.

        Raises:
            ModelUnavailable: The name cannot be a model's, or its manifest is damaged.
        """
        check_name(name)
        known = self._registry.models.get(name)
        if known and known.bundled:
            files = known.carried()
            if files is not None:
                manifest = _carried(known)
                return InstalledModel(
                    name=name, manifest=manifest, files=dict(files), bundled=True
                )
        installed = self._folder.find(name)
        if installed is None:
            return None
        folder = self._folder.root / name
        paths = {file.path: folder / file.path for file in installed.files}
        return InstalledModel(name=name, manifest=installed, files=paths, bundled=False)

    def need(self, name: str) -> InstalledModel:
        """A model that is here.

        Raises:
            ModelUnavailable: It is not; the message says what to run.
        """
        found = self.find(name)
        if found:
            return found
        known = self._registry.models.get(name)
        if known and known.bundled:
            package = known.source.removeprefix("package:")
            raise ModelUnavailable(
                f"The model {name} comes with the package {package}, which is not installed"
                " or lacks it."
            )
        doubt = "" if known else " if your mirror or one of your folders has it"
        run = pull_command([name], self._registry)
        raise ModelUnavailable(f"The model {name} is not installed; run `{run}`{doubt}.")

    def vet(self, name: str, purpose: str) -> None:
        """Check that a network is for a purpose; one of the user's own may be for any.

        Raises:
            BadOption: It is known to be for something else.
        """
        models = self._registry.models
        known = models.get(name) or models.get(f"{name}_onnx")
        if known and known.purpose != purpose:
            raise BadOption(f"The network {name} is for {known.purpose}, not for {purpose}.")

    def path(self, name: str) -> Path:
        """A model's folder; the file itself where a package carries it.

        Raises:
            ModelUnavailable: It is not here; the message says what to run.
        """
        return self.need(name).place

    def names_of(self, asked: str) -> tuple[str, ...]:
        """The models that a name stands for: itself, or those of a group."""
        return self._registry.groups.get(asked, (asked,))

    def list(self) -> tuple[Listed, ...]:
        """Every model that is known or here, the bundled ones first."""
        own = [name for name in self._folder.names() if name not in self._registry.models]
        found = [self._listed(name) for name in [*self._registry.models, *own]]
        return tuple(sorted(found, key=lambda one: one.state != "bundled"))

    def pull(
        self,
        name: str,
        report: Report,
        *,
        folder: Path | None = None,
        again: bool = False,
        write_back: bool | None = None,
        trust: bool = False,
    ) -> Path:
        """Pull a model: from a folder, the mirror, or the hub, whichever has it first.

        Args:
            name: The model's.
            report: Takes lines for the user.
            folder: Where the user has it already.
            again: Fetch it though it is here.
            write_back: Whether what came from the hub is put into the mirror; None means as
                the settings say.
            trust: Whether files are taken whose hash nobody knew before: neither the registry,
                nor what was here, nor a manifest in the user's folder or mirror.

        Returns:
            Its place.

        Raises:
            ModelUnavailable: No source has it, or what it has is not what it should be.
            ModelNotPinned: Nobody knew what it should be, and it is not to be trusted.
            BadOption: The mirror's URL is wrong, or models are kept nowhere.
            DiskFull: There is no room.
            CannotWrite: It cannot be written, here or to the mirror.
        """
        here = self._here(name)
        if here and (here.bundled or not again):
            report(f"{name}: already here.")
            return here.place
        waits = f"{name}: another process is fetching it; waiting."
        with self._folder.fetching(name, lambda: report(waits)) as part:
            here = self._here(name)
            if here and not again:
                report(f"{name}: fetched by the other process.")
                return here.place
            puller = self._puller()
            from_hub = puller.fetch(name, part, folder, report, trust=trust) is puller.hub
        if write_back is None:
            write_back = self._settings.models_write_back
        if write_back and from_hub:
            found = self.need(name)
            puller.write_back(found.manifest, found.folder, report)
        return self.path(name)

    def verify(self, name: str) -> tuple[str, ...]:
        """The faults of an installed model, one sentence each; mostly none.

        Raises:
            ModelUnavailable: It is not here.
        """
        found = self.need(name)
        return tuple(self._faults(found))

    def _faults(self, found: InstalledModel) -> Iterator[str]:
        known = self._registry.models.get(found.name)
        pins = {file.path: file.sha256 for file in known.files} if known else {}
        for file in found.manifest.files:
            path = found.files[file.path]
            wanted = pins.get(file.path) or file.sha256
            try:
                got = digest(path)
            except OSError:
                yield f"{path} cannot be read"
                continue
            if got != wanted:
                yield f"{path} has changed: its SHA-256 is {got}, not {wanted}"
            elif got != file.sha256:
                yield f"{path} does not match its manifest"

    def _puller(self) -> Pull:
        from pagetide.engines.models.hub import HubSource  # which takes long to import
        from pagetide.engines.models.pulling import Pull

        hub = self._hub or HubSource()
        return Pull(self._settings, self._folder, self._registry, hub)

    def here(self, name: str) -> bool:
        """Whether a model is here, whole."""
        return self._here(name) is not None

    def copy(self, name: str, url: str, report: Report) -> None:
        """Put a model that is here into a mirror, unless the mirror has it just so.

        Args:
            name: The model's; one that a package carries is in no mirror.
            url: The mirror's, as PAGETIDE_MODELS_MIRROR has it.
            report: Takes lines for the user.

        Raises:
            ModelUnavailable: It is not here.
            BadOption: The URL is wrong.
            CannotWrite: The mirror does not take it.
        """
        from pagetide.engines.models.mirror import MirrorSource

        found, mirror = self.need(name), MirrorSource(url)
        if found.bundled:
            report(f"{name}: comes with a package, not from a mirror.")
        elif mirror.holds(found.manifest):
            report(f"{name}: already in {mirror.name}.")
        else:
            mirror.put(found.manifest, found.folder)
            report(f"{name}: written to {mirror.name}.")

    def _here(self, name: str) -> InstalledModel | None:
        """Like `find`, but a damaged manifest is as good as none: it is fetched anew."""
        check_name(name)
        with suppress(ModelUnavailable):
            return self.find(name)
        return None

    def _listed(self, name: str) -> Listed:
        known = self._registry.models.get(name)
        found: InstalledModel | None = None
        state: State = "missing"
        try:
            found = self.find(name)
            if found:
                state = "bundled" if found.bundled else "installed"
        except ModelUnavailable:
            state = "damaged"
        files = found.manifest.files if found else known.files if known else ()
        size = sum(file.size or 0 for file in files)
        return Listed(name=name, state=state, known=known, bytes=size)


def pull_command(names: Sequence[str], known: Registry | None = None) -> str:
    """The command that pulls models.

    Args:
        names: Theirs.
        known: By default the registry that this package carries.
    """
    models = (known or registry()).models
    pinned = all(models[name].pinned for name in names if name in models)
    return f"pagetide models pull {' '.join(names)}{'' if pinned else ' --trust-first-use'}"


def _carried(known: Known) -> Manifest:
    return Manifest(
        name=known.name,
        files=known.files,
        source=known.source,
        revision=known.revision,
        pinned=known.pinned,
    )
