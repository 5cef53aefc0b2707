"""What a tournament owes: whoever has its login and its marks names a credit, a prize or a return as they like, and the
auditor says at once that nobody is owed it. Found by an attacker with one true entry, who had the whole pool."""

from collections.abc import Callable
from typing import Any

import pytest

from libs.contracts import tournaments_events as t
from libs.contracts import wallet_events as w
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.tournament_play_events import EntryEliminated, PrizesFixed
from libs.contracts.tournaments_events import Credit, Held
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.tournament_credits import Owed, check_owed
from tests.audit.scripted import T0
from tests.tournament.course import definition

OF: dict[str, Any] = {"tournament": "t-1", "at": T0, "currency": "EUR"}
ENTRY: dict[str, Any] = {"bought": "entry", "amount": 2_200, "chips": 10_000}
BY: dict[str, Any] = {"tournament": "t-1", "at": T0, "by": "dora"}


class Told:
    """A tournament of `definition`, announced, and its account of what is held."""

    def __init__(self, **rules: Any) -> None:
        self.checks = FactChecks()
        self.found: list[str] = []
        self.held = Held()
        self.bounty = rules.get("buy_in", {}).get("bounty", 0)
        self._versions: dict[str, int] = {}
        self.say(t.TournamentProposed(**{**BY, "by": "carla"}, name="Sunday", definition=definition(**rules)))
        self.say(t.TournamentAnnounced(**BY))

    def say(self, fact: Any, stream: str = "t-1", time: int = T0) -> None:
        self._versions[stream] = self._versions.get(stream, 0) + 1
        name, data = encode_fact(fact)
        place: dict[str, Any] = {"stream": stream, "version": self._versions[stream], "time": time}
        event = PublicEvent(**place, type=name, causation="c", data=data)
        self.found += [each.detail for each in self.checks.take(event, fact)]

    def hold(self, prize: int = 0, fee: int = 0, bounty: int = 0) -> Held:
        self.held = Held(self.held.prize + prize, self.held.fee + fee, self.held.bounty + bounty)
        return self.held

    def enter(self, *names: str) -> "Told":
        for number, name in enumerate(names, start=1):
            parts = {"prize": 2_000 - self.bounty, "fee": 200, "bounty": self.bounty}
            bought: dict[str, Any] = {**OF, **ENTRY, **parts, "payment": f"e-{name}", "entry": f"e-{name}"}
            self.say(t.PaymentDue(**bought, player=name, held=self.held))
            paid: dict[str, Any] = {"tournament": "t-1", "payment": f"e-{name}", "amount": 2_200}
            here: dict[str, Any] = {"reference": f"d-{name}", "amount": 2_200, "by": "operator:o"}
            self.say(w.FundsDeposited(**here, available=2_200, reserved=0), f"account-{name}-EUR")
            self.say(w.TournamentPaid(**paid, available=0, reserved=0), f"account-{name}-EUR")
            self.say(t.PlayerRegistered(**bought, player=name, number=number, held=self.hold(**parts)))
        return self

    def fix(self, *prizes: int, entries: int = 10, pool: int = 20_000) -> "Told":
        self.say(PrizesFixed(**OF, held=self.held, entries=entries, pool=pool, amount=0, prizes=list(prizes)))
        return self

    def out(self, name: str, place: int, last: int = 0) -> None:
        at: dict[str, Any] = {"table": 1, "seat": 1, "sitting": f"s-{name}"}
        who: dict[str, Any] = {"tournament": "t-1", "at": T0, "entry": f"e-{name}", "player": name}
        self.say(EntryEliminated(**who, **at, hand=1, first=place, last=last or place))

    def credit(self, name: str, player: str = "thief", why: Any = "prize", **parts: int) -> None:
        held = self.hold(**{part: -amount for part, amount in parts.items()})
        credit = Credit(name, f"e-{player}", player, **parts)
        self.say(t.CreditsDue(**OF, held=held, why=why, credits=[credit]))


CROWD = ("thief", *(f"p{number}" for number in range(9)))


