"""Which languages the workers of a pool read: those that they have the networks for.

A server sees nothing of its workers' disks. What they have is what they are set to have: what
their models need in any case, and in the languages of `PAGETIDE_LANGUAGES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pagetide.engines.models.registry import registry
from pagetide.errors import LanguageUnavailable, ModelUnavailable
from pagetide.languages import AUTO, find, languages

Networks = Callable[[str], Sequence[str]]  # what a model needs for a language


def needed(networks: Networks, codes: Iterable[str]) -> frozenset[str]:
    """The networks that a model needs to read languages, but for those that packages carry.

    Raises:
        UnknownLanguage: There is no such language.
        BadOption: The model has no such option, or not with this value.
        ModelUnavailable: No network of the model's kind reads one of them.
    """
    found = {name for code in codes for name in networks(code)}
    return frozenset(name for name in found if not _carried(name))


def had(model: str, networks: Networks, codes: Sequence[str]) -> frozenset[str]:
    """The networks that a pool has for a model: in any case, and for its languages.

    Raises:
        PagetideError: As `needed`.
    """
    group = registry().groups.get(model, ())
    return needed(networks, (AUTO, *codes)) | needed(lambda _: group, (AUTO,))


def vet(model: str, pool: str, networks: Networks, codes: Sequence[str], language: str) -> None:
    """See whether the workers of a pool read a language with a model.

    Args:
        model: Without its options.
        pool: That runs it.
        networks: What the model needs for a language.
        codes: The languages of the pool.
        language: A code, or several joined by `+`.

    Raises:
        LanguageUnavailable: They do not; the message lists what they read.
        PagetideError: As `needed`.
    """
    there = had(model, networks, codes)
    if needed(networks, (language,)) <= there:
        return
    read = (one.code for one in languages() if _reads(networks, one.code, there))
    raise LanguageUnavailable(
        f"The workers of the pool {pool} have no network for {model} to read"
        f" {find(language).name}; they read {', '.join(read)}."
    )


def _reads(networks: Networks, code: str, there: frozenset[str]) -> bool:
    try:
        return needed(networks, (code,)) <= there
    except ModelUnavailable:  # this model reads it nowhere
        return False


def _carried(name: str) -> bool:
    known = registry().models.get(name)
    return bool(known and known.bundled)
