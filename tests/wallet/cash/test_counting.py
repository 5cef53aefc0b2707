"""What a person moves alone in a day is counted in one stream, whatever account or gateway it goes by."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.messages import Principal
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import CountCash, DepositFunds, cash_of
from libs.contracts.wallet_events import CashCounted
from libs.decider import Given, Rejected
from libs.money.cash import CashBounds
from services.wallet.domain.cash import decide as cash
from services.wallet.domain.decide import State, WalletDecider
from services.wallet.journal_format import decode_state, encode_state

BO = Principal("staff", "bo")
DECIDER = WalletDecider(bounds=CashBounds(alone_up_to=600, a_day=1_000))
COUNT = CountCash(reference="c1", player="ann", currency="EUR", purpose="deposit", amount=600)
DAY = cash.DAY_MS


def ask(state: State, command: Any, by: Principal = BO, now: int = DAY) -> tuple[State, Any]:
    answer = DECIDER.decide(state, command, Given(now, None, by))
    if isinstance(answer, Rejected):
        return state, answer.reason
    for event in answer.events:
        state = DECIDER.evolve(state, event)
    return state, list(answer.events)


def begun(by: Principal = BO) -> State:
    return DECIDER.initial(cash_of(by.id))


def test_a_day_s_sum_over_all_accounts_in_and_out_is_bounded() -> None:
    state, [counted] = ask(begun(), COUNT)
    assert isinstance(counted, CashCounted)
    assert (counted.account, counted.moved, counted.by) == ("account-ann-EUR", 600, "staff:bo")
    other = replace(COUNT, reference="c2", player="eve", purpose="withdrawal", amount=401)
    assert ask(state, other) == (state, Reason.NEEDS_ANOTHER)
    state, [counted] = ask(state, replace(other, amount=400))
    assert counted.moved == 1_000
    assert ask(state, replace(other, reference="c3", amount=1))[1] == Reason.NEEDS_ANOTHER
    dollars = replace(other, reference="c3", currency="USD", amount=1)
    assert ask(state, dollars)[1] == Reason.NEEDS_ANOTHER, "150 currencies are not 150 bounds"
    assert ask(state, replace(other, reference="c3"), now=2 * DAY - 1)[1] == Reason.NEEDS_ANOTHER
    assert len(ask(state, replace(other, reference="c3"), now=2 * DAY)[1]) == 1, "the next day"
    assert ask(state, replace(other, reference="c3"), now=0)[1] == Reason.NEEDS_ANOTHER, "a clock that went back"
    assert decode_state(encode_state(state)) == state


def test_one_sum_is_bounded() -> None:
    assert ask(begun(), replace(COUNT, amount=601))[1] == Reason.NEEDS_ANOTHER


def test_the_same_again_counts_once_and_other_content_is_a_conflict() -> None:
    state, _ = ask(begun(), COUNT)
    assert ask(state, COUNT) == (state, [])
    assert ask(state, replace(COUNT, player="eve")) == (state, Reason.REFERENCE_CONFLICT)
    assert ask(state, replace(COUNT, amount=1)) == (state, Reason.REFERENCE_CONFLICT)


def test_another_spelling_is_the_same_person_and_another_person_another_stream() -> None:
    state, _ = ask(begun(), COUNT)
    again = replace(COUNT, reference="c2")
    assert ask(state, again, Principal("staff", "BO"))[1] == Reason.NEEDS_ANOTHER
    assert ask(state, again, Principal("staff", "cy"))[1] == Reason.WRONG_ACCOUNT
    assert len(ask(begun(Principal("staff", "cy")), again, Principal("staff", "cy"))[1]) == 1


def test_of_a_day_s_counts_so_many_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cash, "MOST_COUNTED", 1)
    state, _ = ask(begun(), replace(COUNT, amount=1))
    assert ask(state, replace(COUNT, reference="c2", amount=1))[1] == Reason.NEEDS_ANOTHER


def test_people_alone_are_counted_and_nothing_else_happens_there() -> None:
    assert ask(begun(), COUNT, Principal("operator", "bo"))[1] == Reason.NOT_ALLOWED
    assert ask(begun(), DepositFunds(reference="c1", amount=1))[1] == Reason.WRONG_ACCOUNT
    assert ask(DECIDER.initial("account-ann-EUR"), COUNT)[1] == Reason.WRONG_ACCOUNT
