"""`croupier compose`: every key and password that docker-compose.yml or the chart mounts, made once."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Annotated, Any

import typer
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from libs.stack import StackError, certificates, default_home, postgres
from libs.stack.composed import prepare
from libs.stack.logins import house_users, write_secret
from services.cli.surroundings import local_keys

_MARKS = {name: f"keys/marks/{name}/{name}.json" for name in ("table", "tournament", "wallet", "audit", "gateway")}
_SEALS = {name: f"keys/seals/{name}/{name}-seal.json" for name in ("table", "tournament", "wallet")}
FILES: dict[str, tuple[str, ...]] = {
    "table": ("logins/table.kafka", "keys/kek/kek.hex", "keys/gateway_key.hex", _MARKS["table"], _SEALS["table"]),
    "tournament": ("logins/tournament.kafka", _MARKS["tournament"], _SEALS["tournament"]),
    "wallet": (
        *("logins/wallet.kafka", "logins/wallet.pgpass", "keys/operators/operators.json"),
        *(_MARKS["wallet"], _SEALS["wallet"]),
    ),
    "audit": (
        *("logins/audit.kafka", "logins/audit.pgpass", "keys/operators/operators.json", "keys/checkpoint_key.hex"),
        _MARKS["audit"],
    ),
    "gateway": (
        *("logins/gateway.kafka", "keys/operators/operators.json", "keys/gateway_key.hex", "keys/session_key.hex"),
        *("keys/wallet_token.hex", _MARKS["gateway"]),
    ),
    "topics": (*(f"logins/{user}.kafka" for user in ("admin", *house_users())), "keys/marks/house/house.json"),
    "migrate": ("logins/croupier.pgpass",),
    "inspector": (
        *("logins/inspector.kafka", "logins/inspector.pgpass", "keys/kek/kek.hex", "keys/checkpoint_key.hex"),
        "keys/marks/inspector/inspector.json",
    ),
    "backup": ("logins/inspector.kafka", "logins/inspector.pgpass", "keys/marks/inspector/inspector.json"),
    "archive": ("logins/archivist.pgpass", "keys/marks/archivist/archivist.json"),
    "restore": (
        *("logins/admin.kafka", "logins/croupier.pgpass", "keys/kek/kek.hex", "keys/checkpoint_key.hex"),
        *("keys/marks/house/house.json", "keys/marks/inspector/inspector.json"),
    ),
    "bots": ("keys/operator_token.hex",),
    "door": ("door/door.pem",),
    "servers": ("server.properties", "log4j2.properties", "format.arguments", "postgres.password", "logins.sql"),
}
"""By process: what it has, and no more. `mark_root` and the provider's key are nobody's."""
OF_BROKER = (*(name for name, files in FILES.items() if any(file.endswith(".kafka") for file in files)), "door")
"""Who comes to a broker, and so has `ca.pem` where the house's is reached over TLS."""
DATABASE_LOGINS = (postgres.OWNER, *postgres.SERVICES, postgres.INSPECTOR, postgres.ARCHIVIST)


def compose(
    kubernetes: Annotated[
        bool,
        typer.Option("--kubernetes", help="Print them as Secrets, one for each process: for `kubectl apply -f -`."),
    ] = False,
    name: Annotated[str, typer.Option(help="Before the Secrets' names: `secrets` of the chart.")] = "croupier",
    platforms_at: Annotated[
        str,
        typer.Option(metavar="HOST", help="Where platforms find their door: a certificate for this name is made."),
    ] = "",
    kafka_ca: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Certificates (PEM) of who vouches for the broker: `ca.pem` in the Secret of each process that comes "
            "to it. Kept, and in the Secrets from then on.",
        ),
    ] = None,
) -> None:
    """Make the keys, logins and server settings for docker-compose.yml or deploy/chart; what is there stays."""
    folder = default_home() / "compose"
    prepare(folder)
    ca = folder / "kafka" / "ca.pem"
    if kafka_ca is not None:
        write_secret(ca, _certificates(kafka_ca))
    local_keys(folder / "keys")
    certificates.ensure_for(platforms_at or None, folder / "door" / "door.pem", folder / "door" / "ca.pem")
    (folder / "checkpoints").mkdir(exist_ok=True, mode=0o700)  # the auditor's copy outside of the database
    if kubernetes:
        beside = (ca,) if ca.exists() else ()
        items = [
            _secret(
                f"{name}-{process}", [*(folder / file for file in files), *(beside if process in OF_BROKER else ())]
            )
            for process, files in FILES.items()
        ]
        items += [_login(f"{name}-login-{user}", folder / f"logins/{user}.pgpass") for user in DATABASE_LOGINS]
        print(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        return
    print(f"in {folder}; then: CROUPIER_UID=$(id -u) docker compose up")


def _certificates(file: Path) -> str:
    """What the file holds of certificates, and nothing else. Raises StackError."""
    try:
        found = x509.load_pem_x509_certificates(file.read_bytes())
    except OSError as wrong:
        raise StackError(f"{file}: {wrong.strerror}") from None
    except ValueError:
        raise StackError(f"{file} holds no certificate (PEM)") from None
    return "".join(each.public_bytes(Encoding.PEM).decode() for each in found)


def _secret(name: str, files: list[Path]) -> dict[str, Any]:
    # Without the line's end, which Strimzi would take for a part of the password.
    data = {file.name: b64encode(file.read_bytes().rstrip(b"\n")).decode() for file in files}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "type": "Opaque", "data": data}


def _login(name: str, pgpass: Path) -> dict[str, Any]:
    """As CloudNativePG reads it."""
    user, password = pgpass.read_text().strip().split(":")[3:]
    data = {key: b64encode(text.encode()).decode() for key, text in (("username", user), ("password", password))}
    labels = {"cnpg.io/reload": "true"}
    kind = "kubernetes.io/basic-auth"
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "labels": labels},
        "type": kind,
        "data": data,
    }
