"""The reading of Azure's templates: what Azure's documentation says that they mean."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.arm import rendered
from tests.deploy.arm_expressions import BadTemplate
from tests.deploy.arm_functions import GROUP


def output(expression: str, **more: Any) -> Any:
    """What an output with this expression comes to."""
    template: dict[str, Any] = {
        "parameters": {"name": {"type": "string", "defaultValue": "tide"}},
        "variables": {"list": [1, 2, 3], "deep": {"x": [{"y": "z"}]}},
        "resources": [],
        "outputs": {"it": {"type": "string", "value": expression}},
    } | more
    return rendered(template, {}).outputs["it"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("plain", "plain"),
        ("[[no expression]", "[[no expression]"),
        ("[parameters('name')]", "tide"),
        ("[concat('a', 'it''s', 3)]", "ait's3"),
        ("[concat(variables('list'), createArray(4))]", [1, 2, 3, 4]),
        ("[format('{1}-{0}', 'a', 5)]", "5-a"),
        ("[variables('deep').x[0].y]", "z"),
        ("[variables('deep')['x'][0]['y']]", "z"),
        ("[if(equals(length(variables('list')), 3), 'yes', variables('none'))]", "yes"),
        ("[equals('3', 3)]", False),
        ("[and(true(), not(empty('')))]", BadTemplate),
        ("[or(not(empty('x')), equals(1, 2))]", True),
        ("[createObject('a', 1, 'b', createArray())]", {"a": 1, "b": []}),
        ("[add(1, 2)]", BadTemplate),
        ("[mod(div(7, 2), mul(1, 2))]", 1),
        ("[take('abcdef', 3)]", "abc"),
        ("[uriComponent('a/b c')]", "a%2Fb%20c"),
        ("[resourceId('A.B/c/d', 'x', 'y')]", f"{GROUP}/providers/A.B/c/x/d/y"),
        ("[resourceId('A.B/c/d', 'x')]", BadTemplate),
        ("[variables('list')[3]]", BadTemplate),
        ("[variables('deep').X]", BadTemplate),
        ("[concat('a'] x", "[concat('a'] x"),
        ("[concat('a']", BadTemplate),
        ("[concat('a' 'b')]", BadTemplate),
        ("[format('{2}', 'a')]", BadTemplate),
        ("[copyIndex()]", BadTemplate),
    ],
)
def test_expressions(expression: str, expected: Any) -> None:
    if expected is BadTemplate:
        with pytest.raises(BadTemplate):
            output(expression)
    else:
        assert output(expression) == expected


def resource(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "A.B/c", "name": name, "properties": {}} | more


def test_loops_and_conditions() -> None:
    looped = resource(
        "[format('r{0}', copyIndex())]",
        copy={"name": "several", "count": 3},
        condition="[not(equals(copyIndex(), 1))]",
        properties={
            "copy": [{"name": "parts", "count": 2, "input": "[add2(copyIndex(), 0)]"}],
        },
    )
    looped["properties"]["copy"][0]["input"] = (
        "[format('{0}/{1}', copyIndex(), copyIndex('parts'))]"
    )
    after = resource("last", dependsOn=["several", f"{GROUP}/providers/A.B/c/r1"])
    template = {"parameters": {}, "resources": [looped, after]}
    first, third, last = rendered(template, {}).resources
    assert [each.properties.get("parts") for each in (first, third)] == [
        ["0/0", "0/1"],
        ["2/0", "2/1"],
    ]
    # What is left out need not be waited for.
    assert last.after == {first.id, third.id}


def test_a_variable_may_be_a_loop() -> None:
    loop = {"name": "all", "count": 2, "input": "[format('n{0}', copyIndex('all'))]"}
    assert output("[variables('all')]", variables={"copy": [loop]}) == ["n0", "n1"]


def test_the_same_twice_is_refused() -> None:
    with pytest.raises(BadTemplate, match="twice"):
        rendered({"parameters": {}, "resources": [resource("x"), resource("x")]}, {})


def test_what_is_named_is_told_apart_by_resource() -> None:
    one = resource("one", properties={"of": "[resourceId('A.B/c', 'other')]"})
    two = resource("two", dependsOn=["[resourceId('A.B/c', 'one')]"])
    first, second = rendered({"parameters": {}, "resources": [one, two]}, {}).resources
    assert first.uses == {f"{GROUP}/providers/A.B/c/other"}
    assert second.uses == set()
    assert second.after == {first.id}
