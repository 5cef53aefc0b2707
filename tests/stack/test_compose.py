"""The compose file, as far as it can be checked without an engine: it is valid and names what exists."""

import contextlib
import json
import re
import ssl
from base64 import b64decode
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic_settings import BaseSettings
from typer.testing import CliRunner

from libs.door.door import Doorway
from libs.door.settings import DoorSettings
from libs.journal.seal_keys import SEALED
from libs.stack import StackError, certificates, postgres
from libs.stack.composed import prepare
from libs.stack.containers import KAFKA_IMAGE, POSTGRES_IMAGE
from libs.stack.logins import house_users
from services.cli.__main__ import app
from services.cli.compose import FILES, OF_BROKER
from services.cli.house import SETTINGS

PROJECT = Path(__file__).resolve().parents[2]
PURPOSE = ssl.Purpose.CLIENT_AUTH


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
    return loaded


def test_its_servers_are_the_ones_the_stack_runs(compose: dict[str, Any]) -> None:
    assert compose["services"]["kafka"]["image"] == f"${{KAFKA_IMAGE:-{KAFKA_IMAGE}}}"
    assert compose["services"]["postgres"]["image"] == f"${{POSTGRES_IMAGE:-{POSTGRES_IMAGE}}}"
    assert compose["services"]["postgres"]["command"] == postgres.COMMAND
    for chart in ("servers/templates/servers.yaml", "chart/templates/backup.yaml"):
        (told,) = re.findall(r"args: (\[postgres,.*\])", (PROJECT / "deploy" / chart).read_text())
        assert yaml.safe_load(told) == postgres.COMMAND, chart


def test_nobodys_log_fills_the_disk(compose: dict[str, Any]) -> None:
    bounds = {name: each.get("logging", {}).get("options") for name, each in compose["services"].items()}
    assert {name for name, each in bounds.items() if each != {"max-size": "64m", "max-file": "3"}} == set()


@pytest.mark.parametrize("name", ["table", "wallet", "tournament", "audit", "gateway"])
def test_each_service_runs_a_module_that_exists(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]

    assert service["command"] == ["python3", "-m", f"services.{name}"]
    assert find_spec(f"services.{name}") is not None


def test_platforms_come_to_their_door_and_nobody_to_kafka_itself(compose: dict[str, Any], tmp_path: Path) -> None:
    assert "ports" not in compose["services"]["kafka"]
    door = compose["services"]["door"]
    assert door["ports"] == ["127.0.0.1:9094:9094"]
    assert "secrets" not in door
    told = {name: value for name, value in door["environment"].items() if name.startswith("CROUPIER_DOOR")}
    assert told.keys() == {"CROUPIER_DOOR_ROUTES"}
    ways = DoorSettings(door_routes=json.loads(told["CROUPIER_DOOR_ROUTES"])).doorways()
    assert ways == [Doorway("0.0.0.0", 9094, "kafka:9094")]
    prepare(tmp_path / "compose")
    assert "PLATFORMS://127.0.0.1:9094" in (tmp_path / "compose" / "server.properties").read_text()


@pytest.mark.parametrize("name", ["table", "wallet", "tournament", "audit", "gateway"])
def test_each_service_has_the_secrets_of_its_settings_and_no_other(compose: dict[str, Any], name: str) -> None:
    known = {f"CROUPIER_{field.upper()}" for field in SETTINGS[name].model_fields if field.endswith("_file")}
    told = compose["services"][name]["environment"]
    files = {variable for variable in told if variable.endswith("_FILE")}
    assert files <= known
    mounted = {told[variable].rpartition("/")[2] for variable in files if told[variable].startswith("/run/secrets/")}
    mounted |= {told["DATABASE_URL"].rpartition("/")[2]} if "DATABASE_URL" in told else set()
    assert set(compose["services"][name]["secrets"]) == mounted
    assert told["CROUPIER_KAFKA_USER"] == name
    assert {each for each in mounted if each.endswith((".kafka", ".pgpass"))} <= {f"{name}.kafka", f"{name}.pgpass"}


