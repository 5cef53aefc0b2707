"""Hands out of the house in other people's formats, and back in: nothing changed, nothing shown that was not."""

import json
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError
from pokerkit import HandHistory

from libs.cards.card import name_of
from services.audit.exporting.hand import NotExported, PublicHand
from services.audit.exporting.ohh import ohh_of, validator
from services.audit.exporting.phh import phh_of
from services.cli.export import hand_of
from services.cli.journals import books
from services.cli.replaying.phh.play import replay_phh
from services.cli.scan import scan_log
from services.cli.secrecy.hands import hands_of
from services.cli.verify import verify_log
from services.table.domain.games.poker import starting
from services.table.domain.games.poker.readiness import ready_seats
from services.table.domain.table.waking import next_wake
from tests.audit.played import CONFIGURATION, GATEWAY_KEY, KEKS, KEYRING, PlayedHouse
from tests.testkit.partitions import PARTITIONS

OPEN = {"big_blind": 100, "buy_in_min": 200, "buy_in_max": 10_000, "between_hands_ms": 0}
MACAU = {**OPEN, "version": 1, "approval": "A", "rake_bp": 500, "decision_ms": 3000}
PORTUGAL = {**CONFIGURATION, "buy_in_min": 100}
CASINO = {
    "structure": "no_limit", "big_blind": 100, "buy_in_min": 200, "buy_in_max": 10_000, "rake_mode": "pot",
    "rake_bp": 500, "rake_cap": 200, "approval": "A", "decision_ms": 3000, "between_hands_ms": 0,
}  # fmt: skip
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "no-limit hold'em": ("common-holdem", OPEN),
    "antes": ("common-holdem", {**OPEN, "ante": 15}),
    "big-blind ante": ("common-holdem", {**OPEN, "big_blind_ante": 100}),
    "fixed limit": ("common-holdem", {**OPEN, "structure": "limit_raise_count", "raise_cap_lifted_heads_up": False}),
    "pot-limit Omaha": ("common-omaha", OPEN),
    "one blind": ("common-holdem", {**OPEN, "small_blind": 0, "single_blind": True}),
    "no small blind": ("common-omaha", {**OPEN, "small_blind": 0}),
    "as rooms do": ("common-holdem", {**OPEN, "entering": "missed_blinds", "unanswerable_raise": True}),
    "Portugal": ("pt-811-2015-omaha", PORTUGAL),
    "Portugal, half pot": ("pt-811-2015-omaha", {**PORTUGAL, "structure": "limit_half_pot"}),
    "Portugal, no limit": ("pt-811-2015-omaha", {**PORTUGAL, "structure": "no_limit"}),
    "Portugal, buy-in": ("pt-811-2015-omaha", {**PORTUGAL, "buy_in_min": 200, "rake_mode": "buy_in", "rake_bp": 1000}),
    "Macau": ("mo-97-2010-omaha", {**MACAU, "structure": "pot_limit_with_raise_cap"}),
}
FIRST = {"action_number": 0, "player_id": 0}
RAKELESS = ["no-limit hold'em", "antes", "fixed limit", "pot-limit Omaha"]


def house_of(table: str, hands: int = 12, seed: int = 3) -> PlayedHouse:
    """Some hands played by the real decider; newcomers post to come in, and keep the table going."""
    rulebook, configuration = TABLES[table]
    house = PlayedHouse(seed=seed)
    opening = {"name": 'One "and" only', "rulebook": rulebook, "configuration": configuration}
    house.ask("table", house.table, "OpenTable", ("staff", "s"), **opening)
    for number, amount in enumerate((5_000, 900, 2_500, 700), start=1):
        house.sit(f"player-{number}", amount)
    for number in range(1, hands + 1):
        if number == hands // 2 or len(ready_seats(house.state)) < 3:
            newcomer(house, f"newcomer-{number}")
        house.play(1)
    return house


def newcomer(house: PlayedHouse, player: str) -> None:
    for seat in [seat for seat, sitter in house.state.seats.items() if sitter.stack == 0]:
        house.leave(house.state.seats[seat].player)
    house.sit(player, 3_000)
    house.ask("table", house.table, "SitIn", ("player", player), post_big_blind=True)


