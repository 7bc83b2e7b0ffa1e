"""What a run has written down beside its shards: what was asked, the lists, what is done.

    _pagetide/asked.json              what was asked for
    _pagetide/lists/000.jsonl         the documents; 001 those that a later run found beside
    _pagetide/done/000-0000017.json   the shard of that name is there
    000-0000017.parquet               the shard

Each is put whole, the shard before its note: whenever it is killed, what was noted is there,
and what was not is done again under the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from pagetide.errors import BadOption, BlobMissing
from pagetide.integrations.batch.plan import Done, Entry, Item, RunOptions, units
from pagetide.server.ports import Place
from pagetide.system.ready_types import ready

_ASKED = "_pagetide/asked.json"
_LISTS = "_pagetide/lists/"
_DONE = "_pagetide/done/"
_READERS = 16


class Ledger:
    """The ledger in a target. All methods raise `StoreFailed` where it cannot be reached."""

    def __init__(self, target: Place) -> None:
        self._target = target

    def begin(self, options: RunOptions) -> None:
        """Write down what is asked for, or see that it is what was asked before.

        Raises:
            BadOption: Something else was.
        """
        try:
            before = msgspec.json.decode(self._target.read(_ASKED), type=ready(RunOptions))
        except BlobMissing:
            self._target.put(_ASKED, msgspec.json.format(msgspec.json.encode(options)))
            return
        names = [field for field in RunOptions.__struct_fields__]
        other = [name for name in names if getattr(before, name) != getattr(options, name)]
        if other:
            name = other[0]
            raise BadOption(
                f"The run in the target has {name.replace('_', ' ')}"
                f" {getattr(before, name)}, not {getattr(options, name)}: use the same"
                " value, or another target."
            )

    def names(self) -> set[str]:
        """The names of all files of the target."""
        return {file.name for file in self._target.files()}

    def plan(self, found: Sequence[Entry], options: RunOptions) -> list[Item]:
        """All units: those of earlier runs, and of documents found for the first time."""
        names = sorted(name for name in self.names() if name.startswith(_LISTS))
        lists = [self._list(name) for name in names]
        before = {entry.document for one in lists for entry in one}
        new = [entry for entry in found if entry.document not in before]
        if new:
            name = f"{_LISTS}{len(lists):03d}.jsonl"
            self._target.put(name, msgspec.json.Encoder().encode_lines(new))
            lists.append(new)
        most = options.documents_per_shard
        return [unit for i, one in enumerate(lists) for unit in units(one, most, i)]

    def done(self) -> dict[str, Done]:
        """What is done, by the items' names."""
        names = sorted(name for name in self.names() if name.startswith(_DONE))
        with ThreadPoolExecutor(_READERS) as readers:  # a bucket takes 20 ms for each
            notes = list(readers.map(self._target.read, names))
        found = (msgspec.json.decode(note, type=ready(Done)) for note in notes)
        return {one.item: one for one in found}

    def note(self, done: Done) -> None:
        """Write down that an item's shard is there."""
        self._target.put(f"{_DONE}{done.item}.json", msgspec.json.encode(done))

    def _list(self, name: str) -> list[Entry]:
        lines = self._target.read(name).splitlines()
        return [msgspec.json.decode(line, type=ready(Entry)) for line in lines if line]


def shard_name(item: str, options: RunOptions) -> str:
    """What the shard of an item is called."""
    return f"{item}.{options.format}"


def staged_name(item: str) -> str:
    """Where the pages of an item wait to be put together as documents."""
    return f"_pagetide/pages/{item}.jsonl"
