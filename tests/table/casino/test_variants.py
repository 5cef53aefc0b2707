"""Hold'em has the rules of Omaha but for its cards: pt-217-2007 2.b, 3, 92. The same wishes, the same answers."""

from typing import Any

import msgspec

from libs.cards.variants import VARIANTS
from libs.contracts.poker_events import BlindPosted, CardsShown, HoleCardsDealt
from libs.rulebooks.library import RULEBOOKS
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA, casino, led, numbered, pack_for, rule
from tests.table.casino.test_casino_rulebooks import accepted, refusals
from tests.table.play import TableUnderTest, stacked
from tests.testkit.cases import Case

OF_THE_CARDS = {
    "deals", "cards", "burned", "deck_root", "deck_leaves", "category", "hole_used", "board_used",
    "rulebook", "rulebook_hash", "configuration",
}  # fmt: skip
OWN = {"id", "title", "variant", "example", "digest"}
"""What the two rulebooks may say differently; and each is mixed with the other."""
CHOICES: list[dict[str, Any]] = [
    {"rake_mode": ...}, {"raise_cap": 4}, {"seats": 9}, {"big_blind": 201}, {"small_blind": 50}, {"ante": 10},
    {"pot_multiplier": 4}, {"table_max": 400}, {"dealer": "live"}, {"rebuy": 0}, {"sessions": 0},
    {"dealer": "live", "shuffler": "automatic", "decks": "R1:red,R2:red"}, {"rake_mode": "session", "rake_bp": 490},
]  # fmt: skip


def told(table: TableUnderTest) -> list[Any]:
    """Everything public but the cards."""
    events = [(type(event).__name__, msgspec.to_builtins(event)) for event in table.told]
    return [(name, {key: value for key, value in data.items() if key not in OF_THE_CARDS}) for name, data in events]


def raises(rulebook: str) -> list[Any]:
    """Blinds, bounds of a raise, three of them, a fourth between two players, a fold to the last."""
    table = led(casino(1, 2, 3, 4, 5, 6, rulebook=rulebook, structure="pot_limit"), 1)
    answers: list[Any] = [table.legal]
    for line in ("3 raise 399", "3 raise 701", "3 raise 700", "4 call", "5 fold", "6 fold", "1 raise 900", "2 fold",
                 "3 raise 1500", "4 raise 2500", "4 call", "1 call", "1 check", "3 bet 400", "4 raise 800", "1 fold",
                 "3 raise 1200", "4 raise 1600", "3 raise 2000", "4 fold"):  # fmt: skip
        seat, act, *to = line.split()
        answers += [table.act(int(seat), act, int(to[0]) if to else None), table.refused and table.refused.rule]
    return [answers, told(table), table.stacks]


def absences(rulebook: str) -> list[Any]:
    """Missed blinds, a newcomer on the lead seat, entry and rebuy."""
    table = casino(1, 2, 4, 6, 9, 10, rulebook=rulebook, structure="pot_limit", rebuy=5_000, entry_minimum=9_000)
    assert table.sit_out(6) is None
    numbered(table, 30, 4)
    answers: list[Any] = []
    for number in range(12):
        if number == 2:
            answers.append(table.sit_in(6))
        if number == 5:
            answers += [table.leave(1), table.take(1, 100), table.refused and table.refused.detail]
            answers += [table.take(1, 20_000), table.refused and table.refused.detail]
        answers.append(table.top_up(2, 4_999, f"u{number}"))
        table.deal().folds_round()
    return [answers, told(table), table.stacks]


def idleness(rulebook: str) -> list[Any]:
    """Ten seats that fold hand by hand: after five hands without a bet a live blind is due."""
    table = led(casino(*range(1, 11), rulebook=rulebook, structure="pot_limit"), 4).folds_round()
    for _ in range(7):
        table.deal().folds_round()
    assert "idle" in {event.blind for event in table.told if isinstance(event, BlindPosted)}
    return [told(table), table.stacks]


def session(rulebook: str) -> list[Any]:
    hours = {"rake_mode": "session", "rake_bp": 1000, "between_hands_ms": 0, "sessions": 1, "structure": "pot_limit"}
    table = casino(1, 2, 3, 4, 5, rulebook=rulebook, **hours)
    for _ in range(12):
        table.wake()
        if table.state.hand is not None:
            table.folds_round()
        table.now += 10 * 60_000
    return [told(table), table.state.status]


@rule("92/1")
def test_the_same_wishes_have_the_same_answers_in_holdem_and_omaha(case: Case) -> None:
    for course in (raises, absences, idleness, session):
        assert course(CASINO_HOLDEM) == course(CASINO_OMAHA)
    for chosen in CHOICES:
        found = refusals(CASINO_HOLDEM, **chosen)
        assert found
        assert found == refusals(CASINO_OMAHA, **chosen)
    hands = {}
    for rulebook, variant in ((CASINO_HOLDEM, "holdem"), (CASINO_OMAHA, "omaha")):
        # One heart of one's own with four on the board: a flush where the choice is free.
        hole = "As Ah" if variant == "holdem" else "As Ah Kc Qd"
        pack = pack_for("Qh 8h 3h 2h 9c", hole, seats=4, variant=accepted(rulebook).variant)
        table = led(casino(1, 2, 3, 4, rulebook=rulebook, structure="pot_limit"), 1, stacked(pack)).checks_down()
        (dealt,) = table.of(HoleCardsDealt, everything=True)
        shown = next(event.category for event in table.of(CardsShown) if event.seat == 1)
        hands[variant] = ({len(deal.positions) for deal in dealt.deals}, shown)
    assert hands == {"holdem": ({2}, "flush"), "omaha": ({4}, "pair")}


@rule("92")
def test_the_two_rulebooks_say_the_same_but_for_their_names() -> None:
    holdem, omaha = (msgspec.to_builtins(RULEBOOKS[each]) for each in (CASINO_HOLDEM, CASINO_OMAHA))
    for book in (holdem, omaha):
        book["fields"].pop("mixed")
    assert {key: value for key, value in holdem.items() if key not in OWN} == {
        key: value for key, value in omaha.items() if key not in OWN
    }


@rule("2.b/1")
def test_holdem_deals_two_and_has_blinds_raises_and_missed_blinds_of_omaha(case: Case) -> None:
    rulebook = f"pt-217-2007-{case['variant']}"
    assert VARIANTS[accepted(rulebook).variant].hole_cards == case["cards"]
    (dealt,) = casino(1, 2, 3, 4, rulebook=rulebook).deal().of(HoleCardsDealt)
    assert {len(deal.positions) for deal in dealt.deals} == {case["cards"]}
    assert raises(rulebook) == raises(CASINO_OMAHA)
    assert absences(rulebook) == absences(CASINO_OMAHA)
    assert idleness(rulebook) == idleness(CASINO_OMAHA)
