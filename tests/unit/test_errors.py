"""The error tree: complete, distinct, and kept to in its docstring."""

import re

import pytest

from pagetide import errors
from pagetide.errors import BadInput, DownloadFailed, PagetideError, nearest


def _tree(root: type[PagetideError]) -> list[type[PagetideError]]:
    return [root, *(kind for child in root.__subclasses__() for kind in _tree(child))]


_REFUSED = {401, 403, 404, 409, 410, 413, 415, 422, 429}
_ALL = [kind for kind in _tree(PagetideError) if kind.__module__ == errors.__name__]


def test_every_error_has_its_own_code() -> None:
    codes = [kind.code for kind in _ALL]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch("[a-z_]+", code) for code in codes)


@pytest.mark.parametrize("kind", _ALL)
def test_every_error_has_a_status_and_an_exit_code(kind: type[PagetideError]) -> None:
    assert kind.http_status in {*_REFUSED, 500, 502, 503, 507}
    wanted = {64, 65, 66, 70, 75, 77} if kind.http_status in _REFUSED else {69, 70, 73, 75}
    assert kind.exit_code in wanted  # of sysexits.h


@pytest.mark.parametrize("kind", _ALL)
def test_an_error_without_a_message_says_what_it_is(kind: type[PagetideError]) -> None:
    assert kind().message == str(kind()) == (kind.__doc__ or "").splitlines()[0]
    assert kind().message.endswith(".")


def test_a_message_is_kept() -> None:
    assert str(BadInput("Page 3 is torn.")) == "Page 3 is torn."


def _drawn() -> dict[str, str]:
    """The docstring's tree: each error's name to its parent's."""
    parents: dict[str, str] = {}
    branch = ["PagetideError"]
    for row in (errors.__doc__ or "").splitlines():
        found = re.match(r"    ([│ ]*)[├└]── (\w+)", row)
        if found:
            depth = len(found[1]) // 4
            branch[depth + 1 :] = [found[2]]
            parents[found[2]] = branch[depth]
    return parents


def test_the_docstring_names_every_error() -> None:
    assert {*_drawn(), "PagetideError"} == {kind.__name__ for kind in _ALL}


def test_the_docstring_draws_every_error_under_one_of_its_ancestors() -> None:
    kinds = {kind.__name__: kind for kind in _ALL}
    assert all(issubclass(kinds[child], kinds[parent]) for child, parent in _drawn().items())


def test_only_what_may_pass_by_itself_is_worth_another_try() -> None:
    hopeful = {kind for kind in _ALL if issubclass(kind, BadInput) and kind.retryable}
    assert hopeful == {DownloadFailed}  # the other server may be back


def test_a_misspelt_name_gets_the_nearest_ones() -> None:
    assert nearest("englsh", ["english", "german"]) == "did you mean english?"
    assert nearest("zzz", ["b", "a"]) == "known: a, b"
