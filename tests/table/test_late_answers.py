"""A table that was away for longer than it remembers ids takes the wallet's answers afterwards, each once."""

import pytest

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.poker_commands import PokerReason
from libs.contracts.poker_events import SessionFeeDue, SessionFeePaid, SessionFeeUnpaid
from libs.contracts.table_commands import TableReason
from libs.contracts.table_events import TopUpAdded, TopUpFailed
from libs.contracts.wallet_commands import DepositFunds
from libs.journal.fold import is_expired
from libs.journal.log import LogRecord
from libs.policies import Handler
from services.table.kafka.policies import table_policies
from services.table.machine import HORIZON_MS, decode_command
from services.table.policies.reactions import TO_WALLET
from tests.table.casino.play import CASINO_HOLDEM, rule
from tests.table.omaha.house import House
from tests.table.omaha.play import portugal, seated
from tests.table.play import TableUnderTest

MINUTE = 60_000
AWAY = 11 * MINUTE
RICH = 10**6


class Away(House):
    """What the wallet tells is not heard before the table's service is back."""

    away = False

    def _answer(self, event: PublicEvent, fact: object) -> None:
        if not self.away or type(fact) not in TO_WALLET:
            super()._answer(event, fact)  # type: ignore[arg-type]

    async def back(self) -> list[str | None]:
        """The policies read all that the wallet has ever told, and the table decides what is not expired."""
        asked: list[CommandMessage] = []

        async def send(command: CommandMessage, headers: object) -> None:
            asked.append(command)

        async def park(record: LogRecord, why: object) -> None:
            raise AssertionError(why)

        lasts_ms = table_policies.keywords["lasts_ms"]
        handler = Handler(TO_WALLET, send, park, lasts_ms=lasts_ms, now=lambda: self.table.now)
        for _, _, event in self.records:
            if event.type.startswith("croupier.wallet."):
                key, value, headers = to_record(event)
                await handler.handle(LogRecord(0, key, value, tuple(headers)))
        in_time = [each for each in asked if not is_expired(each.id.bytes, self.table.now, HORIZON_MS)]
        return [self.table.send(each.principal, decode_command(each)) for each in in_time]


@portugal("2.q", "11.b", "12", "70.a")
@pytest.mark.parametrize("balance", [15_000, 14_999])
async def test_a_top_up_is_made_or_fails_though_its_answer_is_eleven_minutes_old(balance: int) -> None:
    table = seated(())
    there = Away(table, p1=balance, p2=RICH)
    for seat in (1, 2):
        assert there.sits(seat, 10_000) is None
    there.away = True
    assert table.top_up(1, 5_000) is None
    there.settle()
    table.now += AWAY
    answers = await there.back()
    assert None in answers
    assert set(answers) <= {None, TableReason.NO_SUCH_RESERVATION}, "of the seats nothing is taken twice"
    made = balance == 15_000
    assert (len(table.of(TopUpAdded, True)), len(table.of(TopUpFailed, True))) == (made, not made)
    assert (table.state.seats[1].top_up, table.stacks[1]) == (None, 15_000 if made else 10_000)
    for later in (MINUTE, AWAY):
        table.now += later
        assert None not in await there.back(), "told again, with whatever id, it has no effect"
    assert table.stacks[1] == (15_000 if made else 10_000)
    assert table.leave(1) is None
    there.away = False
    there.settle()
    assert (there.available(1), there.reserved(1)) == (balance, 0)


@rule("7.b")
async def test_who_could_not_pay_is_not_dealt_in_though_the_answer_is_eleven_minutes_old() -> None:
    table = TableUnderTest(CASINO_HOLDEM, rake_mode="session", rake_bp=1000, between_hands_ms=0)
    there = Away(table, **dict.fromkeys((f"p{seat}" for seat in range(1, 6)), RICH), p6=20_000 + 1_999)
    for seat in range(1, 7):
        assert there.sits(seat, 20_000) is None
    there.away = True
    table.wake()
    there.settle()
    table.now += AWAY
    await there.back()
    assert [unpaid.player for unpaid in table.of(SessionFeeUnpaid, True)] == ["p6"]
    table.folds_round().wake()
    assert sorted(table.hand.order) == [1, 2, 3, 4, 5]
    there.at_wallet(6, DepositFunds(reference="d2", amount=1))
    there.away = False
    table.folds_round()
    assert table.sit_in(6) is None
    there.settle()
    assert [paid.player for paid in table.of(SessionFeePaid, True)] == ["p6"]
    table.now += AWAY
    assert PokerReason.NO_SUCH_FEE in await there.back(), "the refusal of the first charge says nothing of the second"
    assert len(table.of(SessionFeeUnpaid, True)) == 1
    assert 6 in table.state.seats
    assert not table.state.seats[6].is_out
    assert len(table.of(SessionFeeDue, True)) == 7
