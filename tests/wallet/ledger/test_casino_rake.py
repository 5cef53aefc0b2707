"""The charge of a casino hand in the books: the real table's events, booked once, on the house's account (7.a, 9.c)."""

from collections import defaultdict

import pytest

from libs.contracts.poker_events import PotAwarded
from libs.projecting import Pool, project
from services.wallet.projections import BOOKS, books
from services.wallet.projections.balances import rake_accounts
from services.wallet.projections.transfers import transfers_of
from tests.table.casino.play import h6, to_flop
from tests.table.casino.test_settling import pot_won
from tests.table.play import TableUnderTest, stacked
from tests.testkit.cases import Case
from tests.testkit.memory_source import MemorySource
from tests.wallet.script import Script


def rule(ref: str, *refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-217-2007", ref, *refs)


HOLES = "Ah 2c 3d 4c 5d 6c Ad 7c 8d 7h 9d 8h"
"""P1 has two aces."""
RAKE = "rake/t1/pt-217-2007-holdem"


def _booked(board: str) -> tuple[list[tuple[int, str]], dict[str, int], TableUnderTest]:
    table = to_flop(h6(fresh=stacked(f"{HOLES} {board}"), rake_bp=500, rake_cap=500), 1, 2, 3, 4, 5, 6)
    table.plays("1 bet 1800", "2 call", "3 call", "4 call", "5 call", "6 call").checks_down()
    charged, balances = _books(table)
    return charged, balances, table


def _books(table: TableUnderTest) -> tuple[list[tuple[int, str]], dict[str, int]]:
    """What was charged with its reference, and the balances."""
    transfers = [transfer for event in table.told for transfer in transfers_of(event, "real")]
    balances: dict[str, int] = defaultdict(int)
    for transfer in transfers:
        balances[transfer.debit] -= transfer.amount
        balances[transfer.credit] += transfer.amount
    charged = [(each.amount, each.reference) for each in transfers if each.credit.startswith("rake/")]
    return charged, balances


@rule("1/1")
def test_what_the_players_lose_together_is_the_charge_and_the_house_gets_no_more(case: Case) -> None:
    for rake in case.ints("rakes"):
        table = to_flop(h6(rake_bp=500, rake_cap=rake), 1, 2, 3, 4, 5, 6)
        before = 6 * 20_000
        table.plays("1 bet 1800", "2 call", "3 call", "4 call", "5 call", "6 call").checks_down()
        assert sum(award.amount for award in table.of(PotAwarded)) == case["pot"]
        assert sum(table.stacks.values()) - before == (case["change"] if rake else 0)
        charged, balances = _books(table)
        house = {name: amount for name, amount in balances.items() if not name.startswith(("stack/", "player/"))}
        assert sum(amount for name, amount in house.items() if name.startswith("rake/")) == rake
        assert sum(amount for amount, _ in charged) == rake
        assert sum(house.values()) == rake - before, "but for what the players brought"


@rule("9.c", "7.a", "1")
@pytest.mark.parametrize(
    ("board", "entries"),
    [
        pytest.param("Tc Kh Kd Qs Th 2s Jd 3s", [500], id="one-winner"),
        pytest.param("Tc Ks Qs Js Th Ts Jd 9s", [83, 83, 83, 83, 83, 85], id="all-divide"),
    ],
)
def test_the_charge_is_booked_once_for_each_payment_it_is_taken_from(board: str, entries: list[int]) -> None:
    charged, balances, table = _booked(board)
    assert sorted(charged) == [(amount, f"t1/{table.state.hands}/main") for amount in entries]
    stacks = {seat: balances[f"stack/t1/p{seat}"] for seat in table.stacks}
    assert stacks == table.stacks
    assert sum(stacks.values()) == 120_000 - 500


@pytest.mark.stack
@rule("9.c/1")
async def test_the_ledger_has_the_charge_once_with_its_hand_however_often_it_is_told(
    books_pool: Pool, case: Case
) -> None:
    table = pot_won(12_345, rake_bp=500)
    assert table.state.books.raked == case["rake"]
    script = Script("pt-217-2007-holdem")
    for event in table.told:
        script.emit("t1", event)
    twice = [record for record in script.records for _ in range(2)]
    for records in (twice, script.records + twice):
        await project(books_pool, BOOKS, books(), MemorySource(records))
        found = await books_pool.fetch("select amount, credit, reference from transfers where kind = 'rake'")
        assert [tuple(row) for row in found] == [(case["rake"], RAKE, f"t1/{table.state.hands}/main")]
    async with books_pool.acquire() as connection:
        assert [account.rake for account in await rake_accounts(connection)] == [case["rake"]]
