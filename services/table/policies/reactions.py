"""What the wallet's events, and draws at other tables, ask of a table."""

from libs.contracts.commands import TableCommand
from libs.contracts.draw_commands import AssignPlaces
from libs.contracts.draw_events import TableChangeGranted, TablesDrawn
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.poker_commands import ConfirmFee, FailFee
from libs.contracts.table_commands import ConfirmSeat, ConfirmTopUp, FailTopUp, ReleaseSeat
from libs.contracts.wallet_events import FeeCharged, FeeRefused, FundsReserved, ReserveRefused
from libs.policies import Reactions, policy_command


def when_funds_reserved(event: PublicEvent, fact: FundsReserved) -> list[CommandMessage]:
    """The seat is taken, or the top-up made. A buy-in's reserve has the sitting's own id."""
    buys_in = fact.reserve == fact.sitting
    command: TableCommand = ConfirmSeat(reservation=fact.sitting) if buys_in else ConfirmTopUp(top_up=fact.reserve)
    return [policy_command(event, fact.table, command, "table.when_funds_reserved")]


def when_reserve_refused(event: PublicEvent, fact: ReserveRefused) -> list[CommandMessage]:
    """The seat is free again, or the top-up fails as a whole (pt-811-2015 8, 11.b)."""
    command: TableCommand = FailTopUp(top_up=fact.reserve)
    if fact.reserve == fact.sitting:
        command = ReleaseSeat(reservation=fact.sitting, reason="reserve_refused")
    return [policy_command(event, fact.table, command, "table.when_reserve_refused")]


def when_fee_charged(event: PublicEvent, fact: FeeCharged) -> list[CommandMessage]:
    """A session's charge is paid: who had owed it is dealt in again (pt-217-2007 7.b)."""
    return [policy_command(event, fact.table, ConfirmFee(fee=fact.fee), "table.when_fee_charged")]


def when_fee_refused(event: PublicEvent, fact: FeeRefused) -> list[CommandMessage]:
    """Who can't pay for a session is not dealt in (pt-217-2007 7.b)."""
    return [policy_command(event, fact.table, FailFee(fee=fact.fee), "table.when_fee_refused")]


def when_tables_drawn(event: PublicEvent, fact: TablesDrawn) -> list[CommandMessage]:
    """Tables were drawn by suits at one of them: the others hear who plays where (pt-217-2007 25)."""
    told = AssignPlaces(
        players=[card.player for card in fact.cards],
        suits=[card.suit for card in fact.cards],
        tables=[card.of_table for card in fact.cards],
        drawn_at=fact.table,
    )
    others = [table for table in fact.tables if table != fact.table]
    return [policy_command(event, table, told, f"table.when_tables_drawn.{table}") for table in others]


def when_table_change_granted(event: PublicEvent, fact: TableChangeGranted) -> list[CommandMessage]:
    """The other table may have been told by a draw that the player belongs to this one (pt-217-2007 26)."""
    told = AssignPlaces(players=[fact.player], suits=[None], tables=[fact.to_table], drawn_at=fact.table)
    return [policy_command(event, fact.to_table, told, "table.when_table_change_granted")]


TO_WALLET: Reactions = {
    FundsReserved: when_funds_reserved,
    ReserveRefused: when_reserve_refused,
    FeeCharged: when_fee_charged,
    FeeRefused: when_fee_refused,
}
"""To events of the wallet."""
TO_TABLES: Reactions = {TablesDrawn: when_tables_drawn, TableChangeGranted: when_table_change_granted}
"""To events of other tables."""
