"""Key files: read once at start, refused by name when they are missing or too short, never printed."""

from pathlib import Path


class BadKey(ValueError):
    """A key file that can't be used. The text names the file and the fault, never the content."""


def hex_key(file: Path, length: int = 32) -> bytes:
    """The key in a file of hexadecimal digits."""
    text = secret_text(file)
    try:
        key = bytes.fromhex(text)
    except ValueError:
        raise BadKey(f"{file.name} is not hexadecimal") from None
    if len(key) != length:
        raise BadKey(f"{file.name} holds {len(key)} bytes instead of {length}")
    return key


def secret_text(file: Path, at_least: int = 16) -> str:
    """The token in a file, without the line end."""
    try:
        text = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise BadKey(f"{file.name} can't be read") from None
    if len(text) < at_least:
        raise BadKey(f"{file.name} is shorter than {at_least} characters")
    return text
