"""`croupier operator list`: what it says of credentials."""

from pathlib import Path

from typer.testing import CliRunner

from libs.identity.operators import add_operator
from services.cli.operator import operator

DAY = 86_400_000


def test_a_good_credential_is_not_called_revoked(tmp_path: Path) -> None:
    file = tmp_path / "operators.json"
    add_operator(file, "acme", ["money"], 0)
    add_operator(file, "beta", ["tables"], 0)
    add_operator(file, "beta", ["tables"], DAY, grace_ms=DAY)
    told = CliRunner().invoke(operator, ["list", "--file", str(file)], env={"COLUMNS": "200"}).stdout
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in told.splitlines() if "│" in line]
    assert rows == [
        ["acme", "money", "1970-01-01 00:00", "until revoked"],
        ["beta", "tables", "1970-01-01 00:00", "until 1970-01-03 00:00"],
        ["beta", "tables", "1970-01-02 00:00", "until revoked"],
    ]
