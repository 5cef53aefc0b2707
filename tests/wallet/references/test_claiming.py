"""An operator's reference counts once, whatever the account; another operator's of the same name is its own."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.commands import WalletCommand
from libs.contracts.messages import Principal
from libs.contracts.registry import encode_fact
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import ClaimReference, DepositFunds, references_of
from libs.contracts.wallet_events import ReferenceClaimed
from libs.decider import Given, Rejected
from services.audit.verifying.asked_for import told_otherwise
from services.wallet.domain.decide import State, WalletDecider
from services.wallet.domain.references.state import References
from services.wallet.journal_format import decode_state, encode_state

ACME, OTHER = Principal("operator", "acme"), Principal("operator", "other")
DECIDER = WalletDecider()
CLAIM = ClaimReference(reference="r1", player="ann", currency="EUR", purpose="deposit", amount=100)


def ask(state: State, command: WalletCommand, by: Principal = ACME) -> tuple[State, Any]:
    answer = DECIDER.decide(state, command, Given(0, None, by))
    if isinstance(answer, Rejected):
        return state, answer.reason
    assert told_otherwise("wallet", command, by, map(encode_fact, answer.events)) is None, "as the auditor has it"
    for event in answer.events:
        state = DECIDER.evolve(state, event)
    return state, list(answer.events)


def register(by: Principal = ACME, reference: str = "r1") -> State:
    return DECIDER.initial(references_of(str(by), reference))


def test_the_first_use_is_told_and_the_same_again_is_nothing_new() -> None:
    state, events = ask(register(), CLAIM)
    (claimed,) = events
    assert isinstance(claimed, ReferenceClaimed)
    assert (claimed.account, claimed.reference, claimed.by) == ("account-ann-EUR", "r1", "operator:acme")
    assert ask(state, CLAIM) == (state, [])


@pytest.mark.parametrize(
    "other", [{"player": "bob"}, {"currency": "USD"}, {"kind": "demo"}, {"purpose": "withdrawal"}, {"amount": 101}]
)
def test_anything_else_under_it_is_a_conflict(other: dict[str, Any]) -> None:
    state, _ = ask(register(), CLAIM)
    assert ask(state, replace(CLAIM, **other)) == (state, Reason.REFERENCE_CONFLICT)


def test_each_operator_has_references_of_its_own() -> None:
    state, _ = ask(register(), CLAIM)
    assert isinstance(state, References)
    theirs = References(references_of(str(OTHER), "r1"), state.claimed)
    _, events = ask(theirs, replace(CLAIM, player="bob"), OTHER)
    assert len(events) == 1


def test_only_the_stream_of_the_reference_takes_it() -> None:
    elsewhere = register(reference="r2")
    assert ask(elsewhere, CLAIM) == (elsewhere, Reason.WRONG_ACCOUNT)
    account = DECIDER.initial("account-ann-EUR")
    assert ask(account, CLAIM) == (account, Reason.WRONG_ACCOUNT)
    assert ask(register(), DepositFunds(reference="r1", amount=100))[1] == Reason.WRONG_ACCOUNT
    assert ask(register(), CLAIM, Principal("player", "ann"))[1] == Reason.NOT_ALLOWED


def test_references_outlive_a_restart() -> None:
    state, _ = ask(register(), CLAIM)
    assert decode_state(encode_state(state)) == state
