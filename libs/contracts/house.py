"""What a house is, as its first record says it: the only record that is there before anything is decided."""

import msgspec


class HouseCreated(msgspec.Struct, frozen=True):
    """Written once, when the topics are made, and never again."""

    house: str
    """Id of the house."""
    incarnation: int
    """Of its journals, counted from 1 (journal 3)."""
    partitions: int
    """Of each of its topics but those that have one alone. Streams lie by it: it is never another one (journal 1)."""
    at: int
    """Milliseconds since the epoch."""
    before: str | None = None
    """Prefix of the topics of the house that was moved here; None: it was created empty."""
    carried: dict[str, tuple[int, ...]] = {}
    """Where each partition of a service's journal ended when it was moved here: the commands of what lies below are
    those of the house before."""

    def encoded(self) -> bytes:
        return msgspec.json.encode(self)

    @classmethod
    def decoded(cls, raw: bytes) -> "HouseCreated":
        """Raises `msgspec.MsgspecError`."""
        created = msgspec.json.decode(raw, type=cls)
        if created.incarnation < 1 or created.partitions < 1:
            raise msgspec.ValidationError("a house has partitions, and an incarnation")
        return created


class HouseClosed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing is decided in this house any more, or, not `closed`, again: the last of these records says it."""

    house: str
    closed: bool
    to: str
    """Prefix of the topics to which it is moved. These topics' own: a move or a restore fills them, and has not come
    to its end."""
    at: int
    """Milliseconds since the epoch."""

    def encoded(self) -> bytes:
        return msgspec.json.encode(self)
