"""Setups and prices that come with the program, from the tables beside this module."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

from pagetide.errors import BadOption, nearest
from pagetide.server.scaling.control_loop import Policy
from pagetide.server.scaling.policies import POLICIES, parse_policy, policy_text
from pagetide.server.scaling.simulate.measures import Price
from pagetide.server.scaling.simulate.plain import Fixed, PerCall
from pagetide.server.scaling.simulate.workers.machine import Machine

PLAIN: Mapping[str, type[Fixed] | type[PerCall]] = {"fixed": Fixed, "per-call": PerCall}


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A deployment that somebody described.

    Attributes:
        about: What it is.
        policy: What scales it, as `parse` takes it.
        machine: What a worker is there.
        price: The name of its price.
        source: Where its times are from.
        assumed: Which of them nobody measured.
    """

    name: str
    about: str
    policy: str
    machine: Machine
    price: str
    source: str
    assumed: str


def setup(name: str) -> Setup:
    """A setup by its name.

    Raises:
        BadOption: There is none of this name.
    """
    if name not in setups():
        raise BadOption(f"There is no setup {name!r}; {nearest(name, setups())}")
    return setups()[name]


def price(name: str) -> Price:
    """A price by its name; it has no `usd_an_hour` where none is known.

    Raises:
        BadOption: There is none of this name.
    """
    if name not in prices():
        raise BadOption(f"There is no price {name!r}; {nearest(name, prices())}")
    return prices()[name]


@cache
def setups() -> Mapping[str, Setup]:
    """All setups, by name."""
    return {
        name: Setup(
            name=name,
            about=entry["about"],
            policy=entry["policy"],
            machine=Machine(**entry["machine"]),
            price=entry["price"],
            source=entry["from"],
            assumed=entry.get("assumed", ""),
        )
        for name, entry in _table("setups.toml").items()
    }


@cache
def prices() -> Mapping[str, Price]:
    """All prices, by name."""
    return {
        name: Price(
            usd_an_hour=entry.get("usd_an_hour"),
            usd_a_million_tasks=entry.get("usd_a_million_tasks", 0.0),
            only_busy=entry.get("only_busy", False),
            name=name,
            source=f"{entry['source']}; read {entry['read']}",
        )
        for name, entry in _table("prices.toml").items()
    }


def parse(text: str) -> Policy:
    """A policy as `scaling.policies` has them, or `fixed:replicas=N`, `per-call:most=N`.

    Raises:
        BadOption: There is no such name or option, or a value is wrong.
    """
    name, _, rest = text.partition(":")
    kind = PLAIN.get(name)
    if kind is None:
        if name not in POLICIES:
            known = (*POLICIES, *PLAIN)
            raise BadOption(f"There is no policy {name!r}; {nearest(name, known)}")
        return parse_policy(text)
    kinds: dict[str, Any] = {each.name: type(each.default) for each in fields(kind)}
    given: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        option, _, value = part.partition("=")
        if kinds.get(option) not in (int, float):
            raise BadOption(f"The policy {name} has no option {option!r}.")
        try:
            given[option] = kinds[option](value)
        except ValueError:
            raise BadOption(f"The option {option} must be a number, not {value!r}.") from None
    policy: Policy = kind(**given)
    return policy


def text_of(policy: Policy) -> str:
    """What `parse` makes this policy of."""
    for name, kind in PLAIN.items():
        if isinstance(policy, kind):
            options = [
                f"{each.name}={getattr(policy, each.name):g}"
                for each in fields(kind)
                if getattr(policy, each.name) != each.default
            ]
            return f"{name}:{','.join(options)}" if options else name
    return policy_text(policy)


def _table(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
