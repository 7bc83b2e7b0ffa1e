"""The dependencies between packages do not grow."""

from __future__ import annotations

from tests.docs.dependencies import package_of, pairs, report

# Lower it when pairs go. The last to come: what a person corrects stands on a page (3), codes
# (1); extraction asks a model server as engines do, points at values, the API offers it (3).
MOST = 253


def test_a_module_counts_to_its_package() -> None:
    assert package_of("pagetide") == "pagetide"
    assert package_of("pagetide.errors") == "errors"
    assert package_of("pagetide.exports.text.html") == "exports"
    assert package_of("pagetide.server.jobs.job") == "server.jobs"
    assert package_of("pagetide.server.app") == "server.app"


def test_there_are_no_more_than_there_were() -> None:
    found = pairs()
    assert len(found) <= MOST, report(found)
