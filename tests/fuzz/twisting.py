"""Wrong values, and the ways in which a request becomes wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.fuzz.asked import BOUNDARY, DEEP, JSON, Asked, Part, Twin

Place = tuple[Any, Any]  # what holds a value, and the key or index that it has there
Twist = Callable[[Random, Asked], bool]  # False where it does not apply
LONG = 70_000  # longer than what the server keeps in memory of one text


_NUMBERS = (0, -1, 1, 2, 1.5, 2**31, 2**63, -(2**64), 10**30, 10**400, 1e308, -0.0)
_ODD_NUMBERS = (float("nan"), float("inf"), float("-inf"))
_TEXTS = (
    *("", " ", "\0", "a\0b", "\ud800", "\udfff\ud800", "\u202e", "\ufeff", "👩‍👩‍👧", "é" * 300),
    *("../../etc/passwd", "..", "/", "%00", "%", "{0}", "%s%n", "a\r\nb: c", "'\"<>&;"),
    *(
        "²",
        "１２",
        "1e999",
        "NaN",
        "-1",
        "0",
        "00",
        "1_0",
        "+1",
        "0x10",
        "99999999999999999999",
    ),
    *("1-", "-", "-1-", "1-99999999999", ",", ",,", "1,,2", "3-1", "1-1-1", "*", "1" * 5000),
    *("null", "true", "[]", "{}", '{"a":', "[" * 3000, "fake", "fake?", "fake?x", "a?b=c&b=d"),
    *("data:", "data:;base64,", "data:application/pdf;base64,AAA", "data:,x", "====", "QQ"),
    *("http://", "http://[", "http://[::1", "http://127.0.0.1:99999/", "http://127.0.0.1:1/x"),
    *(
        "file:///etc/passwd",
        "http://a@127.0.0.1:1",
        "//127.0.0.1:1",
        "ftp://127.0.0.1/",
        "http:",
    ),
    *("http://127.0.0.1:1/\0", "http://127.0.0.1:1/%zz", "http://127.0.0.1:١/", "http://..:1/"),
    *("a" * 1001, "a" * LONG, "\0" * LONG, "A" * (LONG + 1)),
)
_TREES = (
    *([], [[]], [None], [1, "a", None, {}], [["a"]], {}, {"": None}, {"a": {"b": [1]}}),
    *(
        ["a"] * 1000,
        {str(i): i for i in range(300)},
        {"type": ["a"]},
        {"type": {}},
        {"\0": "\0"},
    ),
    *DEEP,
)
VALUES = (None, True, False, *_NUMBERS, *_ODD_NUMBERS, *_TEXTS, *_TREES)
_TYPES = (
    *(JSON, f"multipart/form-data; boundary={BOUNDARY}", "multipart/form-data", "text/plain"),
    *(
        "multipart/form-data; boundary=",
        'multipart/form-data; boundary="',
        "",
        ";",
        "é/é",
        "*/*",
    ),
    *(
        "application/json; charset=utf-16",
        "application/x-www-form-urlencoded",
        "application/pdf",
    ),
    *(f"multipart/form-data; boundary={'a' * 5000}", "multipart/form-data; boundary=\xff\xfe"),
    *(
        "application/x-amz-json-1.1",
        "APPLICATION/JSON",
        "multipart/form-data; boundary*=x''%ff",
    ),
)
_HEADERS = (
    *("range", "if-none-match", "if-range", "if-modified-since", "accept", "accept-encoding"),
    *("content-length", "transfer-encoding", "content-encoding", "expect", "authorization"),
    *("idempotency-key", "traceparent", "x-amz-target", "amz-sdk-invocation-id", "x-api-key"),
    *("ocp-apim-subscription-key", "host", "x-forwarded-host", "x-forwarded-proto", "origin"),
    *("last-event-id", "accept-language", "cookie", "content-disposition", "forwarded"),
)
_HEADER_VALUES = (
    *(
        "",
        " ",
        "\xff\xfe",
        "é" * 200,
        "a" * 9000,
        "bytes=0-",
        "bytes=5-1",
        "bytes=-0",
        "bytes=²-",
    ),
    *("bytes=0-0,1-1", f"bytes={'9' * 5000}-", "W/", '"', '""', "*", "identity;q=nan", "gzip"),
    *(
        "-1",
        "²",
        "1" * 30,
        "0",
        "chunked",
        "Bearer",
        "Bearer ",
        "Bearer pt_",
        "Basic Og==",
        "a b",
    ),
    *(
        "Bearer pt_aaaaaaaa_" + "b" * 43,
        "Textract.",
        "Textract.Nothing",
        "text/html;q=",
        "[",
        "::",
    ),
    *(
        "AWS4-HMAC-SHA256 Credential=",
        "AWS4-HMAC-SHA256 Credential=/////",
        "127.0.0.1:²",
        "a,b",
    ),
    *(
        "00-" + "0" * 32 + "-" + "1" * 16 + "-01",
        "Wed, 99 Foo 9999 99:99:99 GMT",
        "\t",
        "100-continue",
    ),
)


def twisted(random: Random, asked: Asked) -> Asked:
    """A request that is wrong in one way, or in a few."""
    found = copy.deepcopy(asked)
    left = random.choice((1, 1, 1, 2, 3))
    while left:
        left -= random.choice(TWISTS)(random, found)
    return found


def _value(random: Random, old: Any) -> Any:
    """A value in the place of another: one of any type, or one that is nearly right."""
    if random.random() < 0.65:
        return copy.deepcopy(random.choice(VALUES))
    if isinstance(old, str):
        # Behind the last slash: a URL keeps its host, for another may be somebody's.
        at = random.randint(max(old.rfind("/"), 0), len(old))
        return (
            old[:at]
            + random.choice(("\0", "\ud800", "é", " ", "'", "%", "\n", ""))
            + old[at + 1 :]
        )
    if isinstance(old, bool) or old is None:
        return random.choice(("true", "yes", 1, [old]))
    if isinstance(old, int | float):
        return random.choice((str(old), -old, old * 10**30, 0.5, [old], {"a": old}))
    if isinstance(old, list):
        return random.choice((old * 200, old[0] if old else 1, [old], {"0": old}, old[::-1]))
    return [old] if random.random() < 0.5 else {"a": old}


def _node(random: Random, asked: Asked) -> bool:
    """A value of the body's JSON is another."""
    if not _is_json(asked):
        return False
    holder, key = random.choice(list(_nodes(vars(asked), "json")))
    holder[key] = _value(random, holder[key])
    return True


