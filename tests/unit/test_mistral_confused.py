"""Whatever type a value in a request's document has, its sender is told what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from pagetide.api.facades.mistral.asked import place_of
from pagetide.errors import BadOption

VALUES: list[Any] = [["a"], {"a": 1}, 1, True, 1.5, [], {}]


@pytest.mark.parametrize("value", [*VALUES, "nothing"], ids=repr)
def test_a_type_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(BadOption):
        place_of({"type": value, "document_url": "https://a.example/b.pdf"})


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("name", ["document_url", "image_url", "file_id"])
def test_a_place_that_is_no_text_is_refused(name: str, value: Any) -> None:
    with pytest.raises(BadOption):
        place_of({"type": {"file_id": "file"}.get(name, name), name: value})
