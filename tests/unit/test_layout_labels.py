"""The table from upstream labels to kinds."""

from typing import get_args

import pytest

from pagetide.document import BlockKind
from pagetide.engines.layout.cdla import LABELS
from pagetide.layout.labels import FAMILIES, kind_of

# As the configurations of the models list them.
SETS = {
    "paddle": """
        paragraph_title image text number abstract content figure_title formula table
        reference doc_title footnote header algorithm footer seal chart formula_number
        aside_text reference_content
        display_formula inline_formula header_image footer_image vertical_text vision_footnote
        table_title chart_title Region
        """,
    "cdla": " ".join(LABELS),
    "publaynet": "text title list table figure",
    "doclaynet": """
        Caption Footnote Formula List-item Page-footer Page-header Picture Section-header
        Table Text Title
        """,
}


@pytest.mark.parametrize("family", SETS)
def test_every_known_label_has_a_kind(family: str) -> None:
    kinds = {label: kind_of(family, label) for label in SETS[family].split()}
    assert "other" not in kinds.values()
    assert set(kinds.values()) <= set(get_args(BlockKind))


def test_the_same_word_means_what_its_family_means() -> None:
    assert kind_of("publaynet", "title") == "heading"
    assert kind_of("doclaynet", "Title") == "title"
    assert kind_of("paddle", "number") == "page_number"


@pytest.mark.parametrize(
    ("family", "label"), [("doclaynet", "title"), ("cdla", "list"), ("paddle", "")]
)
def test_an_unknown_label_is_other(family: str, label: str) -> None:
    assert kind_of(family, label) == "other"


def test_the_tables_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        FAMILIES["cdla"]["text"] = "title"  # type: ignore[index]
