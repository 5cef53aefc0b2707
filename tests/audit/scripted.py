"""A scripted table for the auditor's tests: three sit down, one hand to the showdown, one void, one leaves.

The deck is really drawn and really committed to, again until the cards are the winner's.
"""

from collections.abc import Iterator
from typing import Any

from libs.cards.card import name_of
from libs.cards.ranking import omaha_strength
from libs.contracts import poker_events
from libs.contracts import table_events as t
from libs.contracts import wallet_events as w
from libs.contracts.configurations import grouped
from libs.contracts.facts import Fact, TableEvent, WalletEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_configuration import PokerConfiguration
from libs.contracts.registry import encode_fact, wire_name
from libs.sealing.deck import Deck
from libs.sealing.merkle import deck_tree
from tests.table.luck import seeded_shuffler

TABLE = "table-1"
T0 = 1_700_000_000_000
CONFIGURATION = grouped(
        PokerConfiguration,
        {
            "rulebook": "mo-97-2010-omaha", "regulation": "mo-97-2010", "version": 1,
            "approval": "", "currency": "EUR", "kind": "real", "seats": 6,
            "structure": "pot_limit", "raise_cap": None, "raise_cap_lifted_heads_up": False,
            "small_blind": 50, "big_blind": 100, "buy_in_min": 1000, "buy_in_max": 10000, "top_up_to": 10000,
            "rake_mode": "pot", "rake_bp": 500, "rake_cap_big_blinds": None, "no_flop_no_rake": True,
            "flop_round_without_bet_no_rake": True, "rake_per_payment_when_all_in": True,
            "odd_unit": "one_unit_each_clockwise_from_button", "min_unit": 1, "heads_up_blinds": "button_small",
            "first_button": "drawn", "deal_from": "left_of_button", "burn_before_board": True, "decision_ms": 1,
            "time_bank_ms": 1, "break_ms": 1, "waiting_ms": 1, "absent_hands": 1, "reservation_ms": 1,
            "reentry_ms": 0, "between_hands_ms": 0,
        },
    )  # fmt: skip
SEATS = {1: "ann", 2: "bob", 3: "cem"}
DEPOSITED = {"reserved": 0, "by": "operator:o"}


class Script:
    """Events in order, versions dense per stream, a second between them."""

    def __init__(self) -> None:
        self.events: list[PublicEvent] = []
        self.facts: list[Fact] = []
        self.decks: dict[int, Deck] = {}
        self.shuffler = seeded_shuffler()
        self._versions: dict[str, int] = {}

    def say(self, stream: str, fact: Fact) -> None:
        self._versions[stream] = self._versions.get(stream, 0) + 1
        event = PublicEvent(
            stream=stream,
            version=self._versions[stream],
            type=wire_name(type(fact)),
            time=T0 + 1000 * len(self.events),
            causation="c",
            data=encode_fact(fact)[1],
        )
        self.events.append(event)
        self.facts.append(fact)

    def at_table(self, what: type[TableEvent], /, **fields: Any) -> None:
        self.say(TABLE, what(table=TABLE, at=T0 + 1000 * len(self.events), **fields))

    def at_wallet(self, player: str, what: type[WalletEvent], /, **fields: Any) -> None:
        account = f"account-{player}-EUR"
        self.say(account, what(account=account, player=player, currency="EUR", **fields))

    def deck_of(self, fact: Fact) -> Deck | None:
        return self.decks.get(fact.hand) if isinstance(fact, poker_events.HandStarted) else None


def evening() -> Script:
    """One ended hand with a side of everything, one void hand, and cem going home."""
    script = Script()
    _sit_down(script)
    _hand_to_showdown(script)
    _void_hand(script)
    _go_home(script)
    return script


def _sit_down(script: Script) -> None:
    script.at_table(t.TableOpened, name="One", configuration=CONFIGURATION, rulebook_hash="ab" * 32)
    for seat, player in SEATS.items():
        script.at_wallet(player, w.AccountOpened, kind="real", by="operator:o")
        script.at_wallet(player, w.FundsDeposited, **DEPOSITED, reference=f"d-{player}", amount=9000, available=9000)
        sitting = {"reserve": f"s-{player}", "sitting": f"s-{player}", "table": TABLE, "amount": 5000}
        script.at_wallet(player, w.FundsReserved, **sitting, available=4000, reserved=5000)
        who: dict[str, Any] = {"reservation": f"s-{player}", "player": player, "seat": seat}
        money = {"amount": 5000, "commission": 0, "stack": 5000, "currency": "EUR", "kind": "real"}
        script.at_table(t.PlayerSeated, **who, **money, rulebook=CONFIGURATION.rulebook)


def _start(script: Script, hand: int, stacks: dict[int, int]) -> None:
    deck = script.decks[hand] = next(deck for deck in _drawn(script) if _best(deck) == "ann")
    seats = [poker_events.SeatInHand(seat=s, player=p, reservation=f"s-{p}", stack=stacks[s]) for s, p in SEATS.items()]
    what = {"rulebook": CONFIGURATION.rulebook, "rulebook_hash": "ab" * 32, "configuration_version": 1}
    blinds = {"button": 1, "small_blind": 2, "big_blind": 3, "currency": "EUR", "kind": "real"}
    root = {"deck_root": deck_tree(deck).root.hex(), "deck_leaves": 52}
    script.at_table(poker_events.HandStarted, hand=hand, seats=seats, **root, **what, **blinds)
    _put_in(script, hand, 2, "small", 50, 50, stacks[2] - 50)
    _put_in(script, hand, 3, "big", 100, 100, stacks[3] - 100)
    deals = [poker_events.Deal(seat=seat, positions=positions(place)) for place, seat in enumerate((2, 3, 1))]
    script.at_table(poker_events.HoleCardsDealt, hand=hand, deals=deals)


