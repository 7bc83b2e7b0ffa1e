"""Models by name and option, and what is said where one cannot be had."""

from pathlib import Path

import pytest

from pagetide import errors
from pagetide.engines.structure_lite import LiteOptions
from pagetide.models import MODELS, Models, canonical, entry_of
from pagetide.settings import Settings


def test_the_same_options_give_the_same_name() -> None:
    one = canonical("m", {"b": True, "a": 2})
    assert one == canonical("m", {"a": 2, "b": True}) == "m?a=2&b=true"
    assert canonical("m?b=true", {"a": 2}) == one
    assert canonical("m", {}) == "m"


def test_an_option_given_twice_is_an_error() -> None:
    with pytest.raises(errors.BadOption, match="'a' is given twice"):
        canonical("m?a=1", {"a": 2})


def test_options_with_signs_of_their_own_survive() -> None:
    name = canonical("m", {"text": "a=b&c d?é"})
    assert name.count("&") == 0 and canonical(name, {}) == name


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(errors.UnknownModel, match="structure-lite"):
        entry_of("structure-lit")


@pytest.mark.parametrize("name", ["pp-ocrv6", "text-layer", "auto"])
def test_a_model_without_such_an_option_says_so(name: str) -> None:
    with pytest.raises(errors.BadOption, match=r"option|parameter"):
        Models(Settings()).pool(f"{name}?x=1")


def test_models_for_tests_are_hidden_from_a_server() -> None:
    with pytest.raises(errors.UnknownModel):
        Models(Settings()).pool("fake")
    assert Models(Settings(test_models=True)).pool("fake") == "cpu"


def test_auto_is_refused_where_its_precise_model_cannot_be_had() -> None:
    with pytest.raises(errors.UnknownModel):
        Models(Settings(precise_model="no-such-model")).pool("auto")


def test_what_auto_stands_for_changes_its_version() -> None:
    plain = Models(Settings()).version("auto")
    assert Models(Settings(precise_model="pp-ocrv6")).version("auto") != plain


def test_every_model_says_what_it_is_for() -> None:
    assert all(entry.summary for entry in MODELS.values())


def test_parts_of_structure_lite_are_named_by_its_options() -> None:
    options = LiteOptions.parse("layout=PP-DocLayoutV3&tables=SLANet_plus&size=medium")
    assert (options.layout, options.tables) == ("PP-DocLayoutV3", "SLANet_plus")
    assert options.lines == "size=medium"


@pytest.mark.parametrize("options", ["layuot=x", "layout="])
def test_a_wrong_option_of_structure_lite_is_named(options: str) -> None:
    with pytest.raises(errors.BadOption, match="layout"):
        Models(Settings()).pool(f"structure-lite?{options}")


def test_a_network_that_is_not_here_is_refused_with_what_to_run(tmp_path: Path) -> None:
    settings = Settings(models_dir=str(tmp_path))
    with pytest.raises(errors.ModelUnavailable, match="pagetide models pull PP-DocLayoutV3"):
        Models(settings).pool("structure-lite?layout=PP-DocLayoutV3")
