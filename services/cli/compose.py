"""`croupier compose`: every key and password that docker-compose.yml mounts, made once."""

from libs.stack import default_home
from libs.stack.composed import prepare
from services.cli.surroundings import local_keys


def compose() -> None:
    """Make the keys, logins and server settings for docker-compose.yml; what is there stays."""
    folder = default_home() / "compose"
    prepare(folder)
    local_keys(folder / "keys")
    (folder / "checkpoints").mkdir(exist_ok=True, mode=0o700)  # the auditor's copy outside of the database
    print(f"in {folder}; then: CROUPIER_UID=$(id -u) docker compose up --build")