@pytest.mark.parametrize("name", ["table", "wallet", "tournament", "audit", "gateway"])
def test_what_is_replaced_while_it_runs_is_mounted_as_a_folder(compose: dict[str, Any], name: str) -> None:
    """A rotation puts a new file in the old one's place; the service sees its own folder of marks, and no other's."""
    service = compose["services"][name]
    folders = {each.split(":")[1]: each.split(":")[0] for each in service["volumes"] if ":" in each}
    assert folders.pop("/run/marks") == f"./.croupier/compose/keys/marks/{name}"
    keks = folders.pop("/run/kek", ""), service["environment"].get("CROUPIER_KEK_FILE", "")
    assert keks == (("./.croupier/compose/keys/kek", "/run/kek/kek.hex") if name == "table" else ("", ""))
    platforms = folders.pop("/run/operators", ""), service["environment"].get("CROUPIER_OPERATORS_FILE", "")
    asks = ("./.croupier/compose/keys/operators", "/run/operators/operators.json")
    assert platforms == (asks if name in ("wallet", "audit", "gateway") else ("", "")), "who is revoked is so at once"
    sealed = folders.pop("/run/seals", ""), service["environment"].get("CROUPIER_SEAL_FILE", "")
    own = f"./.croupier/compose/keys/seals/{name}", f"/run/seals/{name}-seal.json"
    assert sealed == (own if name in SEALED else ("", ""))
    assert service["environment"]["CROUPIER_MARKS_FILE"] == f"/run/marks/{name}.json"
    kept = service["environment"].get("CROUPIER_CHECKPOINT_FILE", "")
    assert (name == "audit") is bool(kept), "signed checkpoints also lie outside of the database"
    assert {kept.rpartition("/")[0]} - {""} == set(folders)


@pytest.mark.parametrize("name", ["table", "wallet", "tournament", "audit", "gateway"])
def test_what_grows_with_the_house_has_a_disk_to_lie_on(compose: dict[str, Any], name: str) -> None:
    """Idle streams, tournaments that are over and a month of hands are put by in a file without a name."""
    assert "/var/tmp" in compose["services"][name]["volumes"]


def test_one_command_makes_every_file_that_is_mounted(
    compose: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_HOME", str(tmp_path / ".croupier"))
    for _ in range(2):
        made = CliRunner().invoke(app, ["compose"])
        assert made.exit_code == 0, made.output
    files = [tmp_path / each["file"] for each in compose["secrets"].values()]
    assert not [each for each in files if not each.is_file()]
    folders = [each for service in compose["services"].values() for each in service.get("volumes", ())]
    for folder in (each.split(":")[0] for each in folders if each.startswith("./")):
        assert (tmp_path / folder).is_dir(), folder
    marks = tmp_path / ".croupier" / "compose" / "keys" / "marks"
    assert [each.name for each in (marks / "table").iterdir()] == ["table.json"]
    assert [each.name for each in (marks.parent / "kek").iterdir()] == ["kek.hex"], "whoever mounts it gets no more"
    assert (tmp_path / ".croupier" / "compose").stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in files if each.suffix in (".kafka", ".pgpass", ".hex")} == {0o600}
    passwords = [each.read_text().strip().rpartition(":")[2] for each in files if each.suffix in (".kafka", ".pgpass")]
    script = (tmp_path / ".croupier" / "compose" / "logins.sql").read_text()
    assert script.count("create role") == 5
    assert not [each for each in passwords if each in script]
    assert not [each for each in passwords if each in str(compose)]


