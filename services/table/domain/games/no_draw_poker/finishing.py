"""Every seat has decided: the dealer's cards, the hands that are compared, the payment (pt-803-2015 24 to 29)."""

from libs.cards.card import Card
from libs.cards.ranking import category_of, five_strength
from libs.contracts.banked_rounds import BetSettled
from libs.contracts.facts import taken
from libs.contracts.no_draw_poker_events import DealerShown, RoundHandShown, RoundResult, RoundSettled
from services.table.domain.games.banked.idling import watch_balance
from services.table.domain.games.banked.rounds import seat_result
from services.table.domain.games.game import open_cards
from services.table.domain.games.no_draw_poker.settlement import FOLDED, Settlement, dealer_plays, settle
from services.table.domain.games.no_draw_poker.state import NoDrawStory, NoDrawTable, Round, Stakes
from services.table.domain.table.after_round import after_round


def finish_if_decided(story: NoDrawStory) -> None:
    """Nothing while somebody still has to decide: nobody may see the dealer's hand before (reading of 24)."""
    deciding = story.state.round
    if deciding is None or deciding.phase != "deciding" or deciding.undecided:
        return
    if deciding.playing:
        _show(story, deciding)
    _pay(story, deciding)
    watch_balance(story, story.rules.worst_case)
    after_round(story)


def _show(story: NoDrawStory, deciding: Round) -> None:
    """The dealer's cards; the hands of those who play only when the dealer does (27)."""
    assert deciding.deck is not None, "a dealt round has its deck"
    dealer = _cards(deciding, deciding.dealer)
    plays = dealer_plays(dealer)
    story.tell(
        DealerShown(
            cards=open_cards(deciding.deck, deciding.dealer), category=category_of(five_strength(dealer)), plays=plays
        )
    )
    for stakes in deciding.playing if plays else ():
        story.tell(
            RoundHandShown(
                seat=stakes.seat,
                player=stakes.player,
                cards=open_cards(deciding.deck, stakes.hand),
                category=category_of(five_strength(_cards(deciding, stakes.hand))),
            )
        )


def _cards(deciding: Round, positions: tuple[int, ...]) -> tuple[Card, ...]:
    assert deciding.deck is not None
    return tuple(deciding.deck.cards[position] for position in positions)


def _pay(story: NoDrawStory, deciding: Round) -> None:
    results = [_result(story.state, deciding, stakes) for _, stakes in sorted(deciding.stakes.items())]
    house = -sum(result.net for result in results)
    story.tell(taken(RoundSettled, story.rules, results=results, house=house, bank=story.state.bank + house))


def _result(state: NoDrawTable, deciding: Round, stakes: Stakes) -> RoundResult:
    settled = _settlement(state, deciding, stakes)
    areas = [BetSettled("ante", stakes.ante, settled.ante_credited)]
    if stakes.bet:
        areas.append(BetSettled("bet", stakes.bet, settled.bet_credited))
    credited = sum(area.credited for area in areas)
    compared = settled.outcome in ("win", "lose", "tie")
    return RoundResult(
        **seat_result(state, stakes, credited),
        bets=areas,
        outcome=settled.outcome,
        decided_by=settled.decided_by,
        multiplier=settled.multiplier,
        category=settled.category or "" if compared else "",
    )


def _settlement(state: NoDrawTable, deciding: Round, stakes: Stakes) -> Settlement:
    if stakes.decision == "fold":
        return FOLDED
    player, dealer = _cards(deciding, stakes.hand), _cards(deciding, deciding.dealer)
    return settle(stakes.ante, stakes.bet, player, dealer, state.rules)
