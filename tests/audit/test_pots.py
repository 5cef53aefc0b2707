"""Who wins a hand of poker and what is charged: whatever is forged of a true hand is found.

That true hands pass is asked of every table of tests/table and of every replay besides (`AnyTable.audited`,
`compare_results`).
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from libs.cards.card import DECK, name_of, names_of, parse_all
from libs.cards.sintetico import SINTETICO_DECK, sintetico_strength
from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts.facts import Fact
from libs.contracts.live_events import PotReversed, WinnerAnnounced
from libs.contracts.messages import PublicEvent
from libs.sealing.shuffle import Shuffle
from services.audit.verifying.acted_for import ActedFor
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.pots import Pots, check_pots
from services.audit.verifying.strengths import HOLE_CARDS, strength, worth
from tests.table.casino.play import CASINO_HOLDEM, led
from tests.table.casino.test_sessions import charged
from tests.table.live.test_dealer_errors import flush_against_straight
from tests.table.play import COMMON_OMAHA, HOLDEM, MACAU, PORTUGAL, TableUnderTest, stacked

Facts = list[Any]
Forged = tuple[str, Facts, Kind]
RULEBOOKS: dict[str, dict[str, Any]] = {
    PORTUGAL: {"structure": "no_limit"},
    MACAU: {"min_unit": 25},
    HOLDEM: {"rake_bp": 500, "rake_cap_big_blinds": 3, "ante": 30},
    COMMON_OMAHA: {"rake_bp": 500, "big_blind_ante": 100},
    CASINO_HOLDEM: {"rake_bp": 500, "rake_cap": 700, "min_unit": 1, "rake_order": "divide_then_rake"},
}


class Watched(TableUnderTest):
    """A table that somebody has got at: what the auditor finds is kept."""

    def __init__(self, rulebook: str = PORTUGAL, **changes: Any) -> None:
        self.found: list[Finding] = []
        super().__init__(rulebook, **changes)

    def audited(self, findings: list[Finding]) -> None:
        self.found += findings

    def forge(self, seat: int, **changes: Any) -> None:
        """Of the running hand, as a forged snapshot would."""
        players = {**self.hand.players, seat: replace(self.hand.players[seat], **changes)}
        left = sum(not player.folded for player in players.values())
        self.state = replace(self.state, hand=replace(self.hand, players=players, left=left))

    def charge(self, **changes: Any) -> None:
        rules = self.state.rules
        self.state = replace(self.state, configuration=replace(rules, rake=replace(rules.rake, **changes)))


def found(facts: Facts) -> set[Kind]:
    pots, kinds = Pots(), set()
    for version, fact in enumerate(facts, 1):
        event = PublicEvent(stream="t1", version=version, type="x", time=fact.at, causation="c", data=b"")
        kinds |= {finding.kind for finding in check_pots(pots, event, fact)}
    return kinds


def places(facts: Facts, kind: type[Fact]) -> list[int]:
    return [place for place, fact in enumerate(facts) if isinstance(fact, kind)]


def told(facts: Facts, place: int, *instead: Fact) -> Facts:
    return [*facts[:place], *instead, *facts[place + 1 :]]


def deck(table: TableUnderTest, button: int, holes: Mapping[int, str], board: str) -> Shuffle:
    """Three players or more, each with these cards, and this board."""
    order = sorted(holes, key=lambda seat: (seat <= button, seat))
    cards = [
        lap[n] for n in range(len(holes[order[0]].split())) for lap in [holes[s].split() for s in order] for n in [n]
    ]
    named = {*cards, *board.split()}
    spare = iter([name for name in names_of(DECK) if name not in named])
    streets = board.split()
    for street in (streets[:3], streets[3:4], streets[4:]):
        cards += [next(spare)] if table.state.rules.dealing.burn_before_board else []
        cards += street
    return stacked(" ".join(cards))


def side_pots() -> Facts:
    """Seat 1 has 500 and the best cards, seat 2 has 1500 and the next best; seat 3 folds, seat 4 gets 1000 back."""
    table = TableUnderTest(HOLDEM, rake_bp=500, buy_in_min=100, buy_in_max=10_000, top_up_to=10_000)
    table.with_stacks(s1=500, s2=1500, s3=3000, s4=3000)
    holes = {1: "As Ad", 2: "Ks Kd", 3: "9s 9d", 4: "Qs Qd"}
    table.deal(button=1, fresh=deck(table, 1, holes, "2c 3d 4s 5h 7s"))
    table.plays("4 raise 400", "1 raise 500", "2 call", "3 call", "4 call")
    table.plays("2 bet 1000", "3 call", "4 raise 2000", "3 fold")
    assert [(each.amount, each.winners) for each in table.of(p.PotAwarded)] == [(2000, [1]), (3000, [2])]
    return list(table.told)


def tied(rulebook: str, **changes: Any) -> Facts:
    """Seats 2 and 3 share what can't be halved."""
    table = TableUnderTest(rulebook, **{**RULEBOOKS[rulebook], "rake_bp": 300, **changes}).seat(1, 2, 3, 4)
    holes = {4: "5c 5d 6s 6h", 1: "2c 3d 4s 7h", 2: "As Kd 8h 8s", 3: "Ad Ks 9h 9c"}
    holes = {seat: " ".join(cards.split()[: 4 if "omaha" in rulebook else 2]) for seat, cards in holes.items()}
    fresh = deck(table, 1, holes, "Qc Jd Th 2h 3c")
    table = led(table, 2, fresh) if rulebook == CASINO_HOLDEM else table.deal(button=1, fresh=fresh)
    big = table.state.rules.betting.big_blind
    table.plays(
        "4 fold",
        f"1 raise {2 * big + 33}",
        "2 call",
        "3 call",
        "2 check",
        "3 check",
        f"1 bet {big + 1}",
        "2 call",
        "3 call",
    )
    table.checks_down()
    assert table.of(p.PotAwarded)[0].winners == [2, 3]
    return list(table.told)


