"""Texts that break readers, and every place of a command or wish where a text may stand."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

HOSTILE = (
    "a\x00b", "\x00", "a\x01", "a\x07b", "a\x08b", "a\tb", "a\nb", "a\n", "a\r\nb", "a\x0bb", "a\x1bb", "a\x1f",
    "a\x7f", "a\x80b", "a\x85b", "a\x9fb", "a\xa0b", "a\xadb", "\u061ca", "a\u200bb", "a\u200eb", "a\u200fb",
    "a\u2028b", "a\u2029b", "a\u202ab", "a\u202eb", "a\u2060b", "a\u2066b", "a\u2069b", "\ufeffa", "a\ufff9b",
    "a\ufffeb", "a\uffffb", "a\ud800b", "a\udfffb", "a\ue000b", "a\u0378b", "a\U000e0041b", "a\U0001ffffb",
    "a\U0010ffffb", " a", "a ", "\u3000a", "e\u0301", "\u1112\u1161\u11ab", "\u212b", "a" * 5_000,
)  # fmt: skip
"""Controls, line ends, bidi and invisible ones, surrogates, private, unassigned, spaces, not NFC, endless."""

NO_TEXT = (
    b"a\xc0\x80b", b"\xc1\xa1", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xed\xa0\x80", b"\xff\xfe",
    b"\xf5\x80\x80\x80", b"a\xe2\x28", b"\x80", b"a\x00b",
)  # fmt: skip
"""Bytes in place of a text: overlong forms, halves and what else is no UTF-8, and a bare NUL."""
DEEP = (b"[" * 50_000, b"[" * 50_000 + b"]" * 50_000, b'{"a":' * 30_000 + b"1" + b"}" * 30_000)
"""JSON in place of a value, deeper than anybody can read."""

Place = tuple[str | int, ...]


def spoilt(kind: type[msgspec.Struct], text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The example of a command or wish with the text in one of its places, and the field that it stands in."""
    for field in inspect.type_info(kind).fields:  # type: ignore[attr-defined]
        for value in _with(field.type, text):
            yield field.encode_name, {**kind.example, field.encode_name: value}  # type: ignore[attr-defined]


def _with(kind: Any, text: str) -> Iterator[Any]:
    match kind:
        case inspect.Metadata():
            yield from _with(kind.type, text)
        case inspect.UnionType():
            for each in kind.types:
                yield from _with(each, text)
        case inspect.StrType():
            yield text
        case inspect.ListType() | inspect.VarTupleType():
            yield from ([each] for each in _with(kind.item_type, text))
        case inspect.DictType():
            yield from ({each: 1} for each in _with(kind.key_type, text))
            yield from ({"name": each} for each in _with(kind.value_type, text))
        case inspect.StructType():
            for field in kind.fields:
                yield from ({field.encode_name: each} for each in _with(field.type, text))


def texts_of(kind: Any) -> Iterator[inspect.StrType]:
    """Every text of a type, to look at its limits."""
    match kind:
        case inspect.StrType():
            yield kind
        case inspect.Metadata():
            yield from texts_of(kind.type)
        case inspect.UnionType():
            for each in kind.types:
                yield from texts_of(each)
        case inspect.ListType() | inspect.VarTupleType():
            yield from texts_of(kind.item_type)
        case inspect.DictType():
            yield from (*texts_of(kind.key_type), *texts_of(kind.value_type))
        case inspect.StructType():
            for field in kind.fields:
                yield from texts_of(field.type)
