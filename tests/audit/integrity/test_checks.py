"""The integrity checks on hands as they are recorded: what opens a case, and what is just poker."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from math import exp
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from services.audit.integrity.acts import Acted, PlayedHand
from services.audit.integrity.cases import Case
from services.audit.integrity.folds import BOUNDS, LargePots, cheap_folds
from services.audit.integrity.in_common import Reports
from services.audit.integrity.stakes import Stacks, in_big_blinds, in_stacks, judged_apart, luck_squared
from services.audit.projections.signals import ForbiddenPrograms, read_forbidden
from services.cli.replaying.files import read
from tests.audit.integrity.folded import chip_dumping, chip_flow, decision_software, shared_identity, soft_play
from tests.testkit.cases import Case as Figures

PORTUGAL = "pt-811-2015"
DAY = 86_400_000
NOW = 1_700_000_000_000
PLAYERS = {1: "ann", 2: "bob", 3: "cem"}


def hand(number: int, *acts: Acted, at: int = NOW - DAY, **fields: Any) -> PlayedHand:
    known: dict[str, Any] = {"players": PLAYERS, "stacks": dict.fromkeys(PLAYERS, 10_000), "big_blind": 100}
    known |= {"sittings": {seat: f"s-{player}" for seat, player in PLAYERS.items()}, "currency": "EUR"} | fields
    return PlayedHand(id=("t1", number), at=at, acts=acts, **known)


def quiet(number: int, **fields: Any) -> PlayedHand:
    """cem folds, ann and bob check it down."""
    return hand(number, Acted(3, "fold", 1), Acted(1, "call", 2, 100), Acted(2, "check", 3), **fields)


def fought(number: int) -> PlayedHand:
    return hand(number, Acted(3, "fold", 1), Acted(1, "raise", 2, 300), Acted(2, "call", 3, 200))


@pytest.mark.rule(PORTUGAL, "11.c/2")
def test_two_who_never_bet_against_each_other_in_so_many_pots_are_a_case(case: Figures) -> None:
    first = NOW - case.int("days") * DAY
    hands = [quiet(number, at=first) for number in range(case.int("pots"))]
    (opened,) = soft_play(hands, NOW)
    assert (opened.kind, opened.players) == ("soft_play", ("ann", "bob"))
    assert opened.hands == tuple(played.id for played in hands)
    assert soft_play(hands, NOW + DAY) == [], "the first is too long ago"
    assert soft_play(hands[1:], NOW) == [], "one too few"
    bets = [fought(len(hands) + number) for number in range(5)]
    assert len(soft_play([*hands[1:], *bets[1:]], NOW)) == 1, "less than one bet in fifty"
    assert soft_play([*hands[1:], *bets], NOW) == [], "one too few in a row, and bets among the others"


@pytest.mark.rule(PORTUGAL, "11.c")
@pytest.mark.parametrize(
    "hands",
    [
        [quiet(number) for number in range(199)],
        [fought(number) if number % 50 == 49 else quiet(number) for number in range(1_000)],
        [fought(number) if number % 50 == 0 else quiet(number) for number in range(199)],
        [quiet(0, at=NOW - 31 * DAY), *(quiet(number) for number in range(1, 200))],
    ],
    ids=["too few", "a bet in fifty", "too few with a bet", "too long ago"],
)
def test_fewer_pots_or_some_bets_are_no_case(hands: list[PlayedHand]) -> None:
    assert soft_play(hands, NOW) == []


@pytest.mark.rule(PORTUGAL, "11.c")
@pytest.mark.parametrize(
    ("bets", "in_a_row"),
    [([5_000], 5_000), ([60, 120, 180], 60), ([*range(200, 1_000, 10)], 200)],
    ids=["one in thousands", "one in 67", "many after 200 without"],
)
def test_a_least_bet_now_and_then_clears_nobody(bets: list[int], in_a_row: int) -> None:
    """Found by an attacker: one bet of a big blind hid 5,000 pots."""
    (opened,) = soft_play([(fought if n in bets else quiet)(n) for n in range(max(200, bets[-1]) + 1)], NOW)
    pots = max(200, bets[-1]) + 1
    assert opened.evidence == {"pots": pots, "bets": len(bets), "in_a_row_without": in_a_row}
    assert opened.hands == tuple(("t1", number) for number in range(pots) if number not in bets)


def reported(*players: str) -> Reports:
    reports = Reports()
    for player in players:
        reports.add(player, ["operator:o"])
    return reports


@pytest.mark.rule(PORTUGAL, "11.c")
def test_accounts_with_one_device_at_one_table_are_a_case_with_their_hands() -> None:
    hands = [quiet(1), hand(2, players={1: "ann", 3: "cem"})]
    (case,) = shared_identity(hands, {("device", "d1"): reported("ann", "bob"), ("address", "a1"): reported("x")})
    evidence = {"shared": ["device"], "reported_by": ["operator:o"]}
    assert case == Case(kind="shared_identity", players=("ann", "bob"), hands=(("t1", 1),), evidence=evidence)
    assert shared_identity(hands, {("device", "d1"): reported("ann", "zoe")}) == []


def dumped(number: int, stake: int = 9_500, pot: int = 9_500, sitting: str = "s-ann") -> PlayedHand:
    """ann puts `stake` of 10000 in against bob, who has put in `pot`, and folds."""
    acts = [
        Acted(3, "fold", 1),
        Acted(1, "raise", 2, stake),
        Acted(2, "raise", 3, pot),
        Acted(1, "fold", 4),
    ]
    return hand(number, *acts, sittings={1: sitting, 2: "s-bob", 3: "s-cem"})


@pytest.mark.rule(PORTUGAL, "11.e/1")
def test_folds_of_almost_everything_in_one_session_are_a_case(case: Figures) -> None:
    """Of stacks of 10000 at a big blind of 100."""
    part, times = 10_000 * case.int("part") // 100, case.int("times")
    assert 2 * part > case.int("blinds") * 100
    blinds = {"big_blind": 200}  # the pot is less than what is a case alone
    hands = [replace(dumped(number, stake=part + 1), **blinds) for number in range(times)]
    large = [passed(number, (-1) ** number * 6_000) for number in range(100, 140)]  # the price alone is none, then
    (opened,) = chip_dumping([*hands, *large])
    assert (opened.kind, opened.players) == ("chip_dumping", ("ann", "bob"))
    assert opened.evidence == {
        "from": "ann",
        "to": "bob",
        "times": times,
        "staked": times * (part + 1),
        "sittings": ["s-ann"],
    }
    assert opened.hands == tuple(played.id for played in hands)
    assert chip_dumping([*hands[1:], *large]) == []
    least = replace(dumped(times, stake=part), **blinds)
    assert chip_dumping([*hands[1:], least, *large]) == [], "not more than that part"
    big_blind = 2 * part // case.int("blinds") + 1
    rest = case.int("blinds") * big_blind - (part + 1)  # what bob puts in for a pot of exactly so many
    for more, opens in ((0, 0), (1, 1)):
        pots = [dumped(number, stake=part + 1, pot=rest + more) for number in range(times)]
        assert len(chip_dumping([*(replace(played, big_blind=big_blind) for played in pots), *large])) == opens


def smaller(number: int, **fields: Any) -> PlayedHand:
    """The same in a pot between 50 and 100 big blinds."""
    return replace(dumped(number, **fields), big_blind=200)


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(
    "hands",
    [
        [smaller(1), smaller(2)],
        [dumped(1, stake=8_600, pot=10_000)],
        [smaller(1), smaller(2), hand(3, Acted(3, "fold", 1), Acted(1, "raise", 2, 200), Acted(2, "fold", 3))],
    ],
    ids=["twice", "alone, for more than a fifteenth", "a small pot"],
)
def test_what_is_less_is_just_poker(hands: list[PlayedHand]) -> None:
    assert chip_dumping(hands) == []


@pytest.mark.rule(PORTUGAL, "11.e")
def test_a_new_sitting_does_not_wipe_out_what_was_folded_in_the_last() -> None:
    (case,) = chip_dumping([smaller(number, sitting=f"s-{number}") for number in range(3)])
    assert case.evidence == {
        "from": "ann", "to": "bob", "times": 3, "staked": 28_500, "sittings": ["s-0", "s-1", "s-2"],
    }  # fmt: skip


@pytest.mark.rule(PORTUGAL, "11.e")
def test_one_fold_of_almost_everything_is_a_case_from_a_hundred_big_blinds_on() -> None:
    (case,) = chip_dumping([dumped(1)])
    assert (case.players, case.evidence["times"], case.evidence["staked"]) == (("ann", "bob"), 1, 9_500)
    assert len(chip_dumping([replace(dumped(1), big_blind=190)])) == 1
    assert chip_dumping([replace(dumped(1), big_blind=191)]) == []
    with_cem = hand(1, Acted(3, "post", 0, 2_000), *dumped(1).acts)  # of the two less than fifty are from ann
    assert len(chip_dumping([replace(with_cem, big_blind=210)])) == 1
    assert chip_dumping([replace(with_cem, big_blind=211)]) == []


@pytest.mark.rule(PORTUGAL, "11.e")
def test_to_let_the_clock_fold_is_to_fold() -> None:
    *acts, fold = dumped(1).acts
    quiet_one = hand(1, *acts, replace(fold, by_house=True, reason="timeout"))
    (case,) = chip_dumping([quiet_one])
    assert (case.players, case.evidence["by_house"]) == (("ann", "bob"), 1)
    (case,) = chip_dumping([dumped(1)])
    assert "by_house" not in case.evidence


def by_the_house(played: PlayedHand, reason: str) -> PlayedHand:
    acts = [replace(act, by_house=True, reason=reason) if act.action == "fold" else act for act in played.acts]
    return replace(played, acts=tuple(acts))


@pytest.mark.rule(PORTUGAL, "11.e")
def test_the_evidence_says_how_many_the_house_folded() -> None:
    hands = [given_up(number, 8_500, 1_500) for number in range(3)]
    (case,) = chip_dumping([by_the_house(hands[0], "timeout"), *hands[1:]])
    assert (case.evidence["times"], case.evidence["by_house"]) == (3, 1)
    several = [given_up(number, 8_500, 1_500, f"mule-{number}") for number in range(5)]
    (case,) = chip_dumping([by_the_house(several[0], "left"), *several[1:]])
    assert (case.players, case.evidence["by_house"]) == (("bob",), 1)


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(
    "hands", [dumped, lambda number: given_up(number, 8_750, 1_250)], ids=["almost all", "the price"]
)
def test_a_line_that_drops_is_bad_luck_once(hands: Callable[[int], PlayedHand]) -> None:
    """Found by an attacker: 60 big blinds in, a small bet, the line drops, and an honest player was a case."""

    def dropped(number: int) -> PlayedHand:
        played = by_the_house(hands(number), "timeout")
        return replace(played, acts=tuple(replace(act, offline=act.action == "fold") for act in played.acts))

    assert len(chip_dumping([by_the_house(hands(1), "timeout")])) == 1
    assert chip_dumping([dropped(1)]) == []
    (case,) = chip_dumping([dropped(number) for number in range(3)])
    assert case.evidence["by_house"] == 3


@pytest.mark.rule("pt-217-2007", "71.b", "71.h", "70.b")
@pytest.mark.parametrize("reason", ["annulled", "barred", "withdrawn"])
def test_who_had_the_hand_taken_gave_nothing_up(reason: str) -> None:
    """Found by an attacker: a dealer took hands for a mate, and the case was against the victim."""
    hands = [dumped(1), *(given_up(number, 8_750, 1_250) for number in range(2, 6))]
    assert chip_dumping(hands)
    assert chip_dumping([by_the_house(played, reason) for played in hands]) == []


@pytest.mark.rule("pt-217-2007", "71.f", "53")
def test_whose_fold_a_dealer_entered_gave_nothing_up() -> None:
    """Found by an attacker: a dealer entered the fold for a mate, and the case was against the victim."""
    hands = [dumped(1), *(given_up(number, 8_750, 1_250) for number in range(2, 6))]
    acts = [tuple(replace(act, entered=act.action == "fold") for act in played.acts) for played in hands]
    assert chip_dumping([replace(played, acts=each) for played, each in zip(hands, acts, strict=True)]) == []


def passed(number: int, net: int = 8_000, **fields: Any) -> PlayedHand:
    """ann loses so much to bob; cem is not in it. Everybody sits down with 100 big blinds."""
    fields.setdefault("stacks", dict.fromkeys(PLAYERS, 100 * fields.get("big_blind", 100)))
    return hand(number, nets={1: -net, 2: net, 3: 0}, **fields)


def given_up(number: int, stake: int, bet: int, loser: str = "ann", winner: str = "bob", **fields: Any) -> PlayedHand:
    """Both put so much in, then one bets and the other folds. 100 big blinds of 100 each before it."""
    acts = (
        Acted(1, "bet", 1, stake),
        Acted(2, "call", 2, stake),
        Acted(2, "bet", 3, bet),
        Acted(1, "fold", 4),
        Acted(2, "uncalled_returned", 4, bet),
    )
    return hand(number, *acts, players={1: loser, 2: winner}, nets={1: -stake, 2: stake}, **fields)


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(
    "hands",
    [
        [given_up(number, 8_500, 9_999) for number in range(3)],
        [given_up(number, 2_500, 1_000) for number in range(3)],
        [given_up(number, 5_000, 5_000) for number in range(6)],
        [given_up(number, 900, 100, stacks={1: 1_000, 2: 9_000}) for number in range(3)],
        [given_up(1, 8_750, 1_250)],
        [given_up(1, 5_000, 0)],
    ],
    ids=["for the rest", "a quarter for a fifth", "half for half", "a short stack", "alone", "alone, for nothing"],
)
def test_who_folds_for_little_more_is_a_case_whatever_the_stack(hands: list[PlayedHand]) -> None:
    """Found by an attacker: 89 of 100 big blinds, then a fold for the rest, passed on 14,872 in three weeks."""
    (case,) = chip_dumping(hands)
    assert (case.players, case.hands) == (("ann", "bob"), tuple(played.id for played in hands))
    assert (case.evidence["times"], case.evidence["staked"]) == (len(hands), sum(-played.nets[1] for played in hands))
    assert len(hands) == 1 or chip_dumping(hands[1:]) == []


@pytest.mark.rule(PORTUGAL, "11.e")
def test_where_some_come_back_both_ways_are_one_case() -> None:
    back = [given_up(number, 8_500, 1_500, "bob", "ann") for number in range(3)]
    (case,) = chip_dumping([*back, *(given_up(number, 8_500, 1_500) for number in range(3, 12))])
    assert (case.players, case.evidence["times"], case.evidence["from"]) == (("ann", "bob"), 9, "ann")
    assert [(each["from"], each["times"]) for each in case.evidence["also"]] == [("bob", 3)]
    assert len(case.hands) == 12


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(
    "hands",
    [
        [given_up(number, 2_500, 1_001) for number in range(30)],
        [given_up(number, 2_499, 100) for number in range(30)],
        [given_up(number, 4_999, 5_000) for number in range(30)],
        [*(given_up(n, 8_000, 2_000) for n in range(3)), *(passed(n, (-1) ** n * 2_500) for n in range(3, 31))],
        [*(given_up(n, 5_000, 5_000) for n in range(6)), *(passed(n, (-1) ** n * 2_500) for n in range(6, 31))],
        [given_up(number, 499, 1, stacks={1: 500, 2: 9_000}) for number in range(9)],
        [hand(1, *[replace(act, by_house=act.action == "fold") for act in given_up(1, 5_000, 0).acts])],
        [given_up(1, 8_700, 1_300)],
        [given_up(number, 8_500, 1_500, f"p{number}") for number in range(4)],
        [given_up(number, 5_000, 5_000, f"p{number}") for number in range(9)],
    ],
    ids=[
        "a dearer fold",
        "less than 25 big blinds",
        "less than half",
        "three of 31",
        "six of 31",
        "next to no chips",
        "barred when nothing was to be called",
        "alone, at fourteen to one",
        "four players to one",
        "nine players for half",
    ],
)
def test_who_folds_for_more_or_seldom_is_no_case(hands: list[PlayedHand]) -> None:
    assert chip_dumping(hands) == []


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(("accounts", "stake"), [(5, 8_500), (10, 5_000)])
def test_what_several_fold_to_one_is_a_case(accounts: int, stake: int) -> None:
    hands = [given_up(number, stake, 10_000 - stake, f"mule-{number}") for number in range(accounts)]
    (case,) = chip_dumping(hands)
    assert (case.kind, case.players, len(case.hands)) == ("chip_dumping", ("bob",), accounts)
    assert case.evidence == {
        "from": [f"mule-{number}" for number in range(accounts)], "to": "bob", "times": accounts,
        "staked": accounts * stake,
    }  # fmt: skip
    large = [passed(100 + number, (-1) ** number * 2_500) for number in range(46)]
    assert chip_dumping([*hands, *large]) == [], "few of all large pots"
    assert chip_dumping(hands[1:]) == []


@pytest.mark.rule(PORTUGAL, "11.e")
def test_who_folds_before_a_third_one_does_is_looked_at_too() -> None:
    """Two who fold to one, one after the other: each loses to the third."""
    acts = [Acted(seat, "call", seat, 4_000) for seat in PLAYERS]
    acts += [Acted(2, "bet", 4, 500), Acted(3, "fold", 5), Acted(1, "fold", 6), Acted(2, "uncalled_returned", 6, 500)]
    hands = [hand(number, *acts, nets={1: -4_000, 2: 8_000, 3: -4_000}) for number in range(3)]
    assert [case.players for case in chip_dumping(hands)] == [("ann", "bob"), ("cem", "bob"), ("bob",)]


@pytest.mark.rule(PORTUGAL, "11.e")
def test_chips_that_went_one_way_in_a_day_are_a_case_however_they_were_played() -> None:
    """960.00 in twelve hands of 80.00 each at blinds of 0.50 and 1.00, no one of them remarkable."""
    (case,) = chip_flow([passed(number) for number in range(12)], NOW)
    assert (case.kind, case.players, len(case.hands)) == ("chip_flow", ("ann", "bob"), 12)
    assert case.evidence == {
        "from": "ann", "to": "bob", "big_blinds": 960, "stakes": [("EUR", 100)],
        "net": {"EUR": 96_000}, "lost": {"EUR": 96_000}, "won_back": {},
    }  # fmt: skip


@pytest.mark.rule(PORTUGAL, "11.e")
def test_what_a_hand_took_is_shared_among_its_winners() -> None:
    split = hand(1, nets={1: -900, 2: 600, 3: 280})
    assert split.flows() == {("ann", "bob"): 600, ("ann", "cem"): 280}
    both = hand(1, nets={1: -900, 2: -300, 3: 1_150})
    assert both.flows() == {("ann", "cem"): 862, ("bob", "cem"): 287}


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(
    "hands",
    [
        [passed(1, 9_500), passed(2, 9_500)],
        [passed(number, at=NOW - number * DAY) for number in range(1, 13)],
        [*(passed(number) for number in range(4)), *(passed(9, -8_000, at=NOW - day * DAY) for day in (2, 3, 4))],
    ],
    ids=["a few hands", "a hand a day", "one bad day of several"],
)
def test_whole_stacks_that_went_one_way_are_a_case_however_few_or_slowly(hands: list[PlayedHand]) -> None:
    (case,) = chip_flow(hands, NOW)
    assert case.players == ("ann", "bob")


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(
    "hands",
    [
        [passed(1, 30_000)],
        [passed(number, 1_500) for number in range(6)],
        [passed(number, 8_000 if number % 2 else -6_000) for number in range(12)],
        [passed(number, at=NOW - 31 * DAY) for number in range(12)],
        [passed(number, at=NOW - number) for number in range(12)],
    ],
    ids=["one lost stack", "less than 100 big blinds", "both ways", "too long ago", "still playing"],
)
def test_chips_that_come_and_go_are_no_case(hands: list[PlayedHand]) -> None:
    assert chip_flow(hands, NOW) == []


def short(number: int, stacks: int, share: int = 85, **fields: Any) -> PlayedHand:
    """So many whole stacks of ten big blinds, or less of one."""
    blind = 100_000
    net = stacks * 10 * blind * share // 100
    return passed(number, net, big_blind=blind, stacks=dict.fromkeys(PLAYERS, 10 * blind), **fields)


@pytest.mark.rule(PORTUGAL, "11.e")
def test_whole_stacks_that_went_one_way_are_a_case_where_stacks_are_short() -> None:
    """Found by an attacker: 76,500.00 in nine hands of a table where one sits down with ten big blinds of 1,000.00."""
    (case,) = chip_flow([short(number, 1) for number in range(9)], NOW)
    assert (case.players, len(case.hands)) == (("ann", "bob"), 9)
    assert (case.evidence["big_blinds"], case.evidence["stacks"]) == (76, 7)
    assert case.evidence["net"] == {"EUR": 7_650_000}
    (case,) = chip_flow(
        [short(number, -1 if number == 7 else 1, sittings={}) for number in range(12)]
        + [hand(99, big_blind=100_000, stacks={1: 1_000_000}, sittings={1: "s"})],
        NOW,
    )
    assert case.evidence["stacks"] == 8


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(
    "hands",
    [
        [short(number, 1) for number in range(7)],
        [short(number, -1 if number % 4 == 0 else 1) for number in range(16)],
        [short(number, 1, share=30) for number in range(9)],
    ],
    ids=["seven of seven", "twelve of sixteen", "less than three"],
)
def test_short_stacks_go_by_the_flip_of_a_coin(hands: list[PlayedHand]) -> None:
    assert chip_flow(hands, NOW) == []


@pytest.mark.rule(PORTUGAL, "11.e")
def test_what_one_sits_down_with_is_no_player_s_choice() -> None:
    """A stack that was won makes it no more, nor does one that sits down with little."""
    stacks, stake = Stacks(), ("EUR", 100)
    for brought in ([("s1", 1_000), ("s2", 1_000)], [("s1", 60_000), ("s3", 1_000)], [("s3", 90_000), ("s4", 1)]):
        stacks.note("t1", stake, brought)
    assert stacks.short() == {("t1", stake): 1_000}
    stacks.note("t2", stake, [("s1", 3_334)])
    assert ("t2", stake) not in stacks.short()
    assert (in_big_blinds(1_000, 100), in_big_blinds(1_000, 100, 1_000)) == (10_000, 33_333)
    assert (in_stacks(-500, 1_000), in_stacks(5, 0)) == (-500, 0)


@pytest.mark.rule(PORTUGAL, "11.e")
def test_chips_that_come_back_for_the_look_of_it_hide_nothing_for_long() -> None:
    """Found by an attacker: of each 1,000 big blinds 251 came back, a share of 79.9 %, and 350,000 went unseen."""
    whole, back = 100_000, 25_100
    hands = [passed(number, -back if number % 2 else whole) for number in range(100)]
    (case,) = chip_flow(hands, NOW)
    assert [case.evidence[name]["EUR"] for name in ("net", "lost", "won_back")] == [
        50 * (whole - back), 50 * whole, 50 * back
    ]  # fmt: skip
    assert chip_flow(hands[:60], NOW) == [], "so much might be luck"


def _mostly_one_way(case: Case) -> bool:
    lost, back = (sum(case.evidence[name].values()) for name in ("lost", "won_back"))
    return bool(lost >= 4 * back)


HANDED_OVER = [passed(1, 8_653), passed(2, 8_653)]
"""173 big blinds from ann to bob at 0.50/1.00."""


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(
    ("beside", "lost"),
    [
        ([passed(number, 7_500, big_blind=10_000) for number in (3, 4)], 32_306),
        ([passed(3, -18_403, currency="MOP")], 17_306),
        ([passed(3, -18_403, currency="MOP"), passed(4, -90_000, currency="MOP", big_blind=1_000)], 17_306),
        ([passed(number, -400, big_blind=2) for number in (3, 4)], 17_306),
        ([passed(number, (-1) ** number * 900_000, big_blind=10_000) for number in range(3, 99)], 17_306),
    ],
    ids=[
        "folded blinds at a high table",
        "a currency of less worth",
        "two of its stakes",
        "a cheap table",
        "a high one",
    ],
)
def test_no_other_table_hides_what_went_one_way(beside: list[PlayedHand], lost: int) -> None:
    """Found by an attacker: a folded blind at blinds of 50.00 and 100.00 hid 10,000 big blinds of 1.00."""
    (case,) = chip_flow([*HANDED_OVER, *beside], NOW)
    told = [case.evidence, *case.evidence.get("also", ())]
    assert ("ann", "bob", {"EUR": lost}) in [(each["from"], each["to"], each["lost"]) for each in told]
    assert {("t1", 1), ("t1", 2)} <= set(case.hands)


@pytest.mark.rule(PORTUGAL, "11.e")
def test_a_day_that_the_month_hides_is_told_beside_what_the_month_tells() -> None:
    """Else a case of cents is opened on purpose, to stand before the other one."""
    month = [passed(number, (-1) ** number * 20_000, at=NOW - 9 * DAY) for number in range(3, 9)]
    cents = [passed(number, -400, big_blind=2, at=NOW - 9 * DAY) for number in (9, 10)]
    (case,) = chip_flow([*month, *cents, *HANDED_OVER], NOW)
    told = [case.evidence, *case.evidence["also"]]
    assert [(each["from"], each["net"]) for each in told] == [("bob", {"EUR": 800}), ("ann", {"EUR": 17_306})]
    assert [number for _, number in case.hands] == [9, 10, 1, 2]


@pytest.mark.rule(PORTUGAL, "11.e")
def test_many_stakes_and_currencies_with_little_at_each_are_counted_together() -> None:
    """Of one currency also where cheap chips go back."""
    dear = [passed(number, 60 * blind, big_blind=blind) for number, blind in enumerate((200, 500, 1_000))]
    (case,) = chip_flow([*dear, *(passed(9, -500, big_blind=2) for _ in range(4))], NOW)
    (told,) = (each for each in [case.evidence, *case.evidence["also"]] if each["from"] == "ann")
    assert (told["big_blinds"], told["stakes"]) == (180, [("EUR", 200), ("EUR", 500), ("EUR", 1_000)])
    (case,) = chip_flow([passed(1, 6_000), passed(2, 6_000, currency="MOP")], NOW)
    assert (case.evidence["big_blinds"], case.evidence["net"]) == (120, {"EUR": 6_000, "MOP": 6_000})
    assert chip_flow(dear[:1], NOW) == chip_flow([dear[0], passed(1, 3_000)], NOW) == []


def test_what_is_judged_for_itself() -> None:
    one, two, three, other = ("EUR", 1), ("EUR", 2), ("EUR", 3), ("MOP", 2)
    assert judged_apart([one]) == [(one,)]
    assert judged_apart([three, other, one, two]) == [
        (one, two, three, other), (one, two, three), (two, three), (one, two), (three,), (two,), (one,), (other,)
    ]  # fmt: skip
    assert (in_big_blinds(299, 200), in_big_blinds(-299, 200), in_big_blinds(7, 0)) == (1_495, -1_495, 7_000)
    for sums in range(1, 300):
        assert sums * exp(-luck_squared(5, sums) / 2) <= exp(-(5**2) / 2)


@pytest.mark.rule(PORTUGAL, "11.e")
def test_luck_is_no_case() -> None:
    """A coin for each of 2,000 hands, small pots and whole stacks; sixty pairs."""
    for seed in range(60):
        dice = Random(seed)
        nets = [dice.choice((-1, 1)) * dice.choice((100, 300, 1_000, 10_000)) for _ in range(2_000)]
        days = [dice.randrange(1, 30) for _ in nets]
        hands = [passed(n, net, at=NOW - day * DAY) for n, (net, day) in enumerate(zip(nets, days, strict=True))]
        cases = chip_flow(hands, NOW)
        assert all(_mostly_one_way(case) for case in cases)


def acts_of(document: dict[str, Any]) -> Iterator[Acted]:
    """Of a PHH document of no-limit hold'em: posts, folds, calls and raises."""
    blinds = dict(enumerate(map(int, document["blinds_or_straddles"]), 1))
    left, lies = dict(enumerate(map(int, document["starting_stacks"]), 1)), dict(blinds)
    for seat, blind in blinds.items():
        left[seat] -= blind
        yield Acted(seat, "post", 0, blind)
    for who, act, *more in (each.split() for each in document["actions"]):
        if act == "db":
            lies = dict.fromkeys(lies, 0)
        elif act == "f":
            yield Acted(int(who[1:]), "fold", 0)
        elif act in ("cc", "cbr"):
            seat = int(who[1:])
            amount = min(left[seat], (int(more[0]) if more else max(lies.values())) - lies[seat])
            lies[seat], left[seat] = lies[seat] + amount, left[seat] - amount
            yield Acted(seat, "raise" if more else "call", 0, amount)


