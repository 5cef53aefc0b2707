"""What players of Omaha in Macau are shown: a real table plays, and its public events come out of the gateway."""

import pytest

from services.table.rulebooks.library import RULEBOOKS
from tests.gateway.conftest import See
from tests.table.play import MACAU, TableUnderTest
from tests.testkit.cases import Case


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


@macau("order.2/1")
async def test_the_record_of_every_hand_names_the_rules_and_their_version(show: See, case: Case) -> None:
    table = TableUnderTest(MACAU, version=7).seat(1, 2, 3)
    order, year = case.ints("order")
    for number in (1, 2, 3):
        table.wake()
        table.checks_down()
        record = await show(table, "p1", "/last-hand")
        assert (record["hand"], record["rulebook"], record["configuration_version"]) == (number, MACAU, 7)
        assert f"{order}-{year}" in record["rulebook"]
        assert record["rulebook_hash"] == RULEBOOKS[MACAU].digest
    rules = await show(table, "p1", "/rules")
    assert f"{order}/{year}" in rules["regulation"]