def at_random(rulebook: str, seed: int) -> Facts:
    """Some hands of four, played as the dice say."""
    dice = Random(seed)
    table = TableUnderTest(rulebook, **RULEBOOKS[rulebook]).seat(1, 2, 3, 4)
    for _ in range(4):
        table.now = max(table.now, table.due or 0)
        cards = [name_of(card) for card in DECK]
        dice.shuffle(cards)
        table.wake(stacked(" ".join(cards)))
        while table.turn is not None:
            check, call, low, high = table.legal
            acts = ["check" if check else "call" if call else "fold"] * 4 + ([] if check else ["fold"])
            act = dice.choice([*acts, *(["raise"] * 2 if low is not None else [])])
            to = dice.choice([low, low, high]) if act == "raise" else None
            assert table.act(table.turn, act, to) is None, table.refused
    return list(table.told)


def forgeries(facts: Facts) -> Iterator[Forged]:
    """Each way to lie of each hand, one at a time."""
    for place in places(facts, p.PotAwarded):
        yield from _of_a_pot(facts, place)
    for place in places(facts, p.UncalledBetReturned):
        yield "an uncalled bet stays", told(facts, place), Kind.POT_RESULT
        more = replace(facts[place], amount=facts[place].amount + 1)
        yield "more goes back than was uncalled", told(facts, place, more), Kind.POT_RESULT
    for place in places(facts, p.PlayerFolded):
        yield "who folded has a claim", told(facts, place), Kind.POT_RESULT
    for place in places(facts, p.CardsShown):
        yield "paid without the cards", told(facts, place), Kind.POT_RESULT
        card = replace(facts[place].cards[0], card="1x")
        unreadable = replace(facts[place], cards=[card, *facts[place].cards[1:]])
        yield "a card that is none", told(facts, place, unreadable), Kind.POT_RESULT
    for place in places(facts, p.HandEnded):
        other = None if facts[place].exemption else "no_flop"
        yield "exempt, or not", told(facts, place, replace(facts[place], exemption=other)), Kind.RAKE