async def hands_in(house: PlayedHouse) -> list[PublicHand]:
    return [await hand_of(house.log, house.table, number, PARTITIONS) for number in range(1, house.state.hands + 1)]


@pytest.mark.parametrize("table", TABLES)
async def test_what_goes_out_as_phh_comes_back_equal(table: str) -> None:
    hands = await hands_in(house_of(table))
    assert len(hands) == 12
    for hand in hands:
        text = phh_of(hand)
        outcome = replay_phh("back", tomllib.loads(text, parse_float=Decimal))
        assert (outcome.differences, outcome.not_dealt) == ([], None), text
        assert outcome.ruleset == TABLES[table][0]


@pytest.mark.parametrize(("rulebook", "structure"), [("holdem", "limit_half_pot"), ("omaha", "pot_limit")])
async def test_hands_of_casino_poker_come_back_equal(rulebook: str, structure: str) -> None:
    """A lead seat, blinds missed while away, a live blind after idle hands: all that goes before the first card."""
    house = PlayedHouse(seed=5)
    opening = {
        "name": "Casino",
        "rulebook": f"pt-217-2007-{rulebook}",
        "configuration": CASINO | {"structure": structure},
    }
    house.ask("table", house.table, "OpenTable", ("staff", "s"), **opening)
    for number in range(1, 10):
        house.sit(f"player-{number}", 10_000)
    house.play(2)
    house.ask("table", house.table, "SitOut", ("player", "player-4"))
    house.play(2)
    house.ask("table", house.table, "SitIn", ("player", "player-4"))
    house.play(2)
    hands = await hands_in(house)
    posts = [act.blind for hand in hands for act in hand.record.actions]
    assert "missed" in posts
    for hand in hands:
        outcome = replay_phh("back", tomllib.loads(phh_of(hand), parse_float=Decimal))
        assert (outcome.differences, outcome.not_dealt) == ([], None), phh_of(hand)
    house.settle()
    assert (await verify_log(house.log, books(KEYRING, PARTITIONS))).findings == []


@pytest.mark.parametrize("table", RAKELESS)
async def test_pokerkit_reads_it_and_comes_to_the_same_stacks(table: str) -> None:
    """Another reader, with rules of its own, where the two sets of rules say the same."""
    hands = [hand for hand in await hands_in(house_of(table, hands=16)) if not differs(hand)]
    assert hands
    for hand in hands:
        history = HandHistory.loads(phh_of(hand))
        *_, last = history
        assert list(last.stacks) == history.finishing_stacks, phh_of(hand)


def differs(hand: PublicHand) -> bool:
    """Where PokerKit plays by other rules: short blinds, posts to come in, odd chips, short raises in fixed limit."""
    posts = [act for act in hand.record.actions if act.act == "post"]
    sizes = {
        "small": hand.rules.betting.small_blind,
        "big": hand.rules.betting.big_blind,
        "ante": hand.rules.betting.ante,
    }
    all_in = any(act.all_in for act in hand.record.actions if act.act != "post")
    return (
        any(post.amount != sizes.get(post.blind or "") for post in posts)
        or any(pot.amount % len(pot.winners) for pot in hand.record.awards)
        or (hand.rules.betting.structure == "limit_raise_count" and all_in)
    )


async def test_hands_of_who_was_away_or_asleep_come_back_equal() -> None:
    """Blinds missed, the big one live; and clocks that run out on who owes a call, for which PHH has no word."""
    house = PlayedHouse(seed=11)
    away = {"entering": "missed_blinds", "timer_action": "all_in", "absent_hands": 50, "buy_in_min": 10_000}
    opening = {"name": "Rooms", "rulebook": "common-holdem", "configuration": {**OPEN, **away}}
    house.ask("table", house.table, "OpenTable", ("staff", "s"), **opening)
    for number in range(1, 6):
        house.sit(f"player-{number}", 10_000)
    for number in range(1, 17):
        for player in ("player-2", "player-3") if number in (3, 12) else ():  # one of them comes back without the blind
            house.ask("table", house.table, "SitOut" if number == 3 else "SitIn", ("player", player))
        while house.state.hands < number or house.state.hand is not None:
            sleepily(house)
    hands = await hands_in(house)
    assert {"missed", "entry"} <= {act.blind for hand in hands for act in hand.record.actions}
    documents = [tomllib.loads(phh_of(hand), parse_float=Decimal) for hand in hands]
    assert sum(len(document["_croupier"]["protected"]) for document in documents) > 3
    for document in documents:
        outcome = replay_phh("back", document)
        assert (outcome.differences, outcome.not_dealt) == ([], None), document
    house.settle()
    assert (await verify_log(house.log, books(KEYRING, PARTITIONS))).findings == []


