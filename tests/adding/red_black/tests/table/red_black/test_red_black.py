"""Red or black, from the table to everybody who reads it, without a line of theirs written for it."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from libs.cards.card import parse
from libs.contracts import red_black_events as e
from libs.contracts.banked_rounds import BankedDeckDealt
from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.configurations import flat
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import decode_fact, encode_fact, wire_name
from libs.journal.log import LogRecord
from libs.sealing.deck import Deck
from libs.sealing.sealed import Keyring
from libs.views.records import Records, fold_records
from libs.views.table import TableView, fold_table, seen, shown_to
from services.audit.verifying.dealt import Decks, PublicDecks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.findings import Kind
from services.cli.contracts import contract_files
from services.cli.reference import reference_files
from services.cli.secrecy.hands import Hand, note
from services.cli.secrecy.order import ShowingOrder
from services.gateway.app.doors import PLAYERS_DOORS
from services.gateway.views.lobby import lobby_row, published_rules
from services.table.domain.table.state import Table
from services.table.journal_format import TableFormat
from services.wallet.projections.house_edges import edges_of
from services.wallet.projections.transfers import stated_balances, transfers_of
from tests.table.red_black.play import RedBlackUnderTest, an_evening
from tests.table.test_every_game import STEPS, play_at_random
from tests.table.under_test import refolded

CODEC = TableFormat(Keyring({"k1": bytes(range(32))}, "k1"))


@pytest.fixture(scope="module")
def table() -> RedBlackUnderTest:
    return an_evening()


def test_colours_are_paid_one_to_one_and_an_ace_is_the_house_s(table: RedBlackUnderTest) -> None:
    settled = table.of(e.ColoursSettled, everything=True)
    nets = [(each.colour, [result.net for result in each.results], each.house) for each in settled]
    assert nets == [("red", [1_000, -500], -500), ("black", [-1_000, 500], 500), ("ace", [-1_000, -500], 1_500)]
    assert (table.state.bank, table.stacks) == (51_500, {1: 9_000, 2: 9_500})
    assert len(table.of(e.ColoursLapsed, everything=True)) == len(table.of(e.ColoursVoided, everything=True)) == 1


def test_limits_and_clocks() -> None:
    table = RedBlackUnderTest().seat(1)
    table.until_due()
    refusals = [table.stake(1, "red", 99), table.stake(1, "red", 2_001), table.stake(1, "red", 100, round=9)]
    assert refusals == ["colour_below_minimum", "colour_above_maximum", "wrong_round"]
    assert (table.take_back(1, "red"), table.void()) == ("no_stake", "no_round")
    assert table.deal(1) == "dealt_by_the_clock"
    table.now = table.state.running.until or 0
    assert table.stake(1, "red", 100) == "betting_is_closed"
    assert RedBlackUnderTest(bank=9_999).refused_opening == "bank_too_small"


def test_a_single_player_asks_for_the_card_and_who_goes_is_paid_in_absence() -> None:
    table = RedBlackUnderTest(mode="single").seat(1)
    table.until_due()
    assert table.stake(1, "red", 1_000) is None
    assert table.deal(1) is None
    assert table.until_due("2d").of(e.ColoursSettled)[0].house == -1_000
    assert table.stake(1, "red", 1_000) is None
    assert table.leave(1) is None
    table.until_due("2d")
    assert [type(event).__name__ for event in table.last][-2:] == ["ColoursSettled", "PlayerLeft"]
    assert table.last[-1].stack == 12_000


def test_a_round_that_stood_still_too_long_is_void() -> None:
    table = RedBlackUnderTest().seat(1)
    table.until_due()
    assert table.stake(1, "red", 1_000) is None
    table.now += 20_000 + 120_000
    assert table.wake().of(e.ColoursVoided)[0].refunds[0].amount == 1_000


@settings(max_examples=20, deadline=None)
@given(steps=STEPS)
def test_money_in_is_money_there_and_money_out_over_any_course(steps: list[tuple[int, int, int]]) -> None:
    play_at_random("red_black", steps)


def test_the_deck_is_sealed_beside_and_in_no_event(table: RedBlackUnderTest) -> None:
    state: Any = Table(table="t1")
    for event, deck in zip(table.told, table.decks, strict=True):
        assert (deck is not None) == isinstance(event, BankedDeckDealt)
        if deck is not None:
            sealed = CODEC.seal("t1", state.version, deck)
            assert CODEC.unseal("t1", state.version, sealed).material == deck.material
        name, data = encode_fact(event)
        assert b"salt_secret" not in data
        state = refolded(state, decode_fact(name, data), deck)
    assert state == table.state
    assert CODEC.decode_state("t1", CODEC.encode_state("t1", state)) == state


def test_everybody_sees_stakes_and_results() -> None:
    table = RedBlackUnderTest().seat(1, 2)
    table.until_due()
    assert table.stake(1, "red", 1_000) is None
    view = _view(table)
    assert view.round is not None
    assert (view.round.phase, view.round.seats[1].stakes, view.staked_by("p1")) == ("betting", {"red": 1_000}, 1_000)
    assert view.round.until == table.state.running.until
    table.until_due("Th")
    view = _view(table)
    assert view.round is not None
    assert (view.round.phase, view.round.seats[1].result and view.round.seats[1].result["net"]) == ("over", 1_000)
    assert seen(shown_to(view, "p1", ())).seats == view.seats
    assert {number: seat.stack for number, seat in view.seats.items()} == table.stacks


def test_the_lobby_and_the_rules_in_words(table: RedBlackUnderTest) -> None:
    view = _view(table)
    assert lobby_row(view)["limits"] == {"min_stake": 100, "max_stake": 2_000}
    rules = published_rules(view)
    assert (
        rules["taking_part"][0]
        == "5 seats, with a buy-in of 100.00 EUR to 100.00 EUR; top up to 200.00 EUR between rounds."
    )
    assert "Stake 1.00 EUR to 20.00 EUR on red, on black, or on both." in rules["taking_part"]
    assert (rules["regulation"], rules["game"]) == (None, "red_black")


def test_the_round_is_on_record(table: RedBlackUnderTest) -> None:
    told, records = Records(), []
    for version, event in enumerate(table.told, start=1):
        told = fold_records(told, event, version)
        if isinstance(event, e.ColoursSettled | e.ColoursVoided):
            records.append(told.record)
    first: Any = records[0]
    dealt = table.of(e.ColourDeckDealt, everything=True)[0]
    assert (first.game, first.outcome, first.details, first.deck_root) == (
        "red_black", "ended", {"colour": "red"}, dealt.deck_root,
    )  # fmt: skip
    assert [(seat.staked, seat.credited) for seat in first.seats] == [(1_000, 2_000), (500, 0)]
    assert [card.card for card in first.cards] == ["Th"]
    assert records[-1].outcome == "void"  # type: ignore[union-attr]


def test_its_doors_and_documents_are_there() -> None:
    assert {"stake_on_colour", "take_back_colour"} <= set(PLAYERS_DOORS)
    files = contract_files()
    assert "say_stake_on_colour" in msgspec.yaml.decode(files["asyncapi.yaml"])["components"]["messages"]
    assert f"{wire_name(e.ColoursSettled)}.schema.json" in files
    pages = reference_files()
    assert "`min_stake`" in pages["configuration/red-black.md"]
    assert "## Red black" in pages["reasons.md"]
    assert "colour_above_maximum" in pages["reasons.md"]


def test_books_balance_after_every_event(table: RedBlackUnderTest) -> None:
    """Each transfer has two sides; stakes lie in the round, and what is stated is what was booked."""
    balances: dict[str, int] = {}
    for event in table.told:
        for transfer in transfers_of(event, "real"):
            balances[transfer.debit] = balances.get(transfer.debit, 0) - transfer.amount
            balances[transfer.credit] = balances.get(transfer.credit, 0) + transfer.amount
        assert all(balances.get(account, 0) == stated for account, stated in stated_balances(event)), event
    assert sum(balances.values()) == 0
    bank = [amount for account, amount in balances.items() if account.startswith("bank/")]
    assert bank == [table.state.bank]
    assert not [account for account, amount in balances.items() if account.startswith("round/") and amount]
    assert edges_of(flat(table.state.rules)) == {"red": 76_923, "black": 76_923}


@pytest.mark.parametrize("fold", [PublicDecks, Decks])
def test_the_auditor_proves_every_card_and_finds_a_changed_one(
    table: RedBlackUnderTest, fold: type[PublicDecks]
) -> None:
    decks = fold()
    assert _audited(decks, table.told, table.decks) == []
    assert (decks.hands, decks.cards_proved) == (3, 3)
    changed = [
        replace(event, cards=[replace(event.cards[0], card="2s")]) if isinstance(event, e.ColourShown) else event
        for event in table.told
    ]
    assert _audited(fold(), changed, table.decks) == [Kind.CARD_PROOF] * 3
    if fold is Decks:
        others = [_another(deck) if deck is not None else None for deck in table.decks]
        assert Kind.DECK_ROOT in _audited(Decks(), table.told, others)


def test_the_secrecy_scan_knows_its_cards(table: RedBlackUnderTest) -> None:
    dealt = table.of(e.ColourDeckDealt, everything=True)
    hands = {("t1", each.round): Hand("t1", each.round, table.deck_of(each)) for each in dealt}
    order = ShowingOrder(dict(hands))
    found = [
        wrong for version, event in enumerate(table.told, start=1) for wrong in order.take(_record(event, version))
    ]
    assert (found, order.events) == ([], len(table.told))
    shown = table.of(e.ColourShown, everything=True)[0]
    early = ShowingOrder(dict(hands))
    assert list(early.take(_record(replace(shown, round=dealt[0].round), 1))), "a card before its deck"
    note(hands["t1", dealt[0].round], shown)
    assert hands["t1", dealt[0].round].public_cards == {"Th"}


def _view(table: RedBlackUnderTest) -> TableView:
    view = TableView(table="t1")
    for version, event in enumerate(table.told, start=1):
        view = fold_table(view, decode_fact(*encode_fact(event)), version)
    return view


def _public(event: Any, version: int) -> PublicEvent:
    name, data = encode_fact(event)
    return PublicEvent(stream="t1", version=version, type=name, time=event.at, causation="c", data=data)


def _record(event: Any, version: int) -> LogRecord:
    key, value, headers = to_record(_public(event, version))
    return LogRecord(version, key, value, headers)


def _audited(decks: PublicDecks, told: list[Any], sealed: list[Any]) -> list[Kind]:
    found = []
    for version, (event, deck) in enumerate(zip(told, sealed, strict=True), start=1):
        found += [finding.kind for finding in check_deck(decks, _public(event, version), event, deck)]
    return found


def _another(deck: Deck) -> Deck:
    cards = (*deck.cards[1:], deck.cards[0])
    assert cards[0] != parse("Th")
    return Deck.of(cards, deck.salt_secret, deck.data_key)
