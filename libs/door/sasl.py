"""Who a request of the login says to be, and a broker's words for a login that is none. Pure.

What is read here the broker reads again, by rules of its own. So only what clients send is read, to the last byte:
whatever a broker could take for another name than is found here has none.
"""

import re
from struct import pack, unpack_from

from libs.broker.rules import is_platform

FAILED_S = 0.5
"""From a login that the door refuses to the answer: as long as a broker of ours lets who failed wait
(`connection.failed.authentication.delay.ms`)."""
_FLEXIBLE, _NEWEST = 2, 2
"""Of `SaslAuthenticate`: the first version with tags (none, which takes one byte), and the last one known here."""
_HEAD, _CLIENT = 8, 12
"""Where version and client's name stand: behind size, kind, version and number; the name may be null (-1)."""
_FIRST = re.compile(rb"n,(?:a=[^,]*)?,n=([\w.-]{1,64}),r=[!-+\--~]+")
"""SCRAM's first message (RFC 5802), whole: without channel binding and extensions. With one (`tokenauth`) the name is
a token's, and who comes by it another."""
_REFUSED = 58
"""SASL_AUTHENTICATION_FAILED."""


def name_in(frame: bytes) -> str | None:
    """As whom a login's first `SaslAuthenticate` says to come; None where it can't be told beyond doubt."""
    (version,) = unpack_from(">h", frame, _HEAD - 2)
    body = _behind_client(frame)
    if body is None or not 0 <= version <= _NEWEST:
        return None
    if version < _FLEXIBLE:
        size, said = body[:4], body[4:]
        fits = size == len(said).to_bytes(4)
    else:  # a length of a byte or two, one more than it is
        tag, size, said = body[:1], body[1:2], body[2:-1]
        if size and size[0] >= 0x80:
            size, said = body[1:3], body[3:-1]
        fits = (tag, body[-1:]) == (b"\0", b"\0") and size == _unsigned(len(said) + 1)
    found = _FIRST.fullmatch(said) if fits else None
    return found[1].decode("ascii") if found else None


def mechanism_in(frame: bytes) -> str:
    """Which one a `SaslHandshake` asks for, as far as it is one's name."""
    said = (_behind_client(frame) or b"")[2:]
    return said.decode("ascii") if re.fullmatch(rb"[A-Z0-9-]{1,20}", said) else ""


def may_come(name: str | None) -> bool:
    """Whether a broker is asked about this login at all: the house's own are not for outside."""
    return name is not None and is_platform(name)


def failure(frame: bytes, mechanism: str) -> bytes:
    """What Kafka answers to a first message with the name of no user."""
    number, (version,) = frame[_HEAD : _HEAD + 4], unpack_from(">h", frame, _HEAD - 2)
    text = f"Authentication failed during authentication due to invalid credentials with SASL mechanism {mechanism}"
    why, code, lives = text.encode(), pack(">h", _REFUSED), bytes(8)
    if version < _FLEXIBLE:
        said = number + code + pack(">h", len(why)) + why + bytes(4) + (lives if version else b"")
    else:
        said = number + b"\0" + code + _unsigned(len(why) + 1) + why + b"\1" + lives + b"\0"
    return pack(">i", len(said)) + said


def _behind_client(frame: bytes) -> bytes | None:
    if len(frame) < _CLIENT + 2:
        return None
    (size,) = unpack_from(">h", frame, _CLIENT)
    end = _CLIENT + 2 + max(size, 0)
    return frame[end:] if size >= -1 and end <= len(frame) else None


def _unsigned(number: int) -> bytes:
    """As Kafka writes a length in seven bits each, the lowest first; up to 16,383."""
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80, number >> 7])
