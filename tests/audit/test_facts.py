"""An honest evening passes every check; each lie told of it is found where it was told."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import poker_events
from libs.contracts import table_events as t
from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.sealing.shuffle import Shuffler
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.findings import Finding, Kind
from tests.audit.scripted import DEPOSITED, Script, evening

Lie = Callable[[Any], Fact]


def audited(script: Script, *, grace_ms: int = 0) -> list[Finding]:
    checks = FactChecks()
    found: list[Finding] = []
    for event, fact in zip(script.events, script.facts, strict=True):
        found += checks.take(event, fact, script.deck_of(fact))
    return found + list(checks.end(script.events[-1].time + 1, grace_ms))


def told(kind: type[Fact], lie: Lie, nth: int = 0) -> Script:
    """The evening with its nth fact of this kind replaced."""
    script = evening()
    places = [place for place, fact in enumerate(script.facts) if isinstance(fact, kind)]
    place = places[nth]
    script.facts[place] = lie(script.facts[place])
    return script


def but(**changes: Any) -> Lie:
    return lambda fact: replace(fact, **changes)


def first(part: str, **changes: Any) -> Lie:
    """Changes the first item of a list."""

    def lie(fact: Any) -> Fact:
        items = list(getattr(fact, part))
        items[0] = replace(items[0], **changes)
        changed: Fact = replace(fact, **{part: items})
        return changed

    return lie


def test_an_honest_evening_has_no_findings() -> None:
    script = evening()
    checks = FactChecks()
    for event, fact in zip(script.events, script.facts, strict=True):
        assert list(checks.take(event, fact, script.deck_of(fact))) == []
    assert list(checks.end(script.events[-1].time + 1, grace_ms=0)) == []

    chips, decks = checks.chips["table-1"], checks.decks["table-1"]
    assert (chips.hands_ended, chips.hands_voided, chips.rake) == (1, 1, 65)
    assert (chips.brought, chips.taken, chips.on_table) == (15000, 4900, 15000 - 4900 - 65)
    assert (decks.hands, decks.decks_opened, decks.cards_proved) == (2, 2, 5 + 8)
    assert (checks.accounts["account-cem-EUR"].available, checks.accounts["account-cem-EUR"].settled) == (8900, -100)


@pytest.mark.parametrize(
    ("kind", "lie", "nth", "expected"),
    [
        (t.PlayerSeated, but(stack=5001), 0, Kind.CHIPS),
        (t.PlayerSeated, but(amount=5001), 0, Kind.CHIPS),
        (t.PlayerSeated, but(commission=10), 0, Kind.CHIPS),
        (poker_events.BlindPosted, but(amount=51), 0, Kind.CHIPS),
        (poker_events.BetPlaced, but(stack=4901), 0, Kind.CHIPS),
        (poker_events.BetPlaced, but(stack=-1), 0, Kind.NEGATIVE),
        (poker_events.BetPlaced, but(hand=7), 0, Kind.HAND_ORDER),
        (poker_events.BetPlaced, but(all_in=True), 0, Kind.CHIPS),
        (poker_events.UncalledBetReturned, but(amount=99), 0, Kind.CHIPS),
        (poker_events.PotAwarded, but(amount=1299), 0, Kind.CHIPS),
        (poker_events.PotAwarded, but(rake=64), 0, Kind.CHIPS),
        (poker_events.PotAwarded, first("payments", net=1236), 0, Kind.CHIPS),
        (poker_events.HandEnded, but(rake=66), 0, Kind.CHIPS),
        (poker_events.HandEnded, first("results", staked=599), 0, Kind.CHIPS),
        (poker_events.HandEnded, first("results", won=1), 0, Kind.CHIPS),
        (poker_events.HandStarted, but(hand=5), 1, Kind.HAND_ORDER),
        (poker_events.HandStarted, first("seats", stack=1), 0, Kind.CHIPS),
        (poker_events.HandVoided, first("refunds", amount=49), 0, Kind.CHIPS),
        (t.PlayerLeft, but(stack=4901), 0, Kind.CHIPS),
        (poker_events.HandStarted, but(deck_root="00" * 32), 0, Kind.DECK_ROOT),
        (poker_events.HoleCardsDealt, first("deals", positions=[0, 1, 2, 3]), 0, Kind.DEAL_ORDER),
        (poker_events.StreetDealt, but(burned=[]), 0, Kind.DEAL_ORDER),
        (poker_events.StreetDealt, first("cards", position=40), 0, Kind.DEAL_ORDER),
        (poker_events.StreetDealt, first("cards", salt="00" * 16), 0, Kind.CARD_PROOF),
        (poker_events.StreetDealt, first("cards", salt="not hex"), 0, Kind.CARD_PROOF),
        (poker_events.CardsShown, first("cards", proof=[]), 0, Kind.CARD_PROOF),
        (poker_events.CardsShown, but(seat=3), 0, Kind.DEAL_ORDER),
        (w.FundsDeposited, but(available=9001), 0, Kind.ACCOUNT),
        (w.FundsReserved, but(amount=4999), 0, Kind.ACCOUNT),
        (w.FundsReserved, but(reserved=-5000), 0, Kind.NEGATIVE),
        (w.SittingSettled, but(returned=4901), 0, Kind.ACCOUNT),
        (w.SittingSettled, but(returned=4901, available=8901), 0, Kind.RESERVE),
        (w.SittingSettled, but(brought=4999), 0, Kind.RESERVE),
        (w.SittingSettled, but(sitting="s-nobody"), 0, Kind.RESERVE),
    ],
)  # fmt: skip
def test_a_lie_is_found(kind: type[Fact], lie: Lie, nth: int, expected: Kind) -> None:
    found = audited(told(kind, lie, nth))
    assert expected in {finding.kind for finding in found}


def test_a_finding_names_its_place_and_no_card() -> None:
    script = told(poker_events.StreetDealt, first("cards", card="As"))
    if audited(script) == []:  # the flop's first card was the ace of spades indeed
        script = told(poker_events.StreetDealt, first("cards", card="Kd"))
    (finding,) = audited(script)
    place = next(p for p, fact in enumerate(script.facts) if isinstance(fact, poker_events.StreetDealt))
    assert (finding.kind, finding.version) == (Kind.CARD_PROOF, script.events[place].version)
    assert not any(name in finding.detail for name in ("As", "Kd"))


def test_a_deck_exchanged_after_the_commitment_is_found() -> None:
    script = evening()
    script.decks[1] = Shuffler().shuffle().deck
    kinds = [finding.kind for finding in audited(script)]
    assert kinds[0] == Kind.DECK_ROOT
    assert Kind.CARD_NOT_IN_DECK in kinds


def test_one_break_is_reported_once() -> None:
    found = audited(told(poker_events.BlindPosted, but(amount=51)))
    assert sum("stacks and pots" in finding.detail for finding in found) == 1


def test_an_external_reference_counts_once() -> None:
    script = evening()
    script.at_wallet("cem", w.FundsDeposited, **DEPOSITED, reference="d-cem", amount=1, available=8901)
    assert [finding.kind for finding in audited(script)] == [Kind.ACCOUNT]


def test_a_sitting_that_never_came_home_is_found_after_the_grace_only() -> None:
    script = evening()
    del script.events[-1], script.facts[-1]
    assert audited(script, grace_ms=60_000) == []
    script.at_table(t.TablePaused, by="staff", reason="later")
    assert [finding.kind for finding in audited(script, grace_ms=500)] == [Kind.RESERVE_OPEN]


def test_a_seat_given_up_must_give_its_reserve_back() -> None:
    script = evening()
    reserve = {"reserve": "s-dan", "sitting": "s-dan", "table": "table-1", "amount": 10}
    script.at_wallet("dan", w.FundsDeposited, **DEPOSITED, reference="d", amount=10, available=10)
    script.at_wallet("dan", w.FundsReserved, **reserve, available=0, reserved=10)
    who = {"reservation": "s-dan", "player": "dan", "seat": 4, "currency": "EUR"}
    script.at_table(t.SeatReleased, **who, reason="lapsed")
    script.at_table(t.TablePaused, by="staff", reason="later")
    assert [finding.kind for finding in audited(script)] == [Kind.RESERVE_OPEN]
    script.at_wallet("dan", w.FundsReleased, **reserve, available=10, reserved=0, reason="lapsed")
    assert audited(script) == []


def test_a_missing_version_is_found() -> None:
    script = evening()
    place = next(p for p, fact in enumerate(script.facts) if isinstance(fact, poker_events.PlayerChecked))
    del script.events[place], script.facts[place]
    assert [finding.kind for finding in audited(script)] == [Kind.VERSION_BROKEN]
