"""The auditor and shoes: an honest evening is proved card by card, and every way to cheat with a card is found."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from libs.cards.card import name_of, parse
from libs.contracts.baccarat_events import CoupDealt, CoupSettled, ShoeStarted, SideShown, ThirdCardDealt
from libs.contracts.facts import TableEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.journal.commit import Commit
from libs.sealing.deck import Shoe
from libs.sealing.merkle import deck_tree
from libs.sealing.sealed import Keyring
from libs.sealing.shuffle import Shuffler
from services.audit.sealed_decks import SealedDecks
from services.audit.verifying.dealt import Decks, PublicDecks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.findings import Finding, Kind
from services.table.domain.games.baccarat.dealing import Winner
from services.table.journal_format import TableFormat
from tests.table.baccarat.play import CoupTable

KEYRING = Keyring({"kek-1": bytes(range(32))}, "kek-1")
Shoes = dict[int, Shoe]
"""The shoe of each ShoeStarted, by its number."""


@pytest.fixture(scope="module")
def table() -> CoupTable:
    """Twenty coups, a new shoe in their midst."""
    table = CoupTable().seat(1)
    for coup in range(20):
        if table.state.round is None:
            table.wake()
        assert table.bet(1, "ponto 100") is None
        if coup == 9:
            assert table.change(2, decks=6) is None
        table.close_bets()
    assert len(table.of(ShoeStarted, everything=True)) == 2
    return table


@pytest.fixture(scope="module")
def told(table: CoupTable) -> list[TableEvent]:
    return table.told


@pytest.fixture(scope="module")
def shoes(table: CoupTable) -> Shoes:
    return shoes_of(table)


def shoes_of(table: CoupTable) -> Shoes:
    return {event.shoe: table.deck_of(event) for event in table.of(ShoeStarted, everything=True)}


def audited(events: list[TableEvent], fold: PublicDecks, shoes: Shoes) -> list[Finding]:
    found: list[Finding] = []
    for version, event in enumerate(events, start=1):
        name, data = encode_fact(event)
        told = PublicEvent(stream="b1", version=version, type=name, time=event.at, causation="c", data=data)
        found += check_deck(fold, told, event, shoes[event.shoe] if isinstance(event, ShoeStarted) else None)
    return found


@pytest.mark.parametrize("fold", [PublicDecks, Decks])
def test_an_honest_evening_is_proved_card_by_card(
    told: list[TableEvent], shoes: Shoes, fold: type[PublicDecks]
) -> None:
    state = fold()
    assert audited(told, state, shoes) == []
    turned = sum(2 for event in told if isinstance(event, SideShown)) + sum(
        1 for event in told if isinstance(event, ThirdCardDealt)
    )
    assert state.cards_proved == turned >= 80
    assert state.hands == 2
    assert getattr(state, "decks_opened", 2) == 2


def changed(told: list[TableEvent], kind: type, change: Callable[[Any], Any]) -> list[TableEvent]:
    """The same evening with the first event of a kind changed."""
    at = next(place for place, event in enumerate(told) if isinstance(event, kind))
    return [*told[:at], change(told[at]), *told[at + 1 :]]


def another_card(shown: SideShown) -> SideShown:
    """A better card of the same place, with the proof of the one that lay there."""
    first = shown.cards[0]
    card = name_of((parse(first.card) + 4) % 52)
    return replace(shown, cards=[replace(first, card=card), *shown.cards[1:]])


def from_another_shoe(started: ShoeStarted) -> ShoeStarted:
    return replace(started, deck_root=deck_tree(Shuffler().shoe(8).shoe).root.hex())


@pytest.mark.parametrize(
    ("kind", "change", "finding"),
    [
        (SideShown, another_card, Kind.CARD_PROOF),
        (SideShown, lambda shown: replace(shown, cards=shown.cards[::-1]), Kind.DEAL_ORDER),
        (CoupDealt, lambda dealt: replace(dealt, ponto=dealt.banca, banca=dealt.ponto), Kind.DEAL_ORDER),
        (CoupDealt, lambda dealt: replace(dealt, ponto=[at + 8 for at in dealt.ponto]), Kind.DEAL_ORDER),
        (ShoeStarted, from_another_shoe, Kind.CARD_PROOF),
        (ShoeStarted, lambda started: replace(started, decks=6), Kind.DEAL_ORDER),
        (ShoeStarted, lambda started: replace(started, burned=[3]), Kind.DEAL_ORDER),
    ],
)
def test_a_card_that_was_not_committed_to_or_not_dealt_there_is_found(
    told: list[TableEvent], shoes: Shoes, kind: type, change: Callable[[Any], Any], finding: Kind
) -> None:
    for fold in (PublicDecks(), Decks()):
        assert finding in {found.kind for found in audited(changed(told, kind, change), fold, shoes)}


def settled(told: list[TableEvent], **wanted: Any) -> CoupSettled:
    return next(event for event in told if isinstance(event, CoupSettled)
                and all(getattr(event, name) == value for name, value in wanted.items()))  # fmt: skip


def paid(event: CoupSettled, **changes: int) -> CoupSettled:
    """The same coup with its first bet paid otherwise."""
    first = event.results[0]
    return replace(event, results=[replace(first, bets=[replace(first.bets[0], **changes), *first.bets[1:]])])


def _another(winner: Winner) -> Winner:
    return "banca" if winner == "ponto" else "ponto"


@pytest.mark.parametrize(
    "lie",
    [
        lambda told, event: [replace(e, winner=_another(e.winner)) if e is event else e for e in told],
        lambda told, event: [replace(e, ponto=(e.ponto + 1) % 10) if e is event else e for e in told],
        lambda told, event: [paid(e, credited=150) if e is event else e for e in told],
        lambda told, event: [paid(e, commission=5) if e is event else e for e in told],
        lambda told, event: [e for e in told if not isinstance(e, ThirdCardDealt)],
        lambda told, event: [e for e in told if not isinstance(e, SideShown)],
    ],
    ids=["winner", "score", "credit", "commission", "third card", "no card"],
)
def test_a_result_that_the_cards_do_not_give_is_found(
    told: list[TableEvent], shoes: Shoes, lie: Callable[..., list[TableEvent]]
) -> None:
    found = audited(lie(told, settled(told)), PublicDecks(), shoes)
    assert Kind.ROUND_RESULT in {finding.kind for finding in found}


@pytest.mark.parametrize("mode", ["none", "five-percent", "half-on-5", "half-on-6"])
def test_the_auditors_own_rules_agree_with_the_tables_over_many_coups(mode: str) -> None:
    """Every chance staked on in 120 coups."""
    table = CoupTable(commission_mode=mode).seat(1, 2, amount=10_000_000)
    for _ in range(120):
        if table.state.round is None:
            table.wake()
        assert table.bet(1, "ponto 105", "empate 100", "par_ponto 100", "par_banca 100") is None
        assert table.bet(2, "banca 105") is None
        table.close_bets()
    assert audited(table.told, Decks(), shoes_of(table)) == []
    assert {event.winner for event in table.told if isinstance(event, CoupSettled)} >= {"ponto", "banca"}


def test_a_coup_dealt_twice_from_the_same_cards_is_found(told: list[TableEvent], shoes: Shoes) -> None:
    first = next(event for event in told if isinstance(event, CoupDealt))
    again = [replace(event, ponto=first.ponto, banca=first.banca) if isinstance(event, CoupDealt) else event
             for event in told]  # fmt: skip
    found = audited(again, PublicDecks(), shoes)
    assert sum(finding.kind == Kind.DEAL_ORDER for finding in found) >= 18


def test_a_shoe_exchanged_after_the_commitment_is_found(told: list[TableEvent], shoes: Shoes) -> None:
    kinds = {finding.kind for finding in audited(told, Decks(), shoes | {1: Shuffler().shoe(8).shoe})}
    assert {Kind.DECK_ROOT, Kind.CARD_NOT_IN_DECK} <= kinds


def journalled(told: list[TableEvent], shoes: Shoes) -> list[Commit]:
    """A commit for each event, its shoe sealed beside it."""
    codec = TableFormat(KEYRING)
    return [
        Commit(
            "b1", base, bytes(32), bytes(16), "s", 0, 0, "accepted", None, None, "", (encode_fact(event),), "w", 1,
            sealed=codec.seal("b1", base, shoes[event.shoe]) if isinstance(event, ShoeStarted) else b"",
        )
        for base, event in enumerate(told)
    ]  # fmt: skip


def inspected(decks: SealedDecks, told: list[TableEvent], shoes: Shoes) -> list[Finding]:
    return [finding for commit in journalled(told, shoes) for finding in decks.inspect(commit)]


def test_every_sealed_shoe_opens_for_the_auditor_and_leads_to_its_root(told: list[TableEvent], shoes: Shoes) -> None:
    decks = SealedDecks(KEYRING)
    assert inspected(decks, told, shoes) == []
    assert decks.opened == 2
    (finding,) = inspected(SealedDecks(KEYRING), changed(told, ShoeStarted, from_another_shoe), shoes)
    assert (finding.kind, "shoe 1" in finding.detail) == (Kind.DECK_ROOT, True)


def test_a_shoe_under_another_key_is_said(told: list[TableEvent], shoes: Shoes) -> None:
    wrong = Keyring({"kek-1": bytes(32)}, "kek-1")
    found = inspected(SealedDecks(wrong), told, shoes)
    assert [finding.kind for finding in found] == [Kind.DECK_UNREADABLE] * 2
