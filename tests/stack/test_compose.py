"""The compose file, as far as it can be checked without an engine: it is valid and names what exists."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic_settings import BaseSettings

from libs.stack.containers import KAFKA_IMAGE, POSTGRES_IMAGE
from services.audit.settings import AuditSettings
from services.gateway.settings import Settings as GatewaySettings
from services.table.settings import TableSettings
from services.wallet.settings import WalletSettings

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
    return loaded


def test_its_servers_are_the_ones_the_stack_runs(compose: dict[str, Any]) -> None:
    assert compose["services"]["kafka"]["image"] == KAFKA_IMAGE
    assert compose["services"]["postgres"]["image"] == POSTGRES_IMAGE


@pytest.mark.parametrize("name", ["table", "wallet", "audit", "gateway"])
def test_each_service_runs_a_module_that_exists_with_its_keys(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]

    assert service["command"] == ["python", "-m", f"services.{name}"]
    assert find_spec(f"services.{name}") is not None
    assert (PROJECT / service["build"]["dockerfile"]).is_file()
    mounted = {f"/run/secrets/{secret}" for secret in service["secrets"]}
    assert {value for key, value in service["environment"].items() if key.endswith("_FILE")} == mounted


@pytest.mark.parametrize(
    ("name", "settings"),
    [("table", TableSettings), ("wallet", WalletSettings), ("audit", AuditSettings), ("gateway", GatewaySettings)],
)
def test_each_service_would_find_all_that_it_needs_in_its_environment(
    compose: dict[str, Any], name: str, settings: type[BaseSettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in compose["services"][name]["environment"].items():
        monkeypatch.setenv(variable, value)

    read = settings().model_dump()
    assert {read["inner_host"], read.get("http_host", "0.0.0.0")} == {"0.0.0.0"}
    assert (read["inner_port"], read.get("http_port", 8080)) == (9080, 8080)
