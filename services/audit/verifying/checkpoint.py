"""A checkpoint: one signed Merkle root over the heads that moved since the one before, which it names.

So the chain of checkpoints covers every stream, no record below it can change unseen, and the next one costs what has
happened and not what there is. Leaves are sorted by topic and stream and hashed as in RFC 6962 section 2.1. What is
signed are canonical bytes with a version byte: 0x02, then MessagePack of (number, time, root, previous, reached).
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from services.audit.verifying.findings import Finding, Kind

FORMAT = b"\x02"


class StreamHead(msgspec.Struct, frozen=True, array_like=True, order=True):
    topic: str
    stream: str
    partition: int
    version: int
    digest: str
    """Hex SHA-256 of the stream's last valid commit."""
    offset: int


Reached = tuple[tuple[str, int, int], ...]
"""Topic, partition and the offset of the last record that any checkpoint so far covers; sorted."""


class Checkpoint(msgspec.Struct, frozen=True):
    number: int
    taken_at: int
    root: str
    previous: str
    """Hex SHA-256 of the signed bytes of the checkpoint before; empty for the first."""
    reached: Reached
    heads: tuple[StreamHead, ...]
    """Of the streams that moved since the checkpoint before."""
    public_key: str
    signature: str


def take(taken_at: int, before: Checkpoint | None, moved: Sequence[StreamHead], key: Ed25519PrivateKey) -> Checkpoint:
    """The next one. `taken_at` is milliseconds since the epoch; `moved` are heads above what `before` has reached."""
    number, previous = (before.number + 1, link(before)) if before else (1, "")
    heads = tuple(sorted(moved))
    reached = _reached(before.reached if before else (), heads)
    root = merkle_root(heads).hex()
    signature = key.sign(signed_bytes(number, taken_at, root, previous, reached)).hex()
    return Checkpoint(number, taken_at, root, previous, reached, heads, public_hex(key), signature)


def _reached(before: Reached, heads: Sequence[StreamHead]) -> Reached:
    furthest = {(topic, partition): offset for topic, partition, offset in before}
    for head in heads:
        place = (head.topic, head.partition)
        furthest[place] = max(head.offset, furthest.get(place, -1))
    return tuple(sorted((*place, offset) for place, offset in furthest.items()))


def public_hex(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def signed_bytes(number: int, taken_at: int, root: str, previous: str, reached: Reached) -> bytes:
    return FORMAT + msgspec.msgpack.encode((number, taken_at, root, previous, reached))


def signed_of(checkpoint: Checkpoint) -> bytes:
    return signed_bytes(
        checkpoint.number, checkpoint.taken_at, checkpoint.root, checkpoint.previous, checkpoint.reached
    )


def signed_by(checkpoint: Checkpoint, public_key: str) -> bool:
    """Whether it names this key (hex) and bears its signature, as we write it: of one checkpoint there is one."""
    signature = bytes.fromhex(checkpoint.signature)
    if checkpoint.public_key != public_key or signature.hex() != checkpoint.signature:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(signature, signed_of(checkpoint))
    except InvalidSignature:
        return False
    return True


def link(checkpoint: Checkpoint) -> str:
    """What the next one calls `previous`."""
    return hashlib.sha256(signed_of(checkpoint)).hexdigest()


def merkle_root(heads: Sequence[StreamHead]) -> bytes:
    if not heads:
        return hashlib.sha256(b"").digest()
    if len(heads) == 1:
        return hashlib.sha256(b"\x00" + msgspec.msgpack.encode(heads[0])).digest()
    middle = 1 << ((len(heads) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + merkle_root(heads[:middle]) + merkle_root(heads[middle:])).digest()


def check_checkpoints(
    checkpoints: Iterable[Checkpoint], public_key: str, before: Checkpoint | None = None
) -> Iterator[Finding]:
    """Signature under the key that is known from elsewhere, root over the heads, and each chained on the one before;
    the first one on `before`."""
    for each in checkpoints:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        name = f"checkpoint {each.number}"
        try:
            key.verify(bytes.fromhex(each.signature), signed_of(each))
        except (InvalidSignature, ValueError):
            yield Finding(Kind.CHECKPOINT, "checkpoints", f"{name}: its signature is not ours")
        if merkle_root(each.heads).hex() != each.root:
            yield Finding(Kind.CHECKPOINT, "checkpoints", f"{name}: its root is not that of its heads")
        if each.previous != (link(before) if before else ""):
            yield Finding(Kind.CHECKPOINT, "checkpoints", f"{name}: it does not follow the one before")
        if each.reached != _reached(before.reached if before else (), each.heads):
            yield Finding(Kind.CHECKPOINT, "checkpoints", f"{name}: it says that it reaches where it does not")
        before = each