@pytest.mark.parametrize(
    ("strike", "said"),
    [
        (lambda told: told.credit("e-thief.bounty", prize=20_000), "no credit of that name"),
        (lambda told: told.credit("e-thief.bounty.1", prize=20_000), "out of the bounties"),
        (lambda told: told.credit("e-thief.share", prize=20_000), "shared when the tournament is cancelled"),
        (lambda told: told.credit("e-thief.cash", prize=20_000), "not what the ticket is worth"),
        (lambda told: told.credit("e-p1.prize.to.e-thief", prize=20_000), "nothing of that name was refused"),
        (lambda told: told.credit("whatever", prize=20_000), "no credit of that name"),
        (lambda told: told.credit("e-thief.refund", why="refund", prize=2_000), "neither was the entry taken back"),
        (lambda told: told.fix(20_000), "by the definition they are [13000, 7000]"),
        (lambda told: told.fix(13_000, 7_000, entries=2), "for 2 entries, of 10"),
        (lambda told: told.fix(13_000, 7_000, pool=30_000), "a pool of 30000, which is 20000"),
        (lambda told: told.fix(13_000, 7_000).credit("e-thief.prize", prize=13_001), "more than the places pay"),
        (lambda told: told.fix(13_000, 7_000).credit("e-thief.prize", prize=13_000, fee=1), "out of the prizes"),
    ],
)
def test_a_credit_is_what_its_name_says_and_no_more(strike: Callable[[Told], Any], said: str) -> None:
    told = Told().enter(*CROWD)
    assert told.found == []
    strike(told)
    assert [said in each for each in told.found].count(True) == 1, told.found


def test_a_refund_is_of_what_was_paid() -> None:
    told = Told().enter(*CROWD)
    gone: dict[str, Any] = {"entry": "e-thief", "player": "thief", "reason": "asked"}
    told.say(t.PlayerUnregistered(**{**BY, "by": "thief"}, **gone))
    told.credit("e-thief.refund", why="refund", prize=2_000, fee=200)
    assert told.found == []
    told = Told().enter(*CROWD)
    told.say(t.PlayerUnregistered(**{**BY, "by": "thief"}, **gone))
    told.credit("e-thief.refund", why="refund", prize=20_000)
    assert [each for each in told.found if "2200 was paid for the entry" in each]


def played(first: int) -> Told:
    """Everybody is out but the thief, in the order of the crowd; and what the two best places pay is known. Down to
    place `first`."""
    told = Told().enter(*CROWD)
    for place, name in zip(range(10, first - 1, -1), CROWD[1:], strict=False):
        told.out(name, place)
    told.fix(13_000, 7_000)
    assert told.found == []
    return told


def test_a_place_is_paid_once_and_to_who_has_it() -> None:
    told = played(2)
    told.credit("e-p8.prize", "p8", prize=7_000)
    told.credit("e-thief.prize", prize=13_000)
    assert told.found == []
    told = played(2)
    told.credit("e-p7.prize", "p7", prize=7_000)
    assert [each.rsplit(": ", 1)[1] for each in told.found] == ["its place pays 0"]
    told = played(3)
    told.credit("e-thief.prize", prize=13_000)
    assert [each.rsplit(": ", 1)[1] for each in told.found] == ["others are still in"]


def test_who_is_tied_shares_what_the_places_pay() -> None:
    told = played(4)
    told.out("p7", 2, 3)
    told.out("p8", 2, 3)
    told.credit("e-p7.prize", "p7", prize=3_500)
    told.credit("e-p8.prize", "p8", prize=3_500)
    told.credit("e-thief.prize", prize=13_000)
    assert told.found == []


def test_an_id_may_read_as_what_stands_between_names() -> None:
    """A satellite may be called so, and whoever enters with its ticket has that as an entry."""
    owed = Owed(players={"e-p8": "p8"}, refused={"p8"}, places={"e-p8": (2, 2, 10)}, entered=10, ladder=[13_000, 7_000])
    credit = Credit("e-p8.prize.to.road.to.vegas.7", "road.to.vegas.7", "eve", prize=7_000)
    due = t.CreditsDue(**OF, held=Held(), why="prize", credits=[credit])
    assert [*check_owed(owed, due, 20_000)] == []


