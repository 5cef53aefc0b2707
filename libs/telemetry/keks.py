"""Which key-encryption keys a process has: before new decks take a version, every process has to open it."""

from libs.sealing.kek_file import KeyringFile
from libs.telemetry.figures import gauge

KEK_NEWEST = gauge("croupier_kek_newest")


def told(keyring: KeyringFile) -> KeyringFile:
    """The same one; `/metrics` tells its newest version from now on, as the file has it at that moment."""
    KEK_NEWEST.set_function(lambda: keyring.newest)
    return keyring
