"""Before a hand: who deals, and whether the deck may be dealt from (pt-217-2007 4, 9.a, 31, 33, 76)."""

from typing import Any

from libs.cards.card import parse
from libs.cards.variants import VARIANTS
from libs.contracts import live_commands as c
from libs.contracts import live_events as e
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.people import same_person
from libs.decider import Rejected
from services.table.domain.games.live_poker.stages import not_the_dealer
from services.table.domain.games.live_poker.state import LiveStory, Pack
from services.table.domain.table.handlers import unless
from services.table.domain.table.rejections import rejected

LEAST_SHUFFLES = 3
"""pt-217-2007 31."""


def unusable(command: Any, story: LiveStory) -> Rejected | None:
    if story.state.live is not None and story.state.live.deck == command.deck:
        return rejected(Reason.PREVIOUS_HAND_OPEN, story.rules)
    pack: Pack | None = story.state.desk.packs.get(command.deck)
    if pack is None:
        return rejected(Reason.UNKNOWN_DECK, story.rules)
    return rejected(Reason.DECK_DAMAGED, story.rules) if pack.out else None


def assign_dealer(command: c.AssignDealer, story: LiveStory) -> Rejected | None:
    """By somebody else, and not while a decision on the dealer's hand is due: nobody deals and judges. Not by a
    platform while a hand runs, of whose dealer it knows nothing."""
    if story.state.live is not None and story.state.live.pending is not None:
        return rejected(Reason.SUPERVISOR_DECISION, story.rules)
    if story.state.live is not None and story.role == "operator":
        return rejected(Reason.PREVIOUS_HAND_OPEN, story.rules)
    if same_person(command.dealer, story.by):
        return rejected(Reason.NOT_A_SUPERVISOR, story.rules, "nobody makes himself the dealer")
    story.tell(e.DealerAssigned(dealer=command.dealer, by=story.by))
    return None


@unless(not_the_dealer, unusable)
def inspect_deck(command: c.InspectDeck, story: LiveStory) -> Rejected | None:
    """pt-217-2007 4: all 52, each once, face up on the table."""
    try:
        seen = {parse(card) for card in command.cards}
    except ValueError:
        return rejected(Reason.UNKNOWN_CARD, story.rules)
    whole = VARIANTS[story.rules.variant].deck
    if len(command.cards) != len(whole) or seen != set(whole):
        return rejected(Reason.DECK_NOT_SOUND, story.rules, f"{len(seen)} different cards of {len(command.cards)}")
    story.tell(e.DeckInspected(pack=command.deck, by=story.by))
    return None


@unless(not_the_dealer, unusable)
def check_deck(command: c.CheckDeck, story: LiveStory) -> Rejected | None:
    if command.cards != len(VARIANTS[story.rules.variant].deck) or not command.sound:
        return rejected(Reason.DECK_NOT_SOUND, story.rules)
    story.tell(e.DeckChecked(pack=command.deck, by=story.by))
    return None


@unless(not_the_dealer, unusable)
def shuffle_deck(command: c.ShuffleDeck, story: LiveStory) -> Rejected | None:
    """pt-217-2007 31: what was not counted since the last hand is not shuffled for the next."""
    if not story.state.desk.packs[command.deck].checked:
        return rejected(Reason.DECK_NOT_CHECKED, story.rules)
    story.tell(e.DeckShuffled(pack=command.deck, times=command.times, by=story.by))
    return None


@unless(unusable)
def mark_deck_damaged(command: c.MarkDeckDamaged, story: LiveStory) -> None:
    story.tell(e.DeckDamaged(pack=command.deck, by=story.by))


def replace_deck(command: c.ReplaceDeck, story: LiveStory) -> Rejected | None:
    packs, live = story.state.desk.packs, story.state.live
    if live is not None and live.deck == command.deck:
        return rejected(Reason.PREVIOUS_HAND_OPEN, story.rules)
    if command.deck not in packs or command.by_deck in packs:
        return rejected(Reason.UNKNOWN_DECK, story.rules)
    story.tell(e.DeckReplaced(pack=command.deck, by_pack=command.by_deck, by=story.by))
    return None


@unless(unusable)
def why_not_dealt(command: c.DealHand, story: LiveStory) -> Rejected | None:
    """Why no hand may be dealt from this deck now."""
    desk, pack = story.state.desk, story.state.desk.packs[command.deck]
    automatic = story.rules.dealing.shuffler == "automatic"
    if automatic and command.deck == desk.last_deck:
        return rejected(Reason.DECKS_ALTERNATE, story.rules)  # 76
    if not pack.inspected:
        return rejected(Reason.DECK_NOT_INSPECTED, story.rules)
    if not pack.checked:
        return rejected(Reason.DECK_NOT_CHECKED, story.rules)
    if pack.shuffled < (1 if automatic else LEAST_SHUFFLES):
        return rejected(Reason.SHUFFLE_INCOMPLETE, story.rules)
    return None
