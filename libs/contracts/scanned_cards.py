"""How a card that nobody saw travels from a dealer's console to the table: sealed, and bound to table and hand."""

from base64 import b64encode

from libs.sealing.sealed import seal_alike


def bound_to(table: str, hand: int) -> bytes:
    return f"scan\x1f{table}\x1f{hand}".encode()


def sealed_card(key: bytes, table: str, hand: int, card: str) -> str:
    """Base64. The same card of the same hand gives the same box, so that a repeated request is the same request."""
    return b64encode(seal_alike(key, card.encode(), bound_to(table, hand))).decode()
