"""`croupier operator list`: what it says of credentials."""

from pathlib import Path

from typer.testing import CliRunner

from libs.identity.operators import Operators, add_operator, read_credentials
from services.cli.operator import operator
from services.cli.surroundings import local_keys, operators_file

DAY = 86_400_000


def test_a_good_credential_is_not_called_revoked(tmp_path: Path) -> None:
    file = tmp_path / "operators.json"
    add_operator(file, "acme", ["money"], 0)
    add_operator(file, "beta", ["tables"], 0)
    add_operator(file, "beta", ["tables"], DAY, grace_ms=DAY)
    told = CliRunner().invoke(operator, ["list", "--file", str(file)], env={"COLUMNS": "200"}).stdout
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in told.splitlines() if "│" in line]
    assert rows == [
        ["acme", "house", "money", "1970-01-01 00:00", "until revoked"],
        ["beta", "house", "tables", "1970-01-01 00:00", "until 1970-01-03 00:00"],
        ["beta", "house", "tables", "1970-01-02 00:00", "until revoked"],
    ]


def test_a_further_credential_says_whose_it_is(tmp_path: Path) -> None:
    """By mistake nobody gets a token for another one's players."""
    file = tmp_path / "operators.json"

    def asked(*words: str) -> bool:
        return CliRunner().invoke(operator, [*words, "--file", str(file)]).exit_code == 0

    assert asked("add", "first", "--scope", "money")
    assert not asked("add", "other", "--scope", "money"), "whose is it?"
    assert asked("add", "other", "--scope", "money", "--platform", "acme")
    assert asked("rotate", "other")
    assert not asked("add", "third", "--scope", "money", "--platform", "ac~me")
    held = read_credentials(file).operators
    assert [(each.name, each.platform) for each in held] == [("first", "house"), ("other", "acme")]


def test_a_credentials_daily_bound_is_kept_through_rotation_and_changed_while_the_house_plays(tmp_path: Path) -> None:
    file = tmp_path / "operators.json"

    def asked(*words: str) -> int:
        return CliRunner().invoke(operator, [*words, "--file", str(file)]).exit_code

    assert asked("add", "acme", "--scope", "money", "--daily", "EUR=5000", "--daily", "FUN=9") == 0
    operators = Operators(file, clock=iter(range(0, 100, 2)).__next__)
    assert operators.daily("acme") == {"EUR": 5000, "FUN": 9}
    assert asked("rotate", "acme") == 0
    assert operators.daily("acme") == {"EUR": 5000, "FUN": 9}
    assert asked("bound", "acme", "--daily", "EUR=7000") == 0
    assert operators.daily("acme") == {"EUR": 7000}
    assert asked("bound", "acme") == 0
    assert (operators.daily("acme"), operators.daily("nobody")) == ({}, {})
    assert [asked("bound", *words) for words in (("nobody",), ("acme", "--daily", "EUR=1.5"))] == [1, 1]


def test_credentials_of_an_older_house_move_into_a_folder_of_their_own(tmp_path: Path) -> None:
    """A container that mounts a file sees no other one put in its place: who was revoked went on."""
    keys = tmp_path / "keys"
    keys.mkdir()
    token = add_operator(keys / "operators.json", "acme", ["money"], 0)
    assert operators_file(keys) == keys / "operators.json"
    local_keys(keys)
    assert operators_file(keys) == keys / "operators" / "operators.json"
    assert not (keys / "operators.json").exists()
    assert Operators(operators_file(keys)).caller(token, 0) is not None
