"""Before a hand: who deals, and whether the deck may be dealt from (pt-217-2007 4, 9.a, 31, 33, 76)."""

from libs.cards.card import parse
from libs.cards.games import GAMES
from libs.contracts.live_commands import (
    AssignDealer,
    CheckDeck,
    DealHand,
    InspectDeck,
    MarkDeckDamaged,
    ReplaceDeck,
    ShuffleDeck,
)
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import (
    DealerAssigned,
    DeckChecked,
    DeckDamaged,
    DeckInspected,
    DeckReplaced,
    DeckShuffled,
)
from libs.decider import Rejected
from services.table.domain.games.live_poker.stages import not_the_dealer
from services.table.domain.games.live_poker.state import LiveStory, Pack
from services.table.domain.table.rejections import rejected

LEAST_SHUFFLES = 3
"""pt-217-2007 31."""


def assign_dealer(command: AssignDealer, story: LiveStory) -> Rejected | None:
    story.tell(DealerAssigned(dealer=command.dealer, by=story.by))
    return None


def inspect_deck(command: InspectDeck, story: LiveStory) -> Rejected | None:
    """pt-217-2007 4: all 52, each once, face up on the table."""
    refused = not_the_dealer(command, story) or _unusable(command.deck, story)
    if refused is not None:
        return refused
    try:
        seen = {parse(card) for card in command.cards}
    except ValueError:
        return rejected(Reason.UNKNOWN_CARD, story.rules)
    whole = GAMES[story.rules.variant].deck
    if len(command.cards) != len(whole) or seen != set(whole):
        return rejected(Reason.DECK_NOT_SOUND, story.rules, f"{len(seen)} different cards of {len(command.cards)}")
    story.tell(DeckInspected(pack=command.deck, by=story.by))
    return None


def check_deck(command: CheckDeck, story: LiveStory) -> Rejected | None:
    refused = not_the_dealer(command, story) or _unusable(command.deck, story)
    if refused is not None:
        return refused
    if command.cards != len(GAMES[story.rules.variant].deck) or not command.sound:
        return rejected(Reason.DECK_NOT_SOUND, story.rules)
    story.tell(DeckChecked(pack=command.deck, by=story.by))
    return None


def shuffle_deck(command: ShuffleDeck, story: LiveStory) -> Rejected | None:
    """pt-217-2007 31: what was not counted since the last hand is not shuffled for the next."""
    refused = not_the_dealer(command, story) or _unusable(command.deck, story)
    if refused is not None:
        return refused
    if not story.state.desk.packs[command.deck].checked:
        return rejected(Reason.DECK_NOT_CHECKED, story.rules)
    story.tell(DeckShuffled(pack=command.deck, times=command.times, by=story.by))
    return None


def mark_deck_damaged(command: MarkDeckDamaged, story: LiveStory) -> Rejected | None:
    refused = _unusable(command.deck, story)
    if refused is None:
        story.tell(DeckDamaged(pack=command.deck, by=story.by))
    return refused


def replace_deck(command: ReplaceDeck, story: LiveStory) -> Rejected | None:
    packs = story.state.desk.packs
    if command.deck not in packs or command.by_deck in packs:
        return rejected(Reason.UNKNOWN_DECK, story.rules)
    story.tell(DeckReplaced(pack=command.deck, by_pack=command.by_deck, by=story.by))
    return None


def why_not_dealt(command: DealHand, story: LiveStory) -> Rejected | None:
    """Why no hand may be dealt from this deck now."""
    refused = _unusable(command.deck, story)
    if refused is not None:
        return refused
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


def _unusable(deck: str, story: LiveStory) -> Rejected | None:
    if story.state.live is not None and story.state.live.deck == deck:
        return rejected(Reason.PREVIOUS_HAND_OPEN, story.rules)
    pack: Pack | None = story.state.desk.packs.get(deck)
    if pack is None:
        return rejected(Reason.UNKNOWN_DECK, story.rules)
    return rejected(Reason.DECK_DAMAGED, story.rules) if pack.out else None