@pytest.mark.parametrize("entering", [{}, {"entering": "missed_blinds"}, {"big_blind_ante": 20}])
async def test_hands_of_who_let_a_blind_past_come_back_equal(entering: dict[str, Any]) -> None:
    """Each sits out in turn and comes back at once: a free post with a dead small blind, or both on the small one."""
    house = PlayedHouse(seed=12)
    values = {**OPEN, "buy_in_min": 10_000, **entering}
    house.ask(
        "table", house.table, "OpenTable", ("staff", "s"), name="Out", rulebook="common-holdem", configuration=values
    )
    for number in range(1, 6):
        house.sit(f"player-{number}", 10_000)
    house.play(1)
    for number in range(1, 6):
        who = ("player", f"player-{number}")
        house.ask("table", house.table, "SitOut", who)
        house.play(1)
        house.ask("table", house.table, "SitIn", who, post_big_blind=True)
        house.play(2)
    while house.state.big_blind != 3:
        house.play(1)
    house.ask("table", house.table, "SitOut", ("player", "player-4"))
    house.play(4)  # big blinds 5, 1, 2, 3
    house.ask("table", house.table, "SitOut", ("player", "player-3"))
    house.ask("table", house.table, "SitIn", ("player", "player-4"))
    house.play(1)
    hands = await hands_in(house)
    kinds = [
        {act.blind for act in hand.record.actions if act.seat == seat.seat} for hand in hands for seat in hand.seats
    ]
    assert any({"entry", "missed"} <= posted for posted in kinds)
    if "entering" in entering:
        assert any({"small", "entry", "missed"} <= posted for posted in kinds)
    for hand in hands:
        outcome = replay_phh("back", tomllib.loads(phh_of(hand), parse_float=Decimal))
        assert (outcome.differences, outcome.not_dealt) == ([], None), phh_of(hand)
    house.settle()
    assert (await verify_log(house.log, books(KEYRING, PARTITIONS))).findings == []


async def test_a_post_between_button_and_small_blind_by_an_older_build_is_named() -> None:
    house = PlayedHouse(seed=12)
    values = {**OPEN, "buy_in_min": 10_000}
    house.ask(
        "table", house.table, "OpenTable", ("staff", "s"), name="Old", rulebook="common-holdem", configuration=values
    )
    for number in range(1, 6):
        house.sit(f"player-{number}", 10_000)
    house.play(1)
    while house.state.big_blind != 3:
        house.play(1)
    with pytest.MonkeyPatch.context() as older:
        older.setattr(starting, "lies_between", lambda *_: False)
        house.ask("table", house.table, "SitOut", ("player", "player-4"))
        house.play(1)
        house.ask("table", house.table, "SitIn", ("player", "player-4"), post_big_blind=True)
        house.play(1)
    last = tomllib.loads(phh_of((await hands_in(house))[-1]), parse_float=Decimal)
    assert replay_phh("back", last).not_dealt == "a post between button and small blind"


def sleepily(house: PlayedHouse) -> None:
    """Small bets and calls, and now and then nothing until the clock has run out."""
    hand = house.state.hand
    if hand is None or hand.turn is None:
        house.step()
        return
    legal, drowsy = hand.turn.legal, house.random.random()
    if drowsy < 0.25:
        house.now = next_wake(house.state) or house.now
        house.ask("table", house.table, "WakeTable", ("timer", "t"), due=house.now)
        return
    act: dict[str, Any] = {"act": "call"}
    if legal.check:
        act = {"act": "bet", "to": legal.min_to} if legal.min_to and drowsy < 0.5 else {"act": "check"}
    house.now += 7
    player = hand.players[hand.turn.seat].player
    house.ask("table", house.table, "Act", ("player", player), hand=hand.number, seat=hand.turn.seat, **act)


