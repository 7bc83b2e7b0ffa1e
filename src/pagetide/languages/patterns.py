"""Patterns of many words, which look at each letter once."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def any_of(words: Iterable[str], written: Callable[[str], str] = str) -> str:
    """A regular expression that matches any of some words, of two the longer.

    Args:
        words: Of letters and figures, if `written` says nothing else of other characters.
        written: The pattern of one character.
    """
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:1], []).append(word[1:])
    is_end = bool(rests.pop("", ()))
    branches = [written(first) + any_of(rest, written) for first, rest in rests.items()]
    if len(branches) == 1 and not is_end:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' * is_end}" if branches else ""
