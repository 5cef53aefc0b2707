"""Values that must never show: their text says nothing, and no serializer takes them by accident."""


class SecretBytes:
    """Bytes that neither print nor serialise; `reveal()` is the one deliberate way to them."""

    __slots__ = ("_hidden",)

    def __init__(self, hidden: bytes) -> None:
        self._hidden = bytes(hidden)

    def reveal(self) -> bytes:
        return self._hidden

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._hidden == self._hidden

    def __hash__(self) -> int:
        return hash(self._hidden)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is sealed, never pickled")


class DataKey(SecretBytes):
    """AES-256 key of one hand."""
