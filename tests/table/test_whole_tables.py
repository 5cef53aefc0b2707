"""What holds whoever plays: random tables, acts legal and not, leaves, time-outs, voids; checked on each event."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from libs.cards.variants import VARIANTS
from libs.contracts.messages import Principal
from libs.contracts.poker_events import HandEnded, HandStarted, HandVoided, HoleCardsDealt, StreetDealt
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_commands import ChangeConfiguration
from libs.decider import Rejected
from libs.rulebooks.library import RULEBOOKS
from libs.sealing.sealed import Keyring
from services.table.domain.table.state import Table
from services.table.journal_format import TableFormat
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA, SINTETICO
from tests.table.play import COMMON_OMAHA, HOLDEM, MACAU, PORTUGAL, TableUnderTest
from tests.table.under_test import refolded
from tests.table.views import Seen

CODEC = TableFormat(Keyring({"k1": bytes(range(32))}, "k1"))
STRUCTURES = {
    PORTUGAL: ["pot_limit", "no_limit", "limit_half_pot", "limit_raise_count"],
    MACAU: ["pot_limit_with_raise_cap", "no_limit"],
    HOLDEM: ["no_limit", "pot_limit", "limit_raise_count"],
    COMMON_OMAHA: ["pot_limit", "no_limit", "limit_raise_count"],
    CASINO_HOLDEM: ["no_limit", "pot_limit", "limit_half_pot"],
    CASINO_OMAHA: ["no_limit", "pot_limit", "limit_half_pot"],
    SINTETICO: ["no_limit", "pot_limit", "limit_half_pot"],
}
CASINO = (CASINO_HOLDEM, CASINO_OMAHA, SINTETICO)


@st.composite
def tables(draw: st.DrawFn) -> TableUnderTest:
    open_to_play = [rulebook for rulebook in STRUCTURES if RULEBOOKS[rulebook].enabled]
    rulebook = draw(st.sampled_from(open_to_play))
    if rulebook in CASINO:
        return draw(_casino(rulebook))
    big = draw(st.integers(1, 300))
    changes: dict[str, Any] = {
        "seats": draw(st.integers(2, 10)),
        "structure": draw(st.sampled_from(STRUCTURES[rulebook])),
        "big_blind": big,
        "small_blind": draw(st.integers(1, big)),
        "small_blind_reason": "drawn",
        "buy_in_min": big * 2,
        "buy_in_max": big * 60,
        "top_up_to": big * 80,
        "time_bank_ms": draw(st.sampled_from([0, 5_000])),
        "heads_up_blinds": draw(st.sampled_from(["button_small", "left_of_button"])),
        "absent_hands": draw(st.integers(1, 5)),
    }
    if rulebook == PORTUGAL:
        mode = draw(st.sampled_from(["pot", "buy_in"]))
        low, high = (100, 500) if mode == "pot" else (500, 2000)
        changes |= {"rake_mode": mode, "rake_bp": draw(st.integers(low, high))}
    elif rulebook == MACAU:
        changes |= {"rake_bp": draw(st.integers(300, 500)), "min_unit": draw(st.sampled_from([1, 1, 25]))}
    else:
        changes |= draw(_field_practice(big))
    table = TableUnderTest(rulebook, **changes)
    for seat in range(1, changes["seats"] + 1):
        if seat <= 2 or draw(st.booleans()):
            table.seat(seat, amount=draw(st.integers(changes["buy_in_min"], big * draw(st.sampled_from([3, 60])))))
    return table


@st.composite
def _casino(draw: st.DrawFn, rulebook: str) -> TableUnderTest:
    """A lead seat, three raises, dead and idle blinds, payments in whole minimums, a cap spread over them."""
    big = 2 * draw(st.integers(1, 150))
    changes: dict[str, Any] = {
        "structure": draw(st.sampled_from(STRUCTURES[rulebook])),
        "big_blind": big,
        "min_unit": draw(st.sampled_from([1, big])),
        "rake_bp": draw(st.integers(0, 500)),
        "rake_cap": draw(st.sampled_from([None, 0, big, big * 3])),
        "rake_order": draw(st.sampled_from(["divide_then_rake", "rake_then_divide"])),
        "void_moves_lead": draw(st.booleans()),
        "buy_in_min": big * 2,
        "buy_in_max": big * 60,
        "top_up_to": big * 80,
    }
    if rulebook == SINTETICO:
        changes |= {"ante": draw(st.integers(1, big)), "kind": "demo"}
    else:
        changes |= {"pot_multiplier": draw(st.integers(1, 3))}
    table = TableUnderTest(rulebook, **changes)
    for seat in range(1, table.state.rules.played_seats + 1):
        if seat <= 4 or draw(st.booleans()):
            table.seat(seat, amount=draw(st.integers(big * 2, big * draw(st.sampled_from([3, 60])))))
    return table


def _field_practice(big: int) -> st.SearchStrategy[dict[str, Any]]:
    """Antes, straddles and stacks of a single chip."""
    antes = st.sampled_from([{}, {"ante": max(1, big // 3)}, {"ante": big * 2}, {"big_blind_ante": big}])
    values = st.fixed_dictionaries(
        {
            "straddle": st.sampled_from([0, big * 2]),
            "entry_stack": st.sampled_from(["one_chip", "one_chip", "big_blind"]),
            "rake_bp": st.sampled_from([0, 500]),
            "rake_cap_big_blinds": st.sampled_from([None, 3]),
            "entering": st.sampled_from(["with_big_blind", "missed_blinds"]),
            "missed_big_blind": st.sampled_from(["live", "dead"]),
            "unanswerable_raise": st.booleans(),
            "timer_action": st.sampled_from(["act", "all_in"]),
        }
    )

    blinds = st.sampled_from([{}, {}, {"small_blind": 0}, {"small_blind": 0, "single_blind": True}])

    def joined(drawn: tuple[dict[str, int], dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
        ante, rest, blinds = drawn
        least = big if rest["entry_stack"] == "big_blind" else 1
        return {**ante, **rest, **blinds, "buy_in_min": least, "heads_up_blinds": "button_small"}

    return st.tuples(antes, values, blinds).map(joined)


STEPS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 10**6)), min_size=20, max_size=120)


def _legal_act(table: TableUnderTest, pick: int) -> None:
    check, call, low, high = table.legal
    seat = table.turn
    assert seat is not None
    options: list[tuple[str, int | None]] = [("check" if check else "fold", None)]
    options += [("call", None)] * 2 if call is not None else []
    if low is not None and high is not None:
        options += [("raise", low), ("bet", high), ("raise", low + pick % (high - low + 1))]
    act, to = options[pick % len(options)]
    assert table.act(seat, act, to) is None, (act, to, table.refused)


def _illegal_act(table: TableUnderTest, pick: int) -> None:
    check, call, low, high = table.legal
    seat = table.turn
    assert seat is not None
    options: list[tuple[str, int | None]] = [("raise", None), ("raise", table.hand.bet), ("fold", 1)]
    options += [("raise", high + 1), ("raise", 10**14)] if high is not None else [("raise", table.hand.bet + 1)]
    options += [("raise", low - 1)] if low is not None and low > table.hand.bet else []
    options += [] if check else [("check", None)]
    options += [] if call is not None else [("call", None)]
    act, to = options[pick % len(options)]
    before = table.state
    assert table.act(seat, act, to) is not None, (act, to)
    assert table.state is before


def _seated(table: TableUnderTest, pick: int) -> int:
    seats = sorted(table.state.seats) or [1]
    return seats[pick % len(seats)]


def _other_command(table: TableUnderTest, kind: int, pick: int) -> None:
    seat = _seated(table, pick)
    player = table.state.seats[seat].player if seat in table.state.seats else "nobody"
    if kind == 0:
        table.leave(int(player[1:]) if player != "nobody" else 1)
    elif kind == 1:
        table.sit_out(seat, on_break=bool(pick % 2))
    elif kind == 2:
        table.sit_in(seat, post=bool(pick % 2))
    elif kind == 3:
        free = pick % table.state.rules.seats + 1
        if table.take(free, table.state.rules.entry.buy_in_min + pick % table.state.rules.entry.buy_in_min) is None:
            table.confirm(free)
    elif kind == 4:
        table.top_up(seat, 1 + pick % (table.state.rules.betting.big_blind * 20), f"u{len(table.told)}")
    elif kind == 5:
        for sitter in list(table.state.seats.values()):
            if sitter.top_up is not None:
                (table.confirm_top_up if pick % 3 else table.fail_top_up)(sitter.top_up.id)
    elif kind == 6:
        table.remove(seat)
    elif kind == 7 and pick % 3 == 0:
        table.void()
    elif kind == 8:
        _change_rules(table, pick)


def _change_rules(table: TableUnderTest, pick: int) -> None:
    """A newer version with another minimum bet; whether it is accepted is the rulebook's matter."""
    fields = RULEBOOKS[table.rulebook].fields
    rules = {name: value for name, value in msgspec.to_builtins(table.state.rules).items() if name in fields}
    big = 2 + 2 * (pick % 200) if table.rulebook in CASINO else 1 + pick % 400
    changed = {"mode": "continuous", "version": rules["version"] + 1 + pick % 2, "big_blind": big}
    changed |= {"small_blind": max(1, big // 2)}
    changed |= {"small_blind_reason": "drawn"} if "small_blind_reason" in fields else {}
    staff = Principal("staff", "s")
    table.send(staff, ChangeConfiguration(configuration=rules | changed))


def _step(table: TableUnderTest, kind: int, pick: int) -> None:
    if table.turn is not None and kind < 70:
        _legal_act(table, pick)
    elif table.turn is not None and kind < 78:
        _illegal_act(table, pick)
    elif kind >= 92 or table.turn is None:
        due = table.due
        if due is not None:
            before = table.state.version
            table.now = max(table.now, due)
            table.wake()
            assert table.state.version > before, "a due wake always does something"
        elif table.state.status == "open":
            _other_command(table, 3, pick)
    else:
        _other_command(table, kind - 80 if kind >= 80 else 2, pick)


@pytest.fixture(autouse=True, scope="module")
def _sintetico_enabled() -> Iterator[None]:
    """Its test profile: the rulebook as it is, but open (pt-217-2007 S.1)."""
    shipped = RULEBOOKS[SINTETICO]
    RULEBOOKS[SINTETICO] = replace(shipped, enabled=True)
    yield
    RULEBOOKS[SINTETICO] = shipped


@pytest.mark.rule("pt-811-2015", "1")
@pytest.mark.rule("pt-217-2007", "1", "48", "52")
@settings(max_examples=90, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(tables(), STEPS, st.booleans())
def test_chips_are_conserved_and_hands_end_once(
    table: TableUnderTest, steps: list[tuple[int, int]], close: bool
) -> None:
    for kind, pick in steps:
        _step(table, kind, pick)
    if close and table.state.status == "open":  # casino tables close by themselves (pt-217-2007 24)
        assert table.close() is None
        while table.state.hand is not None:
            _legal_act(table, 0)
        assert table.state.status == "closed"
        assert not table.state.seats
    _check_whole(table)


def _check_whole(table: TableUnderTest) -> None:
    # Chips: conserved() has run after every event; here the books once more by hand.
    books = table.state.books
    in_play = sum(table.stacks.values()) + (table.state.hand.pot if table.state.hand is not None else 0)
    assert books.brought == in_play + books.raked + books.left
    assert books.owed == 0
    # Every hand that started ended once, or was void once, or runs.
    starts = [event.hand for event in table.told if isinstance(event, HandStarted)]
    ends = Counter(event.hand for event in table.told if isinstance(event, HandEnded | HandVoided))
    running = {table.state.hand.number} if table.state.hand is not None else set()
    assert starts == list(range(1, len(starts) + 1))
    assert {hand: 1 for hand in starts if hand not in running} == dict(ends)
    _check_cards(table)
    _check_replay(table)
    Seen("t1").follow(table)


def _check_cards(table: TableUnderTest) -> None:
    """No card lies in two places, and everybody who plays has what the game deals."""
    used: list[int] = []
    for event in table.told:
        if isinstance(event, HandStarted):
            used = []
            assert len(event.seats) >= table.state.rules.entry.min_players
        elif isinstance(event, HoleCardsDealt):
            used += [position for deal in event.deals for position in deal.positions]
            assert {len(deal.positions) for deal in event.deals} == {VARIANTS[table.state.rules.variant].hole_cards}
        elif isinstance(event, StreetDealt):
            used += [card.position for card in event.cards] + event.burned
        assert sorted(used) == list(range(len(used)))


def _check_replay(table: TableUnderTest) -> None:
    """The fold of what was written equals the live state, and so does a snapshot."""
    state = Table(table="t1")
    for event, deck in zip(table.told, table.decks, strict=True):
        decoded = decode_fact(*encode_fact(event))
        assert decoded == event
        state = refolded(state, decoded, deck)
    assert state == table.state
    assert CODEC.decode_state("t1", CODEC.encode_state("t1", state)) == state


def test_a_refusal_is_a_value() -> None:
    table = TableUnderTest()
    assert table.act(1, "check") == "no_hand"
    assert isinstance(table.refused, Rejected)