def _of_a_pot(facts: Facts, place: int) -> Iterator[Forged]:
    pot = facts[place]
    hand = next(fact for fact in reversed(facts[:place]) if isinstance(fact, p.HandStarted))
    first, *others = pot.payments
    for seat in hand.seats:
        if seat.seat not in pot.winners:
            taken = replace(
                pot,
                winners=[seat.seat],
                payments=[p.Payment(seat.seat, seat.player, pot.amount, pot.rake, pot.amount - pot.rake)],
            )
            yield "another one is paid", told(facts, place, taken), Kind.POT_RESULT
        if seat.seat not in pot.eligible:
            more = replace(pot, eligible=[*pot.eligible, seat.seat])
            yield "a claim of who folded", told(facts, place, more), Kind.POT_RESULT
    for seat in pot.eligible:
        less = replace(pot, eligible=[each for each in pot.eligible if each != seat])
        yield "a claim is passed over", told(facts, place, less), Kind.POT_RESULT
    if others:
        for cents in (1, -1):
            moved = [replace(first, gross=first.gross + cents, net=first.net + cents), *others]
            moved[1] = replace(moved[1], gross=moved[1].gross - cents, net=moved[1].net - cents)
            yield "split wrong by a cent", told(facts, place, replace(pot, payments=moved)), Kind.POT_RESULT
        turned = [
            replace(mine, seat=other.seat) for mine, other in zip(pot.payments, reversed(pot.payments), strict=True)
        ]
        if len({(each.net, each.rake) for each in pot.payments}) > 1:
            wrong = Kind.RAKE if len({each.rake for each in pot.payments}) > 1 else Kind.POT_RESULT
            yield "the odd cent elsewhere", told(facts, place, replace(pot, payments=turned)), wrong
        alone = [replace(first, gross=pot.amount, rake=pot.rake, net=pot.amount - pot.rake)]
        yield (
            "one of those who tie has all",
            told(facts, place, replace(pot, payments=alone, winners=[first.seat])),
            Kind.POT_RESULT,
        )
    for cents in (1, -1):
        charged = [replace(first, rake=first.rake + cents, net=first.net - cents), *others]
        forged = replace(pot, rake=pot.rake + cents, payments=charged)
        yield "a cent more or less is charged", told(facts, place, forged), Kind.RAKE
    yield (
        "charged on another basis",
        told(facts, place, replace(pot, basis="none" if pot.basis != "none" else "pot")),
        Kind.RAKE,
    )
    yield "a cent is not in the pot", told(facts, place, replace(pot, amount=pot.amount - 1)), Kind.POT_RESULT
    yield "a pot is left out", told(facts, place), Kind.POT_RESULT


@pytest.mark.parametrize(
    "facts", [side_pots, lambda: tied(PORTUGAL), lambda: tied(MACAU), lambda: tied(HOLDEM), lambda: tied(CASINO_HOLDEM)]
)
def test_each_forgery_of_a_worked_hand_is_found(facts: Any) -> None:
    true, names = facts(), set()
    assert found(true) == set()
    for name, forged, kind in forgeries(true):
        names.add(name)
        assert kind in found(forged), name
    assert len(names) > 10


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_each_forgery_of_hands_at_random_is_found(rulebook: str) -> None:
    hands = 0
    for seed in range(12):
        true = at_random(rulebook, seed)
        assert found(true) == set()
        hands += len(places(true, p.HandEnded))
        for name, forged, kind in forgeries(true):
            assert kind in found(forged), (seed, name)
    assert hands >= 15


def kinds(table: Watched) -> list[Kind]:
    return [finding.kind for finding in table.found]


def test_a_fold_that_nobody_made_is_found_when_the_pot_is_paid() -> None:
    """Out of a snapshot that says so: the true table pays the other one and shows no card."""
    table = Watched(PORTUGAL).seat(1, 2).deal(button=1)
    table.plays("1 raise 300", "2 call", "2 bet 500")
    table.forge(2, folded=True)
    table.plays("1 call")
    (pot,) = table.of(p.PotAwarded)
    assert (pot.winners, table.of(p.CardsShown)) == ([1], [])
    assert kinds(table) == [Kind.POT_RESULT]


def test_chips_that_nobody_put_in_are_found() -> None:
    table = Watched(PORTUGAL).seat(1, 2, 3).deal(button=1)
    table.plays("1 raise 300", "2 call", "3 call")
    table.forge(2, committed=500)
    table.forge(3, committed=100)
    table.checks_down()
    assert Kind.POT_RESULT in kinds(table)


@pytest.mark.parametrize("changes", [{"bp": 0}, {"bp": 499}, {"bp": 1000}, {"cap_big_blinds": 1}, {"mode": "session"}])
def test_another_rate_than_the_configurations_is_found(changes: dict[str, Any]) -> None:
    table = Watched(PORTUGAL).seat(1, 2).deal(button=1)
    table.charge(**changes)
    table.plays("1 raise 300", "2 call").checks_down()
    assert set(kinds(table)) == {Kind.RAKE}


