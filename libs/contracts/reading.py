"""Bytes that anybody may have written: whatever is wrong with them is one kind of error, which readers expect."""

from typing import Protocol, TypeVar

import msgspec

ReadT = TypeVar("ReadT", covariant=True)


class Decoder(Protocol[ReadT]):
    """Of msgspec, JSON or MessagePack."""

    def decode(self, buf: bytes | memoryview, /) -> ReadT: ...


def read(decoder: Decoder[ReadT], data: bytes | memoryview) -> ReadT:
    """Raises msgspec.ValidationError or DecodeError, and nothing else: msgspec itself has errors of Python's own for a
    text that is no UTF-8 and for what is nested too deep."""
    try:
        return decoder.decode(data)
    except (UnicodeDecodeError, RecursionError) as wrong:
        raise msgspec.DecodeError(type(wrong).__name__) from None
