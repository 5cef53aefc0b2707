"""Whatever players and staff do: money adds up at every event, and no card of a shoe is dealt twice."""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.contracts.baccarat_events import (
    CoupDealt,
    CoupSettled,
    CoupVoided,
    ShoeStarted,
    SideShown,
    StakePlaced,
    StakeWithdrawn,
    ThirdCardDealt,
)
from libs.contracts.bank_events import BankCovered, BankOpened, BankToppedUp
from services.table.domain.games.baccarat.paying import CHANCES, PAYS
from services.table.domain.table.state import Table
from tests.table.baccarat.play import CHAPTER_I, MACAU, CoupTable
from tests.table.under_test import refolded

_SEATS = st.integers(1, 4)
_CHANCES = st.sampled_from(CHANCES)
_AMOUNTS = st.one_of(st.integers(1, 12_000), st.sampled_from([100, 105, 110, 7000, 1500, 800]))
_STEPS = st.one_of(
    st.tuples(st.just("bet"), _SEATS, _CHANCES, _AMOUNTS),
    st.tuples(st.just("bet"), _SEATS, _CHANCES, _AMOUNTS),
    st.tuples(st.just("withdraw"), _SEATS, _CHANCES, st.one_of(st.none(), _AMOUNTS)),
    st.tuples(st.just("close_bets")),
    st.tuples(st.just("close_bets")),
    st.tuples(st.just("void")),
    st.tuples(st.just("leave"), _SEATS),
    st.tuples(st.just("sit"), _SEATS),
    st.tuples(st.just("late")),
    st.tuples(st.just("change"), st.sampled_from(["none", "five-percent", "half-on-6"]), st.sampled_from([6, 8])),
)  # fmt: skip


def run(table: CoupTable, steps: list[Any]) -> None:
    for number, (what, *how) in enumerate(steps):
        table.now += 10
        if table.state.round is None:
            table.wake()
        coup = table.state.round
        if what == "bet":
            table.bet(how[0], f"{how[1]} {how[2]}")
        elif what == "withdraw" and coup is not None:
            table.withdraw(*how)
        elif what == "close_bets" and coup is not None:
            table.now = coup.until or table.now
            table.wake()
        elif what == "late" and coup is not None:
            table.now = (coup.until or table.now) + coup.rules.timing.resume_ms
            table.wake(outage=True)
        elif what == "void":
            table.void()
        elif what == "leave":
            table.leave(how[0])
        elif what == "sit":
            table.take(how[0])
        elif what == "change":
            table.change(number + 2, commission_mode=how[0], decks=how[1])


@settings(max_examples=60, deadline=None)
@given(st.lists(_STEPS, max_size=60), st.sampled_from([CHAPTER_I, MACAU]))
def test_stakes_in_are_credits_and_what_the_house_keeps_at_every_event(steps: list[Any], rulebook: str) -> None:
    table = CoupTable(rulebook).seat(1, 2, 3)
    run(table, steps)
    in_play, bank = 0, 0
    state: Any = Table(table="b1")
    for event, deck in zip(table.told, table.decks, strict=True):
        state = refolded(state, event, deck)  # which checks all chips of the table, too
        match event:
            case BankOpened() | BankCovered() | BankToppedUp():
                bank += event.amount
            case StakePlaced():
                in_play += event.amount
            case StakeWithdrawn():
                in_play -= event.amount
            case CoupVoided():
                in_play -= sum(refund.amount for refund in event.refunds)
            case CoupSettled():
                in_play -= sum(result.staked for result in event.results)
                bank += event.house
                _check_settlement(event)
        assert state.in_play == in_play
        assert state.bank == bank
    assert state == table.state


def _check_settlement(settled: CoupSettled) -> None:
    staked = sum(result.staked for result in settled.results)
    credited = sum(result.credited for result in settled.results)
    commission = sum(result.commission for result in settled.results)
    # What the house keeps is its result before commission, and the commission.
    assert staked == credited + commission + (settled.house - commission)
    pays: dict[str, int] = dict(PAYS.items())
    for result in settled.results:
        assert result.staked == sum(bet.staked for bet in result.bets)
        assert result.credited == sum(bet.credited for bet in result.bets)
        assert result.net == result.credited - result.staked
        for bet in result.bets:
            full = bet.staked * (1 + pays[bet.area])
            assert bet.credited + bet.commission in (0, bet.staked, full)
            assert bet.commission == 0 or (bet.area == "banca" and settled.winner == "banca")


@settings(max_examples=15, deadline=None)
@given(st.integers(5, 40), st.sampled_from([6, 8]), st.integers(0, 5))
def test_no_card_of_a_shoe_is_dealt_twice_and_none_behind_the_cut_card_starts_a_coup(
    cut: int, decks: int, burned: int
) -> None:
    """A hundred coups: a shoe or two to their ends."""
    table = CoupTable(decks=decks, cut_cards=cut, burn_cards=burned).seat(1, amount=1_000_000)
    for _ in range(100):
        if table.state.round is None:
            table.wake()
        assert table.bet(1, "ponto 100") is None, table.refused
        table.close_bets()
    dealt: Counter[int] = Counter()
    seen: dict[int, list[int]] = {}
    for event in table.told:
        if isinstance(event, ShoeStarted):
            dealt, seen = Counter(event.burned), {}
        if isinstance(event, CoupDealt):
            assert decks * 52 - max(dealt, default=-1) - 1 > cut
            dealt.update([*event.ponto, *event.banca])
            seen = {0: event.ponto, 1: event.banca}
        if isinstance(event, ThirdCardDealt):
            dealt[event.card.position] += 1
        if isinstance(event, SideShown):
            assert [card.position for card in event.cards] == seen[event.side == "banca"]
        assert all(times == 1 for times in dealt.values())
    assert max(event.shoe for event in table.of(ShoeStarted, everything=True)) >= 2
