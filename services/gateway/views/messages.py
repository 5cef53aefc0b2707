"""Messages of players: opened by the gateway alone, and only once they may be read."""

from base64 import b64decode

from libs.contracts.conduct_events import MessageSent
from libs.sealing.sealed import CannotOpen, open_sealed


def bound_to(table: str, player: str) -> bytes:
    """What a message's box belongs to."""
    return f"message\x1f{table}\x1f{player}".encode()


def text_of(key: bytes, sent: MessageSent) -> str | None:
    """What was written; None for what was sealed under another key."""
    try:
        return open_sealed(key, b64decode(sent.sealed), bound_to(sent.table, sent.player)).decode()
    except (CannotOpen, ValueError):
        return None