def _without(random: Random, asked: Asked) -> bool:
    """A key of the body's JSON is missing, has another name, or is there twice."""
    found = [
        (h, k)
        for h, k in _nodes(vars(asked), "json")
        if isinstance(h, dict) and h is not vars(asked)
    ]
    if not _is_json(asked) or not found:
        return False
    holder, key = random.choice(found)
    match random.randrange(3):
        case 0:
            del holder[key]
        case 1:
            holder[random.choice(("", "\0", "\ud800", f"{key}x", key.upper(), "__class__"))] = (
                holder.pop(key)
            )
        case 2:
            holder[Twin(key)] = _value(random, holder[key])
    return True


def _torn(random: Random, asked: Asked) -> bool:
    """The body is cut, or has bytes in it that nobody wanted."""
    body = asked.body()
    if not body:
        return False
    at = random.randrange(len(body) + 1)
    more = random.choice(
        (b"", b"\xff", b"\0", b'"', b"\\", b"}", b"\\u", b"\r\n--", b"\xed\xa0\x80")
    )
    asked.raw = body[:at] if random.random() < 0.4 else body[:at] + more + body[at:]
    return True


def _other_body(random: Random, asked: Asked) -> bool:
    """The body is of another kind."""
    if asked.method not in ("POST", "PUT", "DELETE"):
        return False
    asked.form, asked.raw, asked.json = None, None, copy.deepcopy(random.choice(VALUES))
    if random.random() < 0.3:
        asked.form = [
            Part(str(name), _value(random, "")) for name in ("file", "files", "", "name")
        ]
    if random.random() < 0.2:
        asked.raw = random.randbytes(random.choice((0, 1, 50, 5000)))
    return True


