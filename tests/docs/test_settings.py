"""docs/sre.md tells every setting that the code has, and no setting or metric that it has not."""

import re
from pathlib import Path

from pydantic_settings import BaseSettings

from libs.door.settings import DoorSettings
from libs.integrity import ProgramSettings
from libs.stack.house import HouseSettings
from libs.telemetry import TelemetrySettings
from libs.telemetry.figures import FIGURES
from services.audit.settings import AuditSettings
from services.gateway.settings import Settings as GatewaySettings
from services.table.settings import TableSettings
from services.tournament.settings import TournamentSettings
from services.wallet.settings import WalletSettings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sre.md").read_text(encoding="utf-8")
CLASSES: tuple[type[BaseSettings], ...] = (
    AuditSettings,
    DoorSettings,
    HouseSettings,
    GatewaySettings,
    TableSettings,
    TournamentSettings,
    WalletSettings,
    TelemetrySettings,
    ProgramSettings,
)


def variables(settings: type[BaseSettings]) -> set[str]:
    prefix = settings.model_config.get("env_prefix", "")
    return {str(field.validation_alias or f"{prefix}{name}".upper()) for name, field in settings.model_fields.items()}


def test_the_table_of_variables_is_complete() -> None:
    told = set(re.findall(r"^\| `((?:CROUPIER|KAFKA|DATABASE)_[A-Z0-9_]+)`", PAGE, re.MULTILINE))
    assert told == set().union(*map(variables, CLASSES))


def test_every_metric_that_is_told_is_there() -> None:
    assert set(re.findall(r"`(croupier_\w+)`", PAGE)) <= {each.scraped for each in FIGURES}