def _drawn(script: Script) -> Iterator[Deck]:
    while True:
        yield script.shuffler.shuffle().deck


def _best(deck: Deck) -> str:
    """Of those two who see the river."""
    board = [deck.cards[position] for position in (13, 14, 15, 17, 19)]
    bob, ann = (omaha_strength([deck.cards[position] for position in positions(place)], board) for place in (0, 2))
    return "ann" if ann < bob else "bob"


def positions(place: int) -> list[int]:
    """Deck positions of the player dealt to as number `place`, counted from 0."""
    return [place + 3 * lap for lap in range(4)]


def _hand_to_showdown(script: Script) -> None:
    _start(script, 1, dict.fromkeys(SEATS, 5000))
    _put_in(script, 1, 1, "call", 100, 100, 4900)
    _put_in(script, 1, 2, "call", 50, 100, 4900)
    _say_check(script, 1, 3)
    _street(script, 1, "flop", [12], [13, 14, 15])
    _put_in(script, 1, 2, "bet", 200, 200, 4700)
    script.at_table(poker_events.PlayerFolded, hand=1, seat=3, player="cem", actor="house", reason="timeout")
    _put_in(script, 1, 1, "raise", 600, 600, 4300)
    _put_in(script, 1, 2, "call", 300, 500, 4400)
    # Bob called short only to leave something uncalled here.
    script.at_table(
        poker_events.UncalledBetReturned, hand=1, seat=1, player="ann", amount=100, stack=4400, currency="EUR"
    )
    _street(script, 1, "turn", [16], [17])
    _street(script, 1, "river", [18], [19])
    for seat, place in ((2, 0), (1, 2)):
        cards = [_open(script.decks[1], position) for position in positions(place)]
        names = [card.card for card in cards]
        used = {"category": "pair", "hole_used": names[:2], "board_used": []}
        script.at_table(poker_events.CardsShown, hand=1, seat=seat, player=SEATS[seat], cards=cards, **used)
    payment = poker_events.Payment(seat=1, player="ann", gross=1300, rake=65, net=1235)
    pot = {"pot": "main", "amount": 1300, "eligible": [2, 1], "winners": [1], "rake": 65, "basis": "pot"}
    script.at_table(
        poker_events.PotAwarded, hand=1, **pot, payments=[payment], currency="EUR", rulebook=CONFIGURATION.rulebook
    )
    results = [_result(1, 600, 1235, 65, 5635), _result(2, 600, 0, 0, 4400), _result(3, 100, 0, 0, 4900)]
    script.at_table(poker_events.HandEnded, hand=1, results=results, rake=65, exemption=None, currency="EUR")


def _void_hand(script: Script) -> None:
    _start(script, 2, {1: 5635, 2: 4400, 3: 4900})
    refunds = [
        t.Refund(seat=2, player="bob", reservation="s-bob", amount=50, stack=4400),
        t.Refund(seat=3, player="cem", reservation="s-cem", amount=100, stack=4900),
    ]
    script.at_table(poker_events.HandVoided, hand=2, cause="lost", by="staff", refunds=refunds, currency="EUR")


def _go_home(script: Script) -> None:
    who: dict[str, Any] = {"reservation": "s-cem", "player": "cem", "seat": 3}
    script.at_table(t.PlayerLeft, **who, stack=4900, currency="EUR", reason="player")
    settled = {"sitting": "s-cem", "table": TABLE, "brought": 5000, "returned": 4900}
    script.at_wallet("cem", w.SittingSettled, **settled, available=8900, reserved=0)


def _put_in(script: Script, hand: int, seat: int, act: str, amount: int, to: int, stack: int) -> None:
    money = {"amount": amount, "to": to, "stack": stack, "all_in": stack == 0, "currency": "EUR"}
    who: dict[str, Any] = {"hand": hand, "seat": seat, "player": SEATS[seat]}
    if act in ("small", "big"):
        script.at_table(poker_events.BlindPosted, **who, **money, blind=act, compulsory=True)
    else:
        script.at_table(poker_events.BetPlaced, **who, **money, act=act)


def _say_check(script: Script, hand: int, seat: int) -> None:
    script.at_table(poker_events.PlayerChecked, hand=hand, seat=seat, player=SEATS[seat], actor="player")


def _street(script: Script, hand: int, street: str, burned: list[int], at: list[int]) -> None:
    cards = [_open(script.decks[hand], position) for position in at]
    script.at_table(poker_events.StreetDealt, hand=hand, street=street, cards=cards, burned=burned)


def _open(deck: Deck, position: int) -> t.DeckCard:
    tree = deck_tree(deck)
    return t.DeckCard(
        position=position,
        card=name_of(deck.cards[position]),
        salt=tree.salt(position).hex(),
        proof=[each.hex() for each in tree.proof(position)],
    )


def _result(seat: int, staked: int, won: int, rake: int, stack: int) -> poker_events.SeatResult:
    who: dict[str, Any] = {"seat": seat, "player": SEATS[seat], "reservation": f"s-{SEATS[seat]}"}
    return poker_events.SeatResult(**who, staked=staked, won=won, rake=rake, stack=stack)