def _field(random: Random, asked: Asked) -> bool:
    """A field of the form has another value, name or number."""
    if not asked.form:
        return False
    at = random.randrange(len(asked.form))
    part = asked.form[at]
    match random.randrange(5):
        case 0:
            del asked.form[at]
        case 1:
            asked.form.append(Part(part.name, _value(random, part.value), part.file_name))
        case 2:
            part.name = random.choice(
                ("", "\0", "\ud800", '"', "é", f"{part.name}x", "a" * 5000)
            )
        case 3:
            part.file_name = random.choice(
                ("", "\0", "\ud800", "../a", "a" * 5000, None, "é\u202e.pdf")
            )
        case 4:
            part.value = _value(random, part.value)
    return True


def _field_node(random: Random, asked: Asked) -> bool:
    """A value within the JSON of a form's field is another."""
    found = [part for part in asked.form or () if isinstance(part.value, dict | list)]
    if not found:
        return False
    holder, key = random.choice(list(_nodes(vars(random.choice(found)), "value")))
    holder[key] = _value(random, holder[key])
    return True


def _in_query(random: Random, asked: Asked) -> bool:
    """A parameter of the query has another value, is missing, unknown, or there twice."""
    if not asked.query or random.random() < 0.15:
        asked.query.append(
            (random.choice(("", "x", "\0", "wait", "\ud800")), _value(random, ""))
        )
        return True
    at = random.randrange(len(asked.query))
    name, value = asked.query[at]
    match random.randrange(5):
        case 0:
            del asked.query[at]
        case 1:
            asked.query.append((name, _value(random, value)))
        case _:
            asked.query[at] = (name, _short(_value(random, value)))
    return True


def _in_path(random: Random, asked: Asked) -> bool:
    """A parameter of the path is another."""
    if not asked.places:
        return False
    name = random.choice(list(asked.places))
    asked.places[name] = _short(_value(random, asked.places[name]))
    return True


def _in_headers(random: Random, asked: Asked) -> bool:
    """A header has another value, is missing, or there besides."""
    if asked.headers and random.random() < 0.4:
        at = random.randrange(len(asked.headers))
        name, _ = asked.headers[at]
        asked.headers[at] = (name, random.choice(_HEADER_VALUES))
        if random.random() < 0.3:
            del asked.headers[at]
        return True
    asked.headers.append((random.choice(_HEADERS), random.choice(_HEADER_VALUES)))
    return True


def _content_type(random: Random, asked: Asked) -> bool:
    """The body is said to be of another type."""
    asked.headers = [pair for pair in asked.headers if pair[0] != "content-type"]
    asked.headers.append(("content-type", random.choice(_TYPES)))
    return True


TWISTS: tuple[Twist, ...] = (
    *(_node, _node, _node, _node, _without, _without, _torn, _other_body, _field, _field),
    *(_field_node, _field_node, _in_query, _in_query, _in_path, _in_headers, _content_type),
)


def _is_json(asked: Asked) -> bool:
    return asked.json is not None and asked.raw is None and asked.form is None


def _nodes(holder: Any, key: Any) -> Iterator[Place]:
    """A value and all that it holds, by where each stands."""
    yield holder, key
    value = holder[key]
    inside: Any = range(len(value)) if isinstance(value, list) else ()
    for each in list(value) if isinstance(value, dict) else inside:
        yield from _nodes(value, each)


def _short(value: Any) -> Any:
    """A value that fits into a request's first line."""
    return value[:9000] if isinstance(value, str) else value