async def test_a_void_hand_comes_back_void() -> None:
    house = house_of("no-limit hold'em", hands=2)
    while house.state.hand is None:
        house.step()
    house.step()
    for who in ("s", "t"):
        house.ask("table", house.table, "VoidHand", ("staff", who), hand=house.state.hands, cause="power")
    document = tomllib.loads(phh_of((await hands_in(house))[-1]), parse_float=Decimal)
    assert document["_croupier"]["outcome"] == "void"
    assert replay_phh("back", document).differences == []
    document["finishing_stacks"][0] += 1
    assert "final stacks" in replay_phh("lie", document).differences[0]


async def test_a_hand_goes_out_under_the_rules_that_were_in_force() -> None:
    house = house_of("Portugal", hands=2)
    rules = {**PORTUGAL, "version": 2, "big_blind": 50, "rake_bp": 400}
    house.ask("table", house.table, "ChangeConfiguration", ("staff", "s"), configuration=rules)
    house.ask("table", house.table, "ApproveConfiguration", ("staff", "t"), version=2)
    house.play(2)
    hands = await hands_in(house)
    assert [hand.rules.betting.big_blind for hand in hands] == [100, 100, 50, 50]
    for hand in hands:
        assert hand.rules.version == hand.record.configuration_version
        assert replay_phh("back", tomllib.loads(phh_of(hand))).differences == []


async def test_verify_and_scan_find_nothing_in_a_house_of_holdem() -> None:
    """The auditor's checks of the deal and of secrecy count two hole cards where two are dealt."""
    house = house_of("antes")
    house.settle()
    assert (await verify_log(house.log, books(KEYRING, PARTITIONS))).findings == []
    report = await scan_log(house.log, PARTITIONS, KEKS, {"gateway_key": GATEWAY_KEY}, GATEWAY_KEY, None)
    assert report.findings == []
    assert report.hidden_holes > 0


async def test_a_leaked_pair_of_hole_cards_is_found(tmp_path: Path) -> None:
    house = house_of("antes")
    secret = await anext(
        hand async for hand in hands_of(house.log, books(KEYRING, PARTITIONS)[0]) if hand.hidden_holes()
    )
    leak = tmp_path / "table.log"
    leak.write_text(f"{secret.table} hand: {secret.number} dealt {' '.join(secret.hidden_holes()[0])}\n")
    report = await scan_log(house.log, PARTITIONS, KEKS, {"gateway_key": GATEWAY_KEY}, GATEWAY_KEY, None, [leak])
    what = f"{secret.table} hand {secret.number}: hole cards that were not shown"
    assert [(found.place, found.what) for found in report.findings] == [("table.log:1", what)]


async def test_a_changed_stack_in_an_export_is_found() -> None:
    (hand, *_) = await hands_in(house_of("Portugal", hands=2))
    document = tomllib.loads(phh_of(hand))
    document["finishing_stacks"][0] += 1
    assert "final stacks" in " ".join(replay_phh("lie", document).differences)


@pytest.mark.parametrize("table", ["no-limit hold'em", "Portugal"])
async def test_no_unseen_card_goes_out(table: str) -> None:
    """The sealed decks know every card; an export holds no hole card of anybody who did not show."""
    house = house_of(table, hands=20)
    secrets = {hand.number: hand async for hand in hands_of(house.log, books(KEYRING, PARTITIONS)[0])}
    hidden = 0
    for hand in await hands_in(house):
        secret = secrets[hand.record.hand]
        document = tomllib.loads(phh_of(hand))
        for place, seat in enumerate(document["seats"], start=1):
            dealt = next(act for act in document["actions"] if act.startswith(f"d dh p{place} ")).split()[-1]
            cards = [name_of(secret.deck.cards[position]) for position in secret.hole[seat]]
            if secret.public.issuperset(secret.hole[seat]):
                assert dealt == "".join(cards)
                continue
            hidden += 1
            assert dealt == "??" * len(cards)
            unseen = set(cards) - secret.public_cards
            assert not any(card in action for action in document["actions"] for card in unseen)
            assert not unseen & _cards_in(json.loads(ohh_of(hand)))
    assert hidden > 5


