"""What a client of Textract asks for: known members, each honoured or refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import cast

from pagetide.errors import BadOption
from pagetide.server.api.problems import unknown_names

FEATURES = ("FORMS", "LAYOUT", "TABLES")
_NEVER = ("QUERIES", "SIGNATURES")

Members = Mapping[str, object]


def members(
    value: object, name: str, known: Collection[str], never: Collection[str] = ()
) -> Members:
    """The members of an object that are not null.

    Args:
        value: As the client sent it.
        name: What it is called, for an error.
        known: Members that it may have.
        never: Members that Textract knows, and this service has nothing for.

    Raises:
        BadOption: It is no object, or has another member.
    """
    if not isinstance(value, dict):
        raise BadOption(f"`{name}` must be an object.")
    given = {str(key): one for key, one in value.items() if one is not None}
    for each in sorted(given.keys() & set(never)):
        raise BadOption(f"`{each}` is not to be had here; leave it out.")
    unknown_names(f"member of `{name}`", set(given), set(known))
    return given


def text(given: Members, name: str, pattern: str = r".*\S.*", most: int = 1024) -> str:
    """A member that is text; empty where it is not there.

    Raises:
        BadOption: It is not of this form.
    """
    value = given.get(name)
    if value is None:
        return ""
    if (
        not isinstance(value, str)
        or len(value) > most
        or not re.fullmatch(pattern, value, re.DOTALL)
    ):
        raise BadOption(f"`{name}` is not of the form that it must have.")
    return value


def features(given: Members, more: Collection[str] = ()) -> tuple[str, ...]:
    """What is asked for beside the text, in order of the alphabet.

    Args:
        given: The request's members.
        more: Features that are to be had beside those that always are.

    Raises:
        BadOption: Nothing is, or what this service does not find.
    """
    value = given.get("FeatureTypes")
    if not isinstance(value, list) or not value:
        raise BadOption("`FeatureTypes` must name at least one of FORMS, LAYOUT and TABLES.")
    for name in cast("list[object]", value):
        if name in more:
            continue
        if name in _NEVER:
            raise BadOption(f"The feature {name} is not to be had here; ask for the others.")
        if name not in FEATURES:
            raise BadOption(f"There is no feature {str(name)[:80]!r}.")
    return tuple(sorted({str(name) for name in value}))


def most_blocks(given: Members, most: int) -> int:
    """How many blocks may come at once; more than so many is as many as that.

    Raises:
        BadOption: It is no number from 1.
    """
    value = given.get("MaxResults", most)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadOption("`MaxResults` must be a number from 1.")
    return min(value, most)