def test_above_the_cap_is_found() -> None:
    table = Watched(MACAU, rake_cap_big_blinds=1).seat(1, 2).deal(button=1)
    table.charge(cap_big_blinds=5)
    table.plays("1 raise 3000", "2 call", "2 bet 6000", "1 call", "2 bet 18000", "1 call").checks_down()
    assert table.of(p.HandEnded)[0].rake > 1000
    assert kinds(table) == [Kind.RAKE]


def test_terms_that_nobody_announced_are_found() -> None:
    table = Watched(PORTUGAL).seat(1, 2).deal(button=1)
    assert table.change(2, rake_bp=400) is None
    table.folds_round()
    assert (table.state.rules.rake.bp, kinds(table)) == (400, [])
    table.deal()
    assert table.change(3, rake_bp=300) is None
    announced = table.state.announced
    rules = announced.configuration
    cheaper = replace(rules, rake=replace(rules.rake, bp=0))
    table.state = replace(table.state, announced=replace(announced, configuration=cheaper))
    table.acted_for = ActedFor()  # which would tell it as well (`test_acted_for.py`)
    table.folds_round()
    assert kinds(table) == [Kind.RAKE]


@pytest.mark.parametrize(("forged", "expected"), [({}, []), ({"bp": 0}, [Kind.RAKE]), ({"bp": 2000}, [Kind.RAKE])])
def test_the_part_of_a_buy_in_is_that_of_the_configuration(forged: dict[str, Any], expected: list[Kind]) -> None:
    table = Watched(PORTUGAL, rake_mode="buy_in", rake_bp=1000)
    table.charge(**forged)
    table.seat(1)
    assert kinds(table) == expected


def topped_up(rate: int = 750) -> Facts:
    """A buy-in and two top-ups of which what is rounded off adds up."""
    table = TableUnderTest(rake_mode="buy_in", rake_bp=rate, buy_in_min=1_000, buy_in_max=10_000).seat(1, amount=1_999)
    for number in range(2):
        assert table.top_up(1, 119, f"u{number}") is None
        assert table.confirm_top_up(f"u{number}") is None
    facts: Facts = list(table.told)
    assert [(each.commission, each.uncharged) for each in facts if isinstance(each, t.PlayerSeated | t.TopUpAdded)] == [
        (149, 9_250), (9, 8_500), (9, 7_750),
    ]  # fmt: skip
    return facts


def test_the_commission_of_a_sitting_is_of_all_that_it_brought() -> None:
    facts = topped_up()
    seated, (first, second) = places(facts, t.PlayerSeated)[0], places(facts, t.TopUpAdded)
    assert found(facts) == set()
    lies: list[tuple[int, dict[str, Any]]] = [
        (seated, {"uncharged": 0}),
        (seated, {"uncharged": 19_250, "commission": 148}),
        (first, {"commission": 8}),
        (first, {"commission": 8, "uncharged": None}),
        (second, {"uncharged": 0}),
        (second, {"commission": 10, "uncharged": 0}),
    ]
    for place, lie in lies:
        assert Kind.RAKE in found(told(facts, place, replace(facts[place], **lie))), lie
    left = t.PlayerLeft(player="p1", seat=1, reservation="r1", currency="EUR", stack=2_070, reason="player")
    assert found([*facts, left]) == set()


def test_commission_from_before_it_was_of_the_sitting_is_of_each_alone() -> None:
    facts = [
        replace(each, uncharged=None, commission=149 if isinstance(each, t.PlayerSeated) else 8)
        if isinstance(each, t.PlayerSeated | t.TopUpAdded)
        else each
        for each in topped_up()
    ]
    assert found(facts) == set()
    first, second = places(facts, t.TopUpAdded)
    goes_on = told(facts, first, replace(facts[first], commission=8, uncharged=9_250))
    assert found(told(goes_on, second, replace(facts[second], commission=9, uncharged=8_500))) == set(), "an update"


def test_who_began_behind_the_buy_in_believes_what_was_rounded_off_once() -> None:
    facts = topped_up()
    opened, _, (first, second) = facts[0], places(facts, t.PlayerSeated), places(facts, t.TopUpAdded)
    late = [opened, *facts[first:]]
    assert found(late) == set()
    assert found([opened, replace(facts[first], commission=11), facts[second]]) == {Kind.RAKE}


