"""The sign ¥, which two currencies use: which of them a document means."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from pagetide.document.field import Bill, Fields, Item, Value

_HAN, _KANA = re.compile("[\u4e00-\u9fff]"), re.compile("[\u3040-\u30ff]|円")


def with_yuan(fields: Fields, texts: Iterable[str]) -> Fields:
    """The fields with yuan for ¥, if the document is in Chinese.

    Args:
        fields: With yen for it.
        texts: The document's lines.
    """
    text = "".join(texts)
    has_yen = "¥" in text or "JPY" in text.upper()
    if not has_yen or not _HAN.search(text) or _KANA.search(text):
        return fields
    pairs = (replace(pair, value=_in_yuan(pair.value)) for pair in fields.pairs)
    return replace(
        fields,
        pairs=tuple(pairs),
        values=tuple(map(_in_yuan, fields.values)),
        bill=fields.bill and _bill(fields.bill),
    )


def _bill(bill: Bill) -> Bill:
    return replace(
        bill,
        fields={name: _in_yuan(value) for name, value in bill.fields.items()},
        items=tuple(map(_item, bill.items)),
    )


def _item(item: Item) -> Item:
    values = {name: getattr(item, name) for name in item.__struct_fields__}
    return Item(**{name: value and _in_yuan(value) for name, value in values.items()})


def _in_yuan(value: Value) -> Value:
    return replace(value, currency="CNY") if value.currency == "JPY" else value
