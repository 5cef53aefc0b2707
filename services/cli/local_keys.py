"""Keys for a house on one machine: made once, kept in the project's own folder, readable by its owner only."""

import secrets
from pathlib import Path

NAMES = ("kek", "gateway_key", "session_key", "operator_token", "checkpoint_key")


def local_keys(folder: Path) -> dict[str, Path]:
    """File of every key by name; missing ones are made of 32 fresh bytes (hex). Real houses mount their own."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    files = {name: folder / f"{name}.hex" for name in NAMES}
    for file in files.values():
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_hex(32) + "\n")
    return files
