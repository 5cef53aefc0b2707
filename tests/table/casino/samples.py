"""Events with the fields and words that casino poker added: `python -m tests.table.casino.samples` freezes new ones."""

from libs.cards.card import DECK
from libs.sealing.deck import Deck
from services.table.domain.games.poker import events as hand
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.table.events import TableOpened
from services.table.domain.table.happenings import TableEvent
from services.table.rulebooks.configure import configure
from services.table.rulebooks.library import RULEBOOKS
from tests.table.casino.play import CASINO_HOLDEM
from tests.table.play import configuration
from tests.table.samples import GOLDEN, freeze_missing

CASINO_GOLDEN = GOLDEN / "casino"
_HEAD = {"at": 1_700_000_000_000, "table": "t1"}
_IN_HAND = {"hand": 7, "seat": 4, "player": "p4"}


def casino_samples() -> list[TableEvent]:
    rules = configure(RULEBOOKS[CASINO_HOLDEM], configuration(CASINO_HOLDEM, rake_cap=500))
    assert isinstance(rules, PokerConfiguration)
    card = hand.DeckCard(12, "Th", "00" * 16, ["11" * 32])
    return [
        TableOpened(**_HEAD, name="One", configuration=rules, rulebook_hash="ab" * 32),
        hand.HandStarted(
            **_HEAD,
            hand=7,
            rulebook=CASINO_HOLDEM,
            rulebook_hash="ab" * 32,
            configuration_version=1,
            currency="EUR",
            kind="real",
            button=2,
            small_blind=4,
            big_blind=9,
            seats=[hand.SeatInHand(4, "p4", "r4", 20_000), hand.SeatInHand(9, "p9", "r9", 20_000)],
            deck_root="cd" * 32,
            lead=4,
            missed=[hand.MissedBlind(6, "big")],
            deck=Deck.of(DECK, bytes(32), bytes(range(32))),
        ),
        hand.BlindPosted(
            **_HEAD,
            **_IN_HAND,
            blind="missed",
            compulsory=True,
            amount=300,
            to=0,
            stack=19_700,
            all_in=False,
            currency="EUR",
        ),
        hand.StreetDealt(**_HEAD, hand=7, street="card_3", cards=[card], burned=[]),
        hand.PotAwarded(
            **_HEAD,
            hand=7,
            pot="main",
            amount=2700,
            eligible=[1, 7],
            winners=[1, 7],
            rake=135,
            basis="capped_payments",
            payments=[hand.Payment(7, "p7", 1500, 75, 1425), hand.Payment(1, "p1", 1200, 60, 1140)],
            currency="EUR",
            rulebook=CASINO_HOLDEM,
        ),
    ]


if __name__ == "__main__":
    print("\n".join(freeze_missing(casino_samples(), CASINO_GOLDEN)) or "nothing missing")
