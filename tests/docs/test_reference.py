"""docs/configuration and docs/reasons.md are what the code says, and their examples open tables."""

from pathlib import Path

import msgspec
import pytest

from libs.contracts.commands import AnyReason
from libs.contracts.configurations import places
from libs.contracts.schemas import field_words, words_in
from libs.contracts.table_commands import OpenTable
from libs.contracts.table_events import TableOpened
from libs.contracts.wallet_commands import AccountReason
from libs.rulebooks.library import RULEBOOKS
from services.cli.reference import REASONS, reference_files
from services.table.domain.games.registry import GAMES
from tests.table.under_test import AnyTable, staff

DOCS = Path(__file__).parents[2] / "docs"


def test_the_pages_are_those_of_the_code() -> None:
    files = reference_files()
    pages = {f"configuration/{file.name}" for file in (DOCS / "configuration").iterdir()}
    assert pages | {"reasons.md", "roles.md"} == set(files)
    stale = [name for name, text in files.items() if (DOCS / name).read_text(encoding="utf-8") != text]
    assert not stale, "run `croupier reference`"


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_the_example_of_each_rulebook_opens_a_table(rulebook: str) -> None:
    table = AnyTable("t1", now=1_000_000)
    bank = 10_000_000 if GAMES[RULEBOOKS[rulebook].game].banked else 0
    refused = table.send(
        staff(), OpenTable(name="Faro 1", rulebook=rulebook, configuration=dict(RULEBOOKS[rulebook].example), bank=bank)
    )
    if not RULEBOOKS[rulebook].enabled:
        assert refused == "variant_not_available"
        return
    assert refused is None, table.refused
    assert isinstance(table.told[0], TableOpened)


def test_each_value_of_a_configuration_has_words() -> None:
    for game in GAMES.values():
        held = {field.name: field.type for field in msgspec.structs.fields(game.configuration)}
        for group, name, _ in places(game.configuration):
            assert field_words(held[group] if group else game.configuration).get(name), (game.name, group, name)


def test_each_reason_has_words_and_one_meaning_in_its_list() -> None:
    for title, reasons, _ in REASONS:
        names = set(reasons.__members__)
        assert reasons is AccountReason or names == set(words_in(reasons)), title
        assert len({reason.value for reason in reasons}) == len(names)
        assert not {reason.value for reason in reasons} & set(AnyReason)
