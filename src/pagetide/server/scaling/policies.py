"""The scalers by name, and how a command line says which one and how it is set."""

from __future__ import annotations

from dataclasses import fields
from math import isfinite
from types import MappingProxyType, NoneType
from typing import Any, get_args, get_type_hints

from pagetide.errors import BadOption, nearest
from pagetide.server.scaling.control_loop import Policy
from pagetide.server.scaling.hpa.behaviour import BEHAVIOURS, Behaviour
from pagetide.server.scaling.hpa.pods import HpaPods
from pagetide.server.scaling.keda.container_apps import ContainerApp
from pagetide.server.scaling.keda.scaled_job import ScaledJob
from pagetide.server.scaling.keda.scaled_object import Fallback, ScaledObject
from pagetide.server.scaling.one_box import OneBox
from pagetide.server.scaling.sagemaker.loop import SageMakerAsync

__all__ = [
    "POLICIES",
    "ContainerApp",
    "Fallback",
    "HpaPods",
    "OneBox",
    "Policy",
    "SageMakerAsync",
    "ScaledJob",
    "ScaledObject",
    "parse_policy",
    "policy_text",
]

POLICIES: MappingProxyType[str, type[Any]] = MappingProxyType(
    {
        "one-box": OneBox,
        "keda": ScaledObject,
        "keda-job": ScaledJob,
        "hpa": HpaPods,
        "container-apps": ContainerApp,
        "sagemaker": SageMakerAsync,
    }
)

_SWITCH = {"yes": True, "true": True, "no": False, "false": False}


def parse_policy(text: str) -> Policy:
    """The policy that `NAME:option=value,…` says; NAME alone takes every default.

    Options are named as the policy's fields. A behaviour is one of `BEHAVIOURS`, a fallback is
    `FAILURES/REPLICAS/BEHAVIOUR`, and what need not be there can be `none`.

    Raises:
        BadOption: There is no such name or option, or a value is wrong; says what is known.
    """
    name, _, rest = text.partition(":")
    if name not in POLICIES:
        raise BadOption(f"There is no policy {name!r}: {nearest(name, POLICIES)}")
    hints = _hints(POLICIES[name])
    given: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        option, _, value = part.partition("=")
        if option not in hints:
            raise BadOption(
                f"The policy {name} has no option {option!r}: {nearest(option, hints)}"
            )
        if option in given:
            raise BadOption(f"The option {option} is given twice.")
        given[option] = _parsed(option, value, hints[option])
    policy: Policy = POLICIES[name](**given)
    return policy


def policy_text(policy: Policy) -> str:
    """The text from which `parse_policy` makes this policy, without default options.

    Raises:
        BadOption: The policy has no name, or its behaviour has none.
    """
    name = next((name for name, kind in POLICIES.items() if type(policy) is kind), None)
    if name is None:
        raise BadOption(f"A policy of the kind {type(policy).__name__} has no name.")
    usual = POLICIES[name]()
    options = [
        f"{option}={_written(getattr(policy, option))}"
        for option in _hints(type(policy))
        if getattr(policy, option) != getattr(usual, option)
    ]
    return f"{name}:{','.join(options)}" if options else name


def _hints(kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _parsed(option: str, value: str, hint: Any) -> Any:
    """A value of the type that an option has."""
    may_be = get_args(hint)
    if NoneType in may_be:
        if value == "none":
            return None
        hint = next(kind for kind in may_be if kind is not NoneType)
    if hint is Fallback:
        return _fallback(value)
    if hint in (int, float):
        return _number(option, value, hint)
    known = _known(hint)
    if value not in known:
        raise BadOption(f"The option {option} cannot be {value!r}: {nearest(value, known)}")
    return known[value]


def _known(hint: Any) -> dict[str, Any]:
    """The words that a value of a type can be, and what each means."""
    if hint is bool:
        return _SWITCH
    if hint is Behaviour:
        return dict(BEHAVIOURS)
    return {word: word for word in get_args(hint)}


def _number(option: str, value: str, kind: type[int] | type[float]) -> float:
    try:
        number = kind(value)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        whole = "a whole number" if kind is int else "a number"
        raise BadOption(f"The option {option} must be {whole}, not {value!r}.")
    return number


def _fallback(value: str) -> Fallback:
    form = "FAILURES/REPLICAS/BEHAVIOUR, or none"
    failures, _, rest = value.partition("/")
    replicas, _, behaviour = rest.partition("/")
    if not failures.isdecimal() or not replicas.isdecimal():
        raise BadOption(f"The option fallback must be {form}, not {value!r}.")
    return Fallback(
        failures=int(failures),
        replicas=int(replicas),
        behaviour=_parsed("fallback", behaviour, get_type_hints(Fallback)["behaviour"]),
    )


def _written(value: object) -> str:
    """The text from which `_parsed` makes this value."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case Fallback():
            return f"{value.failures}/{value.replicas}/{value.behaviour}"
        case Behaviour():
            for name, known in BEHAVIOURS.items():
                if known == value:
                    return name
            raise BadOption("This behaviour has no name.")
        case _:
            return str(value)