@pytest.mark.parametrize("forged", [{"amount": 1}, None])
def test_a_fee_of_another_amount_or_of_some_alone_is_found(forged: dict[str, Any] | None) -> None:
    table = charged()
    table.wake()
    table.folds_round()
    facts = list(table.told)
    assert found(facts) == set()
    place = places(facts, p.SessionFeeDue)[2]
    lie = told(facts, place) if forged is None else told(facts, place, replace(facts[place], **forged))
    assert found(lie) == {Kind.RAKE}


def test_a_fee_of_who_does_not_sit_there_is_found() -> None:
    """Whether he sits at another table, or has been here and left."""
    table = charged()
    table.wake()
    facts = list(table.told)
    first = places(facts, p.SessionFeeDue)[0]
    for lie in ({"player": "eve"}, {"reservation": "none"}):
        assert found(told(facts, first, replace(facts[first], **lie))) == {Kind.RAKE}, lie
    (opening,) = places(facts, t.TableOpened)
    behind = [*facts[:opening], *facts[opening + 1 :]]
    assert found(behind) == set(), "who began behind the table's opening knows nobody's seat"


def test_a_pot_pushed_past_its_winner_goes_to_him_and_nobody_else() -> None:
    table = flush_against_straight()
    assert table.deliver(winner=4, pushed=True) is None
    assert table.report("DE-70a") is None
    facts = list(table.told)
    assert found(facts) == set()
    (place,) = places(facts, PotReversed)
    for lie in ({"amount": facts[place].amount - 1}, {"to_seat": 2}, {"from_seat": 2}, {"hand": 1}):
        assert found(told(facts, place, replace(facts[place], **lie))) == {Kind.POT_RESULT}, lie
    assert found([*facts, facts[place]]) == {Kind.POT_RESULT}, "a second time"
    (place,) = places(facts, WinnerAnnounced)
    for lie in ({"by_the_cards": [2]}, {"pushed": False}, {"due": []}):
        assert Kind.POT_RESULT in found(told(facts, place, replace(facts[place], **lie))), lie


def test_who_began_in_the_middle_judges_the_next_hand_by_claims_and_cards() -> None:
    """As after an update: the configuration was told before, and what it charges is for `croupier verify`."""
    true = side_pots()
    begun = places(true, t.PlayerSeated)[-1] + 1
    assert not isinstance(true[begun], t.TableOpened)
    for name, forged, kind in forgeries(true):
        if kind is Kind.POT_RESULT:
            assert found(forged[begun:]) == {kind}, name
    running = places(true, p.HoleCardsDealt)[0]
    assert all(found(forged[running:]) == set() for _, forged, _ in forgeries(true)), "of this one nothing is known"


@pytest.mark.parametrize("variant", HOLE_CARDS)
def test_strengths_are_those_of_the_best_five_cards(variant: Any) -> None:
    """phevaluator against the auditor's own ranking; sintético against the table's."""
    dice, cards = Random(7), SINTETICO_DECK if variant == "sintetico" else DECK
    held = HOLE_CARDS[variant]
    dealt = [names_of(dice.sample(cards, held + 5)) for _ in range(300)]
    ours: list[Any] = []
    others: list[Any] = []
    for names in dealt:
        hole, board = names[:held], names[held:]
        strong = strength(variant, hole, board)
        assert strong is not None
        ours.append(strong)
        if variant == "sintetico":
            others.append((-sintetico_strength(parse_all(hole), parse_all(board)), []))
        elif variant == "omaha":
            fives = [(*two, *three) for two in combinations(hole, 2) for three in combinations(board, 3)]
            others.append(max(map(worth, fives)))
        else:
            others.append(max(map(worth, combinations(names, 5))))
    for one, other in combinations(range(len(dealt)), 2):
        assert (ours[one] > ours[other]) == (others[one] > others[other])
        assert (ours[one] == ours[other]) == (others[one] == others[other])


@pytest.mark.parametrize("cards", ["As Ad", "As As Kd Kh", "As Ad Kd 1x"])
def test_what_is_no_hand_has_no_strength(cards: str) -> None:
    assert strength("omaha", cards.split(), ["2c", "3c", "4c", "5c", "6c"]) is None
