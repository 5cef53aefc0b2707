"""No more bets: the coup is dealt, shown and paid; nobody decides anything any more (pt-812-2015 16 to 25, FP-3)."""

from libs.contracts import baccarat_events as e
from libs.contracts.banked_rounds import BetSettled, SeatSettled
from libs.contracts.facts import taken
from services.table.domain.games.baccarat.dealing import NATURAL, Dealt, Drawn, Side, deal_coup
from services.table.domain.games.baccarat.paying import exposure_of, pay
from services.table.domain.games.baccarat.roads import bead_place, big_place
from services.table.domain.games.baccarat.state import BaccaratStory, BaccaratTable, Coup, ShoeInUse
from services.table.domain.games.banked.evolve import running
from services.table.domain.games.banked.idling import cover, end_skippers, watch_balance, watch_exposure
from services.table.domain.games.banked.rounds import seat_result
from services.table.domain.games.banked.state import Stakes
from services.table.domain.games.game import open_cards
from services.table.domain.table.after_round import after_round


def finish(story: BaccaratStory) -> None:
    """Of a coup with stakes, in one go: a failure finds it undealt, with its shoe on record, or paid."""
    coup: Coup = running(story.state)
    story.tell(e.BettingClosed(totals=dict(coup.totals)))
    if coup.rules.worst_case is None:
        watch_exposure(story, exposure_of(coup.totals))
    shoe = story.state.in_use
    assert shoe.deck is not None, "a coup is dealt from the recorded shoe"
    dealt = deal_coup(shoe.deck.cards, shoe.next_position)
    _deal(story, shoe, dealt)
    _settle(story, coup, dealt)
    watch_balance(story, coup.rules.worst_case or 0)
    end_skippers(story, list(coup.stakes), coup.opened_at)
    after_round(story)


def _deal(story: BaccaratStory, shoe: ShoeInUse, dealt: Dealt) -> None:
    """Four cards face down, Ponto's turned up, then Banca's (17, 18); then the third cards, Ponto first (20)."""
    story.tell(
        e.CoupDealt(shoe=shoe.number, ponto=list(dealt.ponto.positions[:2]), banca=list(dealt.banca.positions[:2]))
    )
    sides: tuple[tuple[Side, Drawn], ...] = (("ponto", dealt.ponto), ("banca", dealt.banca))
    assert shoe.deck is not None, "a coup is dealt from the recorded shoe"
    for side, drawn in sides:
        shown, natural = open_cards(shoe.deck, drawn.positions[:2]), drawn.initial_score >= NATURAL
        story.tell(e.SideShown(side=side, cards=shown, score=drawn.initial_score, natural=natural))
    for side, drawn in sides:
        for card in open_cards(shoe.deck, drawn.positions[2:]):
            story.tell(e.ThirdCardDealt(side=side, card=card, score=drawn.score))
    if shoe.cards - dealt.next_position <= shoe.cut:
        story.tell(e.CutCardReached(shoe=shoe.number))


def _settle(story: BaccaratStory, coup: Coup, dealt: Dealt) -> None:
    shoe = story.state.in_use
    results = [_result(story.state, coup, stakes, dealt) for _, stakes in sorted(coup.stakes.items())]
    house = -sum(result.net for result in results)
    big = big_place((*shoe.winners, dealt.winner))
    cover(story, house)
    story.tell(
        taken(
            e.CoupSettled,
            dealt,
            coup.rules.betting,
            coup.rules,
            shoe=shoe.number,
            coup=len(shoe.winners) + 1,
            ponto=dealt.ponto.score,
            banca=dealt.banca.score,
            ponto_pair=dealt.ponto.is_pair,
            banca_pair=dealt.banca.is_pair,
            bead=e.RoadPlace(*bead_place(len(shoe.winners) + 1)),
            big=e.RoadPlace(big.column, big.row, big.ties),
            cards_left=shoe.left,
            results=results,
            house=house,
            bank=story.state.bank + house,
        )
    )


def _result(state: BaccaratTable, coup: Coup, stakes: Stakes, dealt: Dealt) -> SeatSettled:
    paid = pay(stakes.on, dealt, coup.rules.betting.commission_mode)
    credited = sum(bet.credited for bet in paid)
    return SeatSettled(
        **seat_result(state, stakes, credited),
        commission=sum(bet.commission for bet in paid),
        bets=[BetSettled(bet.chance, bet.staked, bet.credited, bet.commission) for bet in paid],
    )
