"""When all cards are shuffled anew, and how a shoe begins (pt-812-2015 6.b, 6.c, FP-1, FP-2)."""

from libs.contracts.baccarat_events import ShoeStarted
from libs.sealing.merkle import deck_tree
from libs.sealing.shuffle import ShoeShuffle
from services.table.domain.games.baccarat.state import BaccaratTable
from services.table.domain.games.baccarat.story import BaccaratStory


def needs_shoe(state: BaccaratTable) -> bool:
    """Whether the next coup begins with a new shoe: none yet, cut card out, other rules, or one for every coup."""
    shoe, rules = state.shoe, state.rules
    if shoe is None or shoe.is_over:
        return True
    if (shoe.decks, shoe.cut) != (rules.dealing.decks, rules.dealing.cut_cards):
        return True
    return rules.dealing.shuffle_every_coup and bool(shoe.winners)


def start_shoe(story: BaccaratStory, fresh: ShoeShuffle) -> None:
    """The whole order is sealed and committed to before the first bet on it."""
    rules = story.rules
    assert fresh.shoe.decks == rules.dealing.decks, "the shoe that was drawn is the one that the rules ask for"
    story.tell(
        ShoeStarted(
            shoe=story.state.shoes + 1,
            decks=rules.dealing.decks,
            cards=len(fresh.shoe.cards),
            cut=rules.dealing.cut_cards,
            burned=list(range(rules.dealing.burn_cards)),
            deck_root=deck_tree(fresh.shoe).root.hex(),
            generator=fresh.generator,
        ),
        deck=fresh.shoe,
    )