def _cards_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*(_cards_in(each) for each in value.values()))
    if isinstance(value, list):
        return set().union(*(_cards_in(each) for each in value))
    return {value} if isinstance(value, str) and len(value) == 2 else set()


@pytest.mark.parametrize("table", TABLES)
async def test_ohh_has_the_published_structure_and_adds_up(table: str) -> None:
    for hand in await hands_in(house_of(table)):
        text = ohh_of(hand)
        ohh = json.loads(text, parse_float=Decimal)["ohh"]
        validator().validate(json.loads(text))
        actions = [action for each in ohh["rounds"] for action in each["actions"]]
        assert [action["action_number"] for action in actions] == list(range(len(actions)))
        put_in = sum(action.get("amount", 0) for action in actions)
        returned = sum(act.amount for act in hand.record.actions if act.act == "uncalled_returned")
        assert sum(pot["amount"] for pot in ohh["pots"]) == put_in - Decimal(returned) / 100
        for pot in ohh["pots"]:
            assert sum(win["win_amount"] for win in pot["player_wins"]) == pot["amount"] - pot["rake"]
        shows = [round_["street"] for round_ in ohh["rounds"]].count("Showdown")
        assert shows == bool(hand.shown)


async def test_ohh_in_words() -> None:
    hands = await hands_in(house_of("antes"))
    hand = next(hand for hand in hands if hand.shown)
    ohh = json.loads(ohh_of(hand))["ohh"]
    assert (ohh["spec_version"], ohh["game_type"], ohh["bet_limit"]["bet_type"]) == ("1.4.7", "Holdem", "NL")
    assert (ohh["currency"], ohh["big_blind_amount"], ohh["ante_amount"]) == ("XPM", 1.00, 0.15)
    assert (ohh["hero_player_id"], ohh["flags"], ohh["table_name"]) == (None, ["Observed"], 'One "and" only')
    posts = [action["action"] for action in ohh["rounds"][0]["actions"]]
    assert posts[: len(hand.seats) + 2] == ["Post Ante"] * len(hand.seats) + ["Post SB", "Post BB"]


@pytest.mark.parametrize(
    "lie",
    [
        {"spec_version": "1.4.6"},
        {"game_type": "Chess"},
        {"players": []},
        {"hand": 3},
        {"rounds": [{"id": 0, "street": "Preflop", "actions": [{**FIRST, "action": "Bet"}]}]},
        {"pots": [{"number": 0, "amount": -1, "player_wins": [{"player_id": 0, "win_amount": 0}]}]},
    ],
)  # fmt: skip
async def test_the_schema_refuses_what_is_not_ohh(lie: dict[str, Any]) -> None:
    (hand, *_) = await hands_in(house_of("antes", hands=2))
    document = json.loads(ohh_of(hand))
    document["ohh"] |= lie
    with pytest.raises(ValidationError):
        validator().validate(document)


async def test_a_void_hand_goes_out_as_it_stands() -> None:
    house = house_of("Portugal", hands=2)
    while house.state.hand is None or len(house.state.hand.board) < 3:
        house.step()
    number = house.state.hands
    with pytest.raises(NotExported, match="not over"):
        await hand_of(house.log, house.table, number, PARTITIONS)
    for who in ("s", "t"):
        house.ask("table", house.table, "VoidHand", ("staff", who), hand=number, cause="deck lost")
    hand = await hand_of(house.log, house.table, number, PARTITIONS)
    document = tomllib.loads(phh_of(hand))
    assert document["_croupier"]["outcome"] == "void"
    assert document["finishing_stacks"] == document["starting_stacks"]
    assert json.loads(ohh_of(hand))["ohh"]["pots"] == []


@pytest.mark.parametrize(
    ("table", "hand", "why"), [("table-1", 99, "has no hand 99"), ("nowhere", 1, "no table nowhere")]
)
async def test_what_is_not_there_is_one_sentence(table: str, hand: int, why: str) -> None:
    house = house_of("antes", hands=2)
    with pytest.raises(NotExported, match=why):
        await hand_of(house.log, table, hand, PARTITIONS)
