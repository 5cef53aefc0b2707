"""Who is out with which place, what that pays, and how it ends (pt-810-2015 33, 49 to 51, 54, FP-6, FP-18)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import takewhile

from libs.contracts import tournament_play_events as told
from libs.contracts import tournaments_events as lives
from libs.contracts.tournament_play_events import Result
from libs.contracts.tournaments_events import Credit
from services.tournament.domain.money import give_up_payments, pay
from services.tournament.domain.play.bounties import WonPot, bounty_of
from services.tournament.domain.play.prizes import Prize, by_percentages, pool_of, prizes_of, satellite
from services.tournament.domain.play.ranking import Bust, Places, final_places, places_out
from services.tournament.domain.state import Tournament
from services.tournament.domain.story import Story
from services.tournament.domain.tickets import award, lapse_unused


def fix_prizes(story: Story) -> None:
    """No entry, rebuy or add-on is possible any more (FP-10, FP-18)."""
    lapse_unused(story)
    state, rules = story.state, story.rules
    entries = len(ever_in(state))
    if rules.tickets is not None:
        pool = pool_of([state.held.prize], rules.tickets.value * rules.ticket_count)
        ladder = satellite(pool.total, rules.tickets.value, entries)
    else:
        rows = takewhile(lambda row: row.entries <= entries, rules.payouts)
        pool = pool_of([state.held.prize], rules.guarantee)
        ladder = by_percentages(pool.total, list(rows)[-1].shares)
    story.tell(
        told.PrizesFixed(
            entries=entries, pool=pool.total, amount=pool.added, prizes=[prize.money for prize in ladder],
            tickets=sum(prize.ticket > 0 for prize in ladder),
        )
    )  # fmt: skip
    if rules.prizes_paid == "as_determined":
        _pay(story, places_out(state.play.busts[: state.play.ranked], entries))


def ever_in(state: Tournament) -> list[str]:
    """Entries that took part, in the order of registration."""
    return [each.entry for each in state.entries.values() if each.status != "gone"]


def rank(story: Story) -> None:
    """Who is out, with the place; in hand-for-hand only when all tables have finished (49, 50)."""
    play = story.state.play
    if not play.broke or (play.hand_for_hand and play.round and not play.all_between_hands):
        return
    places = places_out(play.busts, len(ever_in(story.state)))
    new = [bust for bust in play.broke if bust.entry in places]
    won = bounties_won(story.state, new)
    for bust in new:
        entry, place, at = bust.entry, places[bust.entry], play.places[bust.entry]
        player = story.state.entries[entry].player
        story.tell(
            told.EntryEliminated(
                entry=entry, player=player, table=at.table, seat=at.seat, sitting=play.sittings[entry], hand=bust.hand,
                first=place.first, last=place.last,
            )
        )  # fmt: skip
    _pay_bounties(story, won, f"{play.ranked + 1}")
    if story.rules.prizes_paid == "as_determined" and story.state.play.fixed:
        _pay(story, {bust.entry: places[bust.entry] for bust in new})


def bounties_won(state: Tournament, busts: Iterable[Bust]) -> Counter[str]:
    """By entry: what the heads of these are worth to whom (FP-6)."""
    won: Counter[str] = Counter()
    for bust in busts:
        pots = [WonPot(*pot) for pot in bust.pots]
        won.update(bounty_of(bust.entry, state.entries[bust.entry].bounty, pots, ever_in(state)))
    return won


def _pay_bounties(story: Story, won: Mapping[str, int], named: str) -> None:
    """`named`: what they were won by, once for ever."""
    entries = story.state.entries
    credits = [Credit(f"{entry}.bounty.{named}", entry, entries[entry].player, bounty=won[entry]) for entry in won]
    pay(story, "bounty", credits)


def _pay(story: Story, places: dict[str, Places]) -> None:
    """Each prize once (54)."""
    won = prizes_won(story.state, places)
    entries = story.state.entries
    money = {entry: prize.money for entry, prize in won.items()}
    pay(story, "prize", [Credit(f"{entry}.prize", entry, entries[entry].player, prize=money[entry]) for entry in won])
    award(story, [entry for entry, prize in won.items() if prize.ticket])


def prizes_won(state: Tournament, places: dict[str, Places]) -> dict[str, Prize]:
    """Of those who win something; nobody before the prizes are fixed."""
    worth = state.rules.tickets.value if state.rules.tickets is not None else 0
    ladder = [Prize(amount, worth * (place < state.play.tickets)) for place, amount in enumerate(state.play.paid)]
    return {entry: prize for entry, prize in prizes_of(places, ladder, ever_in(state)).items() if prize != Prize()}


def complete(story: Story) -> None:
    give_up_payments(story)  # of who would have come when it is over
    state = story.state
    places = final_places(state.play.busts, state.play.stacks, len(ever_in(state)))
    won = prizes_won(story.state, places)
    _pay(story, places)
    _pay_bounties(story, {each.entry: each.bounty for each in state.alive}, "own")
    if fees := story.state.held.fee:
        story.tell(lives.FeesEarned(rulebook=story.rules.rulebook, amount=fees))
    in_order = sorted(places, key=lambda entry: (places[entry], state.entries[entry].number))
    results = [
        Result(entry, state.entries[entry].player, *places[entry], won[entry].money, won[entry].ticket)
        if entry in won
        else Result(entry, state.entries[entry].player, *places[entry], 0)
        for entry in in_order
    ]
    story.tell(told.TournamentCompleted(results=results, tables=sorted(state.play.tables)))
