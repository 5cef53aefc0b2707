"""The account bound to bytes, as the journal's runner and follower want it."""

from collections.abc import Sequence

from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.registry import ALL_WALLET_COMMANDS, decode_fact, encode_fact
from libs.contracts.wallet_commands import AccountReason
from libs.journal.machine import Machine, command_reader
from libs.money.cash import BOUNDS, CashBounds
from services.wallet import journal_format
from services.wallet.domain.account.forgetting import KEPT, Kept
from services.wallet.domain.decide import State, WalletDecider

HORIZON_MS = 72 * 3_600_000
"""H of journal 13 for money: the longest outage after which a policy's command still counts."""
RING_CAP = 64_000
"""Who plays 24 sit-and-gos of five minutes side by side for ten hours a day enters 8,640 of them within the horizon;
with a bounty each and now and then a prize that is three commands of policies for each. A full ring takes 3 MB of a
snapshot's 16; what finds no room comes again (`libs/journal/again.py`)."""

WalletMachine = Machine[State, WalletCommand, WalletEvent, None]
decode_command = command_reader(ALL_WALLET_COMMANDS)
"""Raises Malformed: an unknown type, or a body that is out of bounds."""


def wallet_machine(kept: Kept = KEPT, bounds: CashBounds = BOUNDS) -> WalletMachine:
    """`kept`: how long accounts remember what is over. `bounds`: of what one person moves alone."""
    return Machine(
        service="wallet",
        decider=WalletDecider(kept, bounds),
        decode_command=decode_command,
        encode_event=encode_fact,
        decode_event=decode_fact,
        encode_state=lambda stream, state: journal_format.encode_state(state),
        decode_state=lambda stream, raw: journal_format.decode_state(raw),
        reads=journal_format.reads_state,
        fresh=lambda state, command: None,
        refusal=refusal_in,
        horizon_ms=HORIZON_MS,
        ring_cap=RING_CAP,
    )


def refusal_in(caused: Sequence[WalletEvent]) -> str | None:
    """Why the sender is refused although the refusal is an event: a withdrawal, a reserve, or money that waits for a
    second person. None: no refusal."""
    for event in caused:
        if isinstance(event, events.CashRequested):
            return str(AccountReason.WAITS_FOR_ANOTHER)
        if isinstance(event, events.WithdrawalRefused | events.ReserveRefused):
            return event.reason
    return None