@cache
def of_professionals(shared: Path) -> list[PlayedHand]:
    """10,000 hands of Pluribus, a session a day, then all in a month. The same list for all who ask."""
    file = shared / "data" / "phh-hands.tar.xz"
    if not file.exists():
        pytest.skip("the shared folder holds no PHH archive")
    sessions: dict[str, int] = {}
    hands: list[PlayedHand] = []
    for name, document in read(file):
        if name.startswith("pluribus/"):
            day = sessions.setdefault(name.split("/")[1], len(sessions)) % 28
            pairs = zip(document["starting_stacks"], document["finishing_stacks"], strict=True)
            nets = dict(enumerate((int(after - before) for before, after in pairs), 1))
            players = dict(enumerate(document["players"], 1))
            big_blind = int(max(document["blinds_or_straddles"]))
            at = NOW - (2 + day) * DAY
            fields = {"nets": nets, "players": players, "big_blind": big_blind}
            fields["stacks"] = dict(enumerate(map(int, document["starting_stacks"]), 1))
            sittings = {seat: f"s-{player}" for seat, player in players.items()}
            hands.append(hand(len(hands), *acts_of(document), at=at, sittings=sittings, **fields))
    assert len(hands) == 10_000
    return hands


@pytest.mark.rule(PORTUGAL, "11.e")
def test_what_professionals_lost_to_each_other_was_luck(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where each hand counts as one of a stake and a currency by lot: no sum beside that of all is beyond it."""
    hands, dice = of_professionals(shared), Random(11)
    blinds = [(dice.choice((1, 2, 10)), dice.choice(("EUR", "MOP"))) for _ in hands]
    apart = [
        replace(
            each, currency=currency, big_blind=each.big_blind * times, nets={s: n * times for s, n in each.nets.items()}
        )
        for each, (times, currency) in zip(hands, blinds, strict=True)
    ]
    found = [chip_flow(hands, NOW), chip_flow(apart, NOW)]
    assert [len(each) for each in found] == [42, 48]
    monkeypatch.setattr("services.audit.integrity.checks.FLOW_LUCK", 1_000)
    assert [chip_flow(hands, NOW), chip_flow(apart, NOW)] == found, "what luck explains adds none to those of the share"


@pytest.mark.rule(PORTUGAL, "11.e")
def test_what_professionals_folded_was_poker(shared: Path) -> None:
    """Two folds at six to one or better with 25 big blinds in, ten at three to one with half of the stack: no case."""
    hands = of_professionals(shared)
    folds = [fold for played in hands for fold in cheap_folds(played)]
    assert [sum(fold.within(bound) for fold in folds) for bound in BOUNDS] == [2, 10]
    pots = LargePots()
    for played in hands:
        pots.note(played)
    assert (sum(pots.pairs.values()), max(pots.pairs.values())) == (462, 30)
    assert chip_dumping(hands) == []


@pytest.mark.rule(PORTUGAL, "11.e")
def test_two_who_never_rest_are_judged_by_what_is_a_day_old() -> None:
    """By days that ended a day ago, here by all before yesterday."""
    today = NOW // DAY * DAY
    hands = [passed(number, at=today + DAY // 8 - number * DAY // 8) for number in range(10)]
    assert chip_flow(hands, hands[0].at) == []
    earlier = [passed(number, at=today - 2 * DAY + number) for number in (25, 26)]
    (case,) = chip_flow([*earlier, *hands], hands[0].at)
    assert case.evidence["net"] == {"EUR": 16_000}


def decided(times: list[int]) -> list[PlayedHand]:
    """One decision of bob's in each hand, after so many milliseconds."""
    return [hand(number, Acted(1, "post", 0, 50), Acted(2, "call", took, 100)) for number, took in enumerate(times)]


@pytest.mark.rule(PORTUGAL, "11.f/2")
def test_decisions_in_the_same_time_are_a_case_with_the_times_as_evidence(case: Figures) -> None:
    least, most = (round(Decimal(case.text(name)) * 1000) for name in ("least", "most"))
    times = [least + number % (most - least + 1) for number in range(case.int("decisions"))]
    (opened,) = decision_software([*decided([4_000]), *decided(times)])
    assert (opened.kind, opened.players) == ("decision_software", ("bob",))
    assert opened.evidence["times_ms"] == times
    assert len(opened.hands) == case["decisions"]
    assert decision_software(decided(times[1:])) == []
    assert decision_software(decided([*times[:-1], most + 100])) == []


@pytest.mark.rule(PORTUGAL, "11.f")
@pytest.mark.parametrize("times", [[2_000] * 199, [*[2_000] * 150, 2_200, *[2_000] * 150], [50] * 250])
def test_uneven_or_instant_decisions_are_none(times: list[int]) -> None:
    assert decision_software(decided(times)) == []


@pytest.mark.rule(PORTUGAL, "11.f")
def test_the_house_s_own_acts_are_not_a_player_s_decisions() -> None:
    even = [hand(n, Acted(1, "post", 0), Acted(2, "fold", 2_000, by_house=True)) for n in range(250)]
    assert decision_software(even) == []


@pytest.mark.rule(PORTUGAL, "11.f")
def test_a_program_is_known_by_its_name_however_it_is_written() -> None:
    listed = ForbiddenPrograms(version="7", programs=("Holdem-Bot",))
    assert listed.names("holdem bot")
    assert not listed.names("solitaire")
    assert read_forbidden().version
