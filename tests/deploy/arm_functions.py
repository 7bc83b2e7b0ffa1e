"""The functions of Azure's templates that need to know nothing of the template."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any
from urllib.parse import quote

from tests.deploy.arm_expressions import BadTemplate, Function

SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000000"
GROUP = f"{SUBSCRIPTION}/resourceGroups/pagetide"
LOCATION = "northeurope"


def _format(text: str, *values: Any) -> str:
    return text.format(*(_string(each) for each in values))


def _string(value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    if not isinstance(value, str | int | float):
        raise BadTemplate(f"{value!r} is no text")
    return str(value)


def _concat(*values: Any) -> Any:
    if all(isinstance(each, list) for each in values):
        return [part for each in values for part in each]
    return "".join(_string(each) for each in values)


def _object(*pairs: Any) -> dict[str, Any]:
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


def _unique(*values: str) -> str:
    digest = hashlib.sha256("|".join(values).encode()).digest()
    return "".join("abcdefghijklmnopqrstuvwxyz234567"[byte % 32] for byte in digest[:13])


def _all(*values: bool) -> bool:
    return all(values)


PLAIN: dict[str, Function] = {
    "and": _all,
    "or": lambda *values: any(values),
    "not": lambda value: not value,
    "equals": lambda one, other: type(one) is type(other) and one == other,
    "empty": lambda value: len(value) == 0,
    "length": lambda value: len(value),
    "concat": _concat,
    "format": _format,
    "string": _string,
    "take": lambda value, count: value[:count],
    "createarray": lambda *values: list(values),
    "createobject": _object,
    "null": lambda: None,
    "mul": lambda one, other: one * other,
    "div": lambda one, other: one // other,
    "mod": lambda one, other: one % other,
    "uricomponent": lambda text: quote(text, safe=""),
    "guid": lambda *values: str(uuid.uuid5(uuid.NAMESPACE_URL, "|".join(values))),
    "uniquestring": _unique,
    "resourcegroup": lambda: {"id": GROUP, "location": LOCATION},
    "subscriptionresourceid": lambda kind, name: f"{SUBSCRIPTION}/providers/{kind}/{name}",
}
