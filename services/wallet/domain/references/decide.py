"""An operator's reference is claimed before money moves under it: the same again is nothing new, else a conflict."""

from msgspec.structs import replace

from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.messages import Principal
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import ClaimReference, account_id, claimant, references_of
from libs.contracts.wallet_events import ReferenceClaimed
from libs.decider import Decided, Rejected
from services.wallet.domain.account.rejections import rejected
from services.wallet.domain.account.state import key_of
from services.wallet.domain.references.state import References


def decide(state: References, command: WalletCommand, by: Principal) -> Decided[References, WalletEvent] | Rejected:
    if by.kind not in command.may_ask:
        return rejected(Reason.NOT_ALLOWED)
    if not isinstance(command, ClaimReference) or references_of(claimant(by), command.reference) != state.stream:
        return rejected(Reason.WRONG_ACCOUNT)
    event = ReferenceClaimed(
        account=account_id(command.player, command.currency, command.kind),
        player=command.player,
        currency=command.currency,
        reference=command.reference,
        purpose=command.purpose,
        amount=command.amount,
        by=claimant(by),
    )
    key, content = _entry(event)
    if (known := state.claimed.get(key)) is not None:
        return Decided() if known == content else rejected(Reason.REFERENCE_CONFLICT)
    return Decided([event], [evolve(state, event)])


def evolve(state: References, event: WalletEvent) -> References:
    assert isinstance(event, ReferenceClaimed), "nothing else happens to references"
    key, content = _entry(event)
    return replace(state, claimed=state.claimed.insert(key, content))


def _entry(event: ReferenceClaimed) -> tuple[bytes, bytes]:
    return key_of(event.by, event.reference), key_of(event.account, event.purpose, str(event.amount))
