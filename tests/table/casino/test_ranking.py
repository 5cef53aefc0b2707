"""The combinations of pt-217-2007 17, 18, 72, 73, 94, S.5, S.8 and S.9: each case is dealt, checked down and paid."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.cards.variants import Variant
from libs.contracts.poker_events import CardsShown, PotAwarded
from libs.rulebooks.library import RULEBOOKS
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA, SINTETICO, casino, led, pack_for
from tests.table.play import TableUnderTest, stacked
from tests.testkit.cases import Case, each_case

PACKS: dict[str, Variant] = {CASINO_HOLDEM: "holdem", CASINO_OMAHA: "omaha", SINTETICO: "sintetico"}
COMBINATIONS = [f"17.{letter}/1" for letter in "abcdefghij"]
SIDES = [f"18.{letter}/{case}" for letter in "abcdefg" for case in (1, 2)]


def showdown(board: str, *holes: str, rulebook: str = CASINO_HOLDEM) -> TableUnderTest:
    """A hand of four; X has the lead, the others follow; who has no cards here folds. Checked down to the end."""
    variant = PACKS[rulebook]
    pack = pack_for(board, *holes, seats=4, variant=variant, burns=variant != "sintetico")
    sintetico = {"ante": 50, "kind": "demo"} if variant == "sintetico" else {}
    table = led(casino(1, 2, 3, 4, rulebook=rulebook, **sintetico), 1, stacked(pack))
    for seat in range(len(holes) + 1, 5):
        while table.turn != seat:
            assert table.act(table.turn or 0, "check" if table.legal[0] else "call") is None
        table.plays(f"{seat} fold")
    return table.checks_down()


def listed(case: Case, name: str) -> list[Any]:
    """Of each showdown of the case; nothing where the case names none."""
    try:
        value = case[name]
    except KeyError:
        return []
    return value if isinstance(value, list) else [value]


def ranks(cards: list[str]) -> list[str]:
    return sorted(card[0] for card in cards)


def shows(case: Case, rulebook: str) -> None:
    """What everybody made, the five cards of it, and who is paid."""
    holes = [listed(case, name) for name in ("x", "y", "z")]
    boards, made, fives = listed(case, "board"), listed(case, "made"), listed(case, "five")
    for place, (board, wins) in enumerate(zip(boards, listed(case, "wins"), strict=True)):
        table = showdown(board, *(each[place] for each in holes if each), rulebook=rulebook)
        shown = {"XYZ"[event.seat - 1]: event for event in table.of(CardsShown)}
        if made:
            assert {name: event.category.replace("_", " ") for name, event in shown.items()} == made[place]
        for name, five in (fives[place] if fives else {}).items():
            assert ranks([*shown[name].hole_used, *shown[name].board_used]) == sorted(five.split())
        (award,) = table.of(PotAwarded)
        assert ["XYZ"[seat - 1] for seat in sorted(award.winners)] == wins.split()
        assert {payment.seat for payment in award.payments} == set(award.winners)


@each_case("pt-217-2007", *COMBINATIONS, *SIDES, "94/1", "94/2")
def test_the_better_hand_of_holdem_is_paid(case: Case) -> None:
    shows(case, CASINO_HOLDEM)


@each_case("pt-217-2007", "72/1", "73/1", "73/2")
def test_the_better_hand_of_omaha_is_paid(case: Case) -> None:
    shows(case, CASINO_OMAHA)
    for never in listed(case, "never"):
        queen, king, *low = never.split()
        board = " ".join(f"{rank}{suit}" for rank, suit in zip(low, "sdc", strict=True))
        table = showdown(f"{board} 8h 9h", f"{queen}s {king}d 7c 6h", "8c 8d Jc Jh", rulebook=CASINO_OMAHA)
        assert [event.category for event in table.of(CardsShown) if event.seat == 1] == ["high_card"]


@each_case("pt-217-2007", "S.5/1", "S.8/1", "S.9/1")
def test_the_better_hand_of_poquer_sintetico_is_paid(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULEBOOKS, SINTETICO, replace(RULEBOOKS[SINTETICO], enabled=True))
    shows(case, SINTETICO)


@each_case("pt-217-2007", "94/1")
def test_both_play_the_board_and_share_it(case: Case) -> None:
    table = showdown(case["board"], case["x"], case["y"])
    assert (case["wins"], set(case["made"].values())) == ("X Y", {"royal flush"})
    (award,) = table.of(PotAwarded)
    assert [(paid.seat, paid.gross) for paid in award.payments] == [(1, 200), (2, 200)]
