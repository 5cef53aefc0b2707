"""The account bound to bytes, as the journal's runner and follower want it."""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import ValidationError

from libs.contracts import wallet_commands as wire
from libs.contracts import wallet_events as events
from libs.contracts.facts import WalletEvent
from libs.contracts.messages import CommandMessage, Message
from libs.contracts.registry import decode_fact, encode_fact
from libs.journal.machine import Machine, Malformed
from services.wallet import journal_format
from services.wallet.domain.account import commands
from services.wallet.domain.account.commands import By
from services.wallet.domain.account.decide import AccountDecider
from services.wallet.domain.account.state import State

HORIZON_MS = 72 * 3_600_000
"""H of journal 13 for money: the longest outage after which a policy's command still counts."""

WalletMachine = Machine[State, commands.Command, WalletEvent, None]
BodyT = TypeVar("BodyT", bound=Message)


def wallet_machine() -> WalletMachine:
    return Machine(
        service="wallet",
        decider=AccountDecider(),
        decode_command=decode_command,
        encode_event=encode_fact,
        decode_event=decode_fact,
        encode_state=lambda stream, state: journal_format.encode_state(state),
        decode_state=lambda stream, raw: journal_format.decode_state(raw),
        fresh=lambda state, command: None,
        refusal=refusal_in,
        horizon_ms=HORIZON_MS,
    )


def refusal_in(caused: Sequence[WalletEvent]) -> str | None:
    """A refused withdrawal or hold is an event, and its sender still has to read a no."""
    for event in caused:
        if isinstance(event, events.WithdrawalRefused | events.HoldRefused):
            return event.reason
    return None


def decode_command(message: CommandMessage) -> commands.Command:
    """Raises Malformed: an unknown type, or a body that is out of bounds."""
    by = By(message.principal.kind, message.principal.id)
    match message.type:
        case "OpenAccount":
            opened = _body(wire.OpenAccount, message)
            return commands.OpenAccount(by, opened.player, opened.currency, opened.kind == "demo")
        case "DepositFunds":
            deposit = _body(wire.DepositFunds, message)
            return commands.DepositFunds(by, deposit.reference, deposit.amount)
        case "WithdrawFunds":
            withdrawal = _body(wire.WithdrawFunds, message)
            return commands.WithdrawFunds(by, withdrawal.reference, withdrawal.amount)
        case "HoldFunds":
            hold = _body(wire.HoldFunds, message)
            return commands.HoldFunds(by, hold.hold, hold.sitting, hold.table, hold.amount)
        case "ReleaseHold":
            release = _body(wire.ReleaseHold, message)
            return commands.ReleaseHold(by, release.hold, release.reason)
        case "SettleHold":
            settlement = _body(wire.SettleHold, message)
            return commands.SettleHold(by, settlement.sitting, settlement.returned, settlement.settlement)
        case "ChargeFee":
            fee = _body(wire.ChargeFee, message)
            return commands.ChargeFee(by, fee.fee, fee.table, fee.rulebook, fee.amount)
        case "ReportSignal":
            signal = _body(wire.ReportSignal, message)
            return commands.ReportSignal(by, signal.report, signal.kind, signal.value)
        case _:
            raise Malformed("type is no command of the wallet")


def _body(expected: type[BodyT], message: CommandMessage) -> BodyT:
    try:
        return expected.model_validate(message.body)
    except ValidationError as wrong:
        fields = ", ".join(".".join(map(str, e["loc"])) for e in wrong.errors(include_input=False, include_url=False))
        raise Malformed(f"body of {message.type} out of bounds: {fields}") from None