def test_a_platforms_door_has_a_certificate_for_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays, whatever else is made anew, until the door has another name."""
    monkeypatch.setenv("CROUPIER_HOME", str(tmp_path))
    folder = tmp_path / "compose" / "door"
    seen = []
    for words in (["--platforms-at", "kafka.example"], [], ["--platforms-at", "other.example"]):
        assert CliRunner().invoke(app, ["compose", "--kubernetes", *words]).exit_code == 0
        seen.append((folder / "door.pem").read_text())
    assert seen[0] == seen[1] != seen[2]
    there, here = ssl.create_default_context(cafile=folder / "ca.pem"), ssl.create_default_context(PURPOSE)
    here.load_cert_chain(folder / "door.pem")
    assert _agreed(there, here, "other.example")
    with pytest.raises(ssl.SSLCertVerificationError):
        _agreed(there, here, "kafka.example")


def test_every_process_that_comes_to_a_broker_by_tls_is_given_who_vouches_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept from then on, or the next `kubectl apply` would take it away again; of the file nothing but certificates."""
    monkeypatch.setenv("CROUPIER_HOME", str(tmp_path))
    certificates.ensure_for("kafka.example", tmp_path / "node.pem", tmp_path / "first.pem")
    node, first = (tmp_path / name for name in ("node.pem", "first.pem"))
    both = node.read_text().rpartition("-----END PRIVATE KEY-----\n")[2]
    for words, told in (([], None), (["--kafka-ca", str(first)], first.read_text()), ([], first.read_text())):
        assert _authorities(words) == dict.fromkeys(OF_BROKER if told else (), (told or "").strip())
    assert _authorities(["--kafka-ca", str(node)]) == dict.fromkeys(OF_BROKER, both.strip())
    (tmp_path / "none.pem").write_text("no certificate")
    for wrong, why in (("none.pem", "holds no certificate"), ("gone.pem", "No such file")):
        refused = CliRunner().invoke(app, ["compose", "--kubernetes", "--kafka-ca", str(tmp_path / wrong)])
        assert isinstance(refused.exception, StackError)
        assert why in str(refused.exception)
    assert {*OF_BROKER} == FILES.keys() - {"migrate", "archive", "bots", "servers"}, "whoever has a login, and the door"


def _authorities(words: list[str]) -> dict[str, str]:
    made = CliRunner().invoke(app, ["compose", "--kubernetes", *words])
    assert made.exit_code == 0, made.output
    secrets = {each["metadata"]["name"]: each["data"] for each in json.loads(made.stdout)["items"]}
    return {
        name.removeprefix("croupier-"): b64decode(data["ca.pem"]).decode()
        for name, data in secrets.items()
        if "ca.pem" in data
    }


def _agreed(there: ssl.SSLContext, here: ssl.SSLContext, name: str) -> bool:
    """A handshake in memory."""
    to_here, to_there = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = there.wrap_bio(to_there, to_here, server_hostname=name)
    server = here.wrap_bio(to_here, to_there, server_side=True)
    for each in (client, server, client):
        with contextlib.suppress(ssl.SSLWantReadError):
            each.do_handshake()
    return client.getpeercert() is not None


def test_whoever_makes_topics_knows_the_password_of_every_login_of_the_house(compose: dict[str, Any]) -> None:
    assert set(compose["services"]["topics"]["secrets"]) == {f"{user}.kafka" for user in ("admin", *house_users())}


@pytest.mark.parametrize(
    ("name", "settings"),
    [(name, SETTINGS[name]) for name in ("table", "wallet", "tournament", "audit", "gateway")],
)
def test_each_service_would_find_all_that_it_needs_in_its_environment(
    compose: dict[str, Any], name: str, settings: type[BaseSettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in compose["services"][name]["environment"].items():
        if value is not None:
            monkeypatch.setenv(variable, value)

    read = settings().model_dump()
    assert {read["inner_host"], read.get("http_host", "0.0.0.0")} == {"0.0.0.0"}
    assert (read["inner_port"], read.get("http_port", 8080)) == (9080, 8080)
