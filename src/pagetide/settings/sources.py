"""Where settings come from: a file, a folder of secrets, the environment.

The environment is handed in: only `settings` reads it.
"""

from __future__ import annotations

import difflib
import functools
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pagetide.errors import BadOption
from pagetide.settings.values import PREFIX, Known, of_file, parsed, text_of, typed

log = logging.getLogger("pagetide.settings")

CONFIG, SECRETS_DIR = "PAGETIDE_CONFIG", "PAGETIDE_SECRETS_DIR"
TESTS = "PAGETIDE_TEST_"
# Kubernetes tells every pod of every service by variables: a service called `pagetide` makes
# `PAGETIDE_PORT=tcp://10.0.0.7:80`, which is no port to listen on.
_SERVICE = re.compile(r"_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$")
_SERVICE_URL = re.compile(r"(tcp|udp|sctp)://")


@dataclass(frozen=True, kw_only=True)
class FoundSetting:
    """A setting's value and the variable that led to it."""

    value: object
    by: str


def find_settings(
    env: Mapping[str, str], known: Mapping[str, Known]
) -> dict[str, FoundSetting]:
    """What the sources say, by setting; the later goes before the earlier.

    They are the TOML file that `PAGETIDE_CONFIG` names, the folder that
    `PAGETIDE_SECRETS_DIR` names, the files that `PAGETIDE_X_FILE` name, and `PAGETIDE_X`.

    Raises:
        BadOption: A source cannot be read, or says what it may not. The message holds no
            secret.
    """
    found: dict[str, FoundSetting] = {}
    if path := env.get(CONFIG):
        found |= dict(_of_config(Path(path), known))
    if path := env.get(SECRETS_DIR):
        found |= dict(_of_folder(Path(path), known))
    return found | dict(_of_variables(env, known))


def environment_with(
    env: Mapping[str, str], known: Mapping[str, Known], values: Mapping[str, object]
) -> dict[str, str]:
    """An environment in which these are the settings, whatever the files say.

    A secret that comes from a file, and is still what the file holds, is left there: the
    child reads it itself. Everything else is a variable.
    """
    try:
        found = find_settings(env, known)
    except BadOption:  # a file was good once
        found = {}
    left = {
        name
        for name, each in found.items()
        if known[name].secret and each.value == values[name] and each.by != known[name].variable
    }
    files = {CONFIG, SECRETS_DIR, *(f"{each.variable}_FILE" for each in known.values())}
    files -= {found[name].by for name in left}
    kept = {name: text for name, text in env.items() if name not in files}
    return kept | {
        each.variable: each.text(values[name])
        for name, each in known.items()
        if name not in left
    }


def warn_of_unknown(env: Mapping[str, str], known: Mapping[str, Known]) -> None:
    """Log, once in a process, each variable of ours and each secret that is no setting.

    A child of ours, which has all settings that are no secrets as variables, keeps silent.
    """
    if all(each.secret or each.variable in env for each in known.values()):
        return
    variables = [CONFIG, SECRETS_DIR, *(each.variable for each in known.values())]
    for name, text in env.items():
        ours = name.startswith(PREFIX) and not name.startswith(TESTS)
        named = name in variables or name.removesuffix("_FILE") in variables[2:]
        if ours and not named and not _of_a_service(name, text):
            _warn(f"{name} is not a setting{_like(name, variables)}")
    for name in _names(Path(env[SECRETS_DIR])) if env.get(SECRETS_DIR) else ():
        if _setting_of(name) not in known:
            _warn(f"{SECRETS_DIR} contains {name}, which is not a setting{_like(name, known)}")


def _of_config(path: Path, known: Mapping[str, Known]) -> Iterator[tuple[str, FoundSetting]]:
    import tomllib

    named = f"The file {path}, named by {CONFIG},"
    try:
        table = tomllib.loads(text_of(path, named))
    except (ValueError, RecursionError) as error:
        line = re.search(r"at (line \d+)", str(error))  # the rest may quote a secret
        raise BadOption(f"{named} is not TOML: {line[1] if line else 'its end'}.") from None
    for name, value in table.items():
        if name not in known:
            raise BadOption(f"{named} has an unknown setting {name!r}{_like(name, known)}.")
        yield name, FoundSetting(value=typed(known[name], value, named), by=CONFIG)


def _of_folder(folder: Path, known: Mapping[str, Known]) -> Iterator[tuple[str, FoundSetting]]:
    seen: set[str] = set()
    for file in _names(folder):
        name = _setting_of(file)
        if name in known:
            if name in seen:
                raise BadOption(f"The folder named by {SECRETS_DIR} contains {name} twice.")
            seen.add(name)
            told = f"The file {file} in the folder named by {SECRETS_DIR}"
            yield (
                name,
                FoundSetting(value=of_file(known[name], folder / file, told), by=SECRETS_DIR),
            )


def _of_variables(
    env: Mapping[str, str], known: Mapping[str, Known]
) -> Iterator[tuple[str, FoundSetting]]:
    for name, each in known.items():
        variable, file = each.variable, f"{each.variable}_FILE"
        text = env.get(variable)
        if text is not None and _of_a_service(variable, text):
            text = None
        if file in env:
            if text is not None:
                raise BadOption(f"Set {variable} or {file}, not both.")
            told = f"The file that {file} names"  # which may be the secret itself, by mistake
            yield name, FoundSetting(value=of_file(each, Path(env[file]), told), by=file)
        elif text is not None:
            shown = "" if each.secret or each.shape else f", not {text!r}"
            complaint = f"{variable} must be {each.wanted}{shown}"
            yield name, FoundSetting(value=parsed(each, text, complaint), by=variable)


def _names(folder: Path) -> list[str]:
    """The files of a folder of secrets; what begins with a dot is how Kubernetes mounts it."""
    try:
        return sorted(
            each.name
            for each in folder.iterdir()
            if each.is_file() and not each.name.startswith(".")
        )
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise BadOption(
            f"The folder named by {SECRETS_DIR} cannot be read: {reason}."
        ) from None


def _setting_of(file: str) -> str:
    return file.removeprefix(PREFIX).lower() if file.startswith(PREFIX) else file


def _of_a_service(name: str, text: str) -> bool:
    """Whether a variable is Kubernetes's word on a service, and none of ours."""
    link = name.endswith("_PORT") and _SERVICE_URL.match(text)
    return bool(link or _SERVICE.search(name))


def _like(name: str, known: Iterable[str]) -> str:
    """A closing phrase that names the nearest one, by what comes behind the prefix."""
    names = {each.removeprefix(PREFIX): each for each in known}
    close = difflib.get_close_matches(name.removeprefix(PREFIX), names, n=1)
    return f"; did you mean {names[close[0]]}?" if close else ""


@functools.cache
def _warn(text: str) -> None:
    log.warning("%s", text)
