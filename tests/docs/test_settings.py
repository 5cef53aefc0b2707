"""docs/sre.md tells every setting and every metric that the code has, and none that it has not."""

import re
from pathlib import Path

from pydantic_settings import BaseSettings

from libs.integrity import ProgramSettings
from libs.journal.observer import COUNTED, STANDING
from libs.telemetry import TelemetrySettings
from services.audit.settings import AuditSettings
from services.gateway.settings import Settings as GatewaySettings
from services.table.settings import TableSettings
from services.tournament.settings import TournamentSettings
from services.wallet.settings import WalletSettings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sre.md").read_text(encoding="utf-8")
CLASSES: tuple[type[BaseSettings], ...] = (
    AuditSettings,
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


def test_every_metric_is_told() -> None:
    """A counter's name gets `_total` when it is scraped; the page has the name as scraped."""
    code = "".join(
        path.read_text(encoding="utf-8") for root in ("libs", "services") for path in (ROOT / root).rglob("*.py")
    )
    defined = set(re.findall(r"(?:Counter|Gauge|Histogram)\(\s*\"(croupier_\w+)\"", code))
    defined |= {f"croupier_{name}" for name in (*COUNTED, *STANDING)}
    told = {name.removesuffix("_total") for name in re.findall(r"`(croupier_\w+)`", PAGE)}
    assert told == defined