def test_a_bounty_is_of_somebody_who_is_out() -> None:
    rules = {"buy_in": {"amount": 2_200, "prize": 1_500, "fee": 200, "bounty": 500}}
    told = Told(**rules).enter(*CROWD)
    told.out("p1", 10)
    told.credit("e-thief.bounty.1", why="bounty", bounty=500)
    assert told.found == []
    told.credit("e-thief.bounty.2", why="bounty", bounty=4_500)
    told.credit("e-thief.bounty.own", why="bounty", bounty=0)
    assert [each.rsplit(": ", 1)[1] for each in told.found] == [
        "nobody is out with such a bounty",
        "others are still in",
    ]


def test_what_goes_back_was_late_and_is_the_same() -> None:
    back: dict[str, Any] = {**OF, "held": Held(), "player": "late"}
    bought: dict[str, Any] = {**OF, **ENTRY, "prize": 2_000, "fee": 200, "bounty": 0, "payment": "x", "entry": "x"}
    failed: dict[str, Any] = {"tournament": "t-1", "at": T0, "payment": "x", "bought": "entry", "player": "late"}
    cases: list[tuple[Any, int, list[str]]] = [
        ("not_answered", 2_200, []),
        ("not_answered", 100_000_000, ["payment x of 100000000 goes back to late, and 2200 of late was late"]),
        ("insufficient_funds", 2_200, ["payment x of 2200 goes back to late, and nothing was late"]),
    ]
    for reason, amount, said in cases:
        told = Told()
        told.say(t.PaymentDue(**bought, player="late", held=Held()))
        told.say(t.PaymentFailed(**failed, reason=reason))
        told.say(t.PaymentReturned(**back, payment="x", amount=amount))
        assert told.found == said


def test_what_is_bought_is_at_its_price() -> None:
    told = Told()
    dear: dict[str, Any] = {"prize": 10**8, "fee": 0, "bounty": 0, "payment": "x", "entry": "x", "player": "thief"}
    told.say(t.PaymentDue(**OF, **{**ENTRY, "amount": 10**8}, **dear, held=Held()))
    assert told.found == ["PaymentDue x of 100000000 is not the price of what is bought: entry"]


def test_a_million_for_an_entry_of_twenty_two() -> None:
    """Found by an attacker: a return told both sides of its own passage, and the next event overwrote what came."""
    told = Told().enter("thief")
    told.say(t.PaymentReturned(**OF, held=told.held, payment="e-thief", player="thief", amount=100_000_000))
    parts: dict[str, Any] = {"prize": 0, "fee": 0, "bounty": 0, "bought": "add_on", "chips": 0, "amount": 2_200}
    who: dict[str, Any] = {"payment": "e-thief", "entry": "e-thief", "player": "thief"}
    told.say(t.AddOnMade(**OF, held=told.held, **who, **parts))
    assert "payment e-thief of 100000000 goes back to thief, and nothing was late" in told.found
    assert "t-1/e-thief: 100000000 came to the other, and 2200 did before" in told.found


def test_a_credit_is_paid_once_and_as_it_was_due() -> None:
    """Found by an attacker: money for a credit that never was, and the same again in a commit of a time to come."""
    told, account = Told(), "account-thief-EUR"
    ghost: dict[str, Any] = {"tournament": "t-1", "credit": "ghost", "why": "prize", "available": 0, "reserved": 0}
    told.say(w.TournamentCredited(**ghost, amount=100_000_000), account)
    assert [each for each in told.found if "ghost" in each] == []
    told.say(w.TournamentCredited(**ghost, amount=1), account, T0 + 25 * 86_400_000)
    assert [each for each in told.found if "ghost" in each] == [
        "t-1/ghost/back: 1 came to the other, and 100000000 did before"
    ]
    late = [each.detail for each in told.checks.end(T0 + 600_001, 600_000)]
    assert "t-1/ghost/back: None left one side, 100000000 came to the other" in late
