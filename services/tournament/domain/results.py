"""Who is out with which place, what that pays, and how it ends (pt-810-2015 33, 49 to 51, 54, FP-6, FP-18)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import takewhile

from libs.contracts import tournament_play_events as told
from libs.contracts import tournaments_events as lives
from libs.contracts.tournament_play_events import Result
from libs.contracts.tournaments_events import Credit
from services.tournament.domain.money import give_up_payments, pay, withhold
from services.tournament.domain.play.bounties import WonPot, bounty_of
from services.tournament.domain.play.prizes import Prize, by_percentages, pool_of, prizes_of, satellite, split
from services.tournament.domain.play.ranking import Bust, Places, final_places, places_out
from services.tournament.domain.state import Entry, Tournament
from services.tournament.domain.story import Story
from services.tournament.domain.tickets import award, lapse_unused, ticket_of


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
    if not play.broke or play.in_round:
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
                first=place.first, last=place.last, disqualified=entry in play.disqualified,
            )
        )  # fmt: skip
    if story.rules.prizes_paid == "as_determined":
        _pay_bounties(story, won, f"{play.ranked + 1}")
    _keep_own_bounties(story, [bust.entry for bust in new])
    if story.rules.prizes_paid == "as_determined" and story.state.play.fixed:
        _pay(story, {bust.entry: places[bust.entry] for bust in new})


def _keep_own_bounties(story: Story, out: Iterable[str]) -> None:
    """Of those who were disqualified: held until somebody decides, and back with who is released by now."""
    undecided, settled = story.state.undecided, story.state.settled
    withhold(story, [own_bounty(story.state, entry) for entry in out if entry in undecided])
    released = [entry for entry in out if settled.get(entry) == "released"]
    pay(story, "bounty", [own_bounty(story.state, entry) for entry in released])


def own_bounty(state: Tournament, entry: str) -> Credit:
    """On the head of who was disqualified: nobody won it. What a pot's winner has won is the winner's."""
    bust = next((bust for bust in state.play.busts if bust.entry == entry), None)
    won = sum(bounties_won(state, [bust]).values()) if bust is not None else 0
    found = state.entries[entry]
    return Credit(f"{entry}.bounty.held", entry, found.player, bounty=found.bounty - won)


def heirs_of(state: Tournament, *, over: bool) -> list[Entry]:
    """Whose it is what a disqualified player is refused: of a cancelled tournament nobody's in particular, so everybody
    has a part who was still in (FP-16, left to the specific rules). `over`: it was played to its end."""
    play, entries = state.play, ever_in(state)
    others = [entry for entry in entries if entry not in {*state.undecided, *state.refused}]
    others = others or [entry for entry in entries if entry not in state.refused]
    if state.rules.refused_prizes == "winner" and over:
        places = final_places(play.busts, play.stacks, len(entries))
        best = min((places[entry].first for entry in others), default=0)
        others = [entry for entry in others if places[entry].first == best]
    elif state.rules.refused_prizes == "winner":
        out = {bust.entry for bust in play.busts}
        others = [entry for entry in others if entry not in out] or others
    return [state.entries[entry] for entry in others]


def parts(held: Iterable[Credit], heirs: list[Entry]) -> list[Credit]:
    """Equal ones; cents that are left over go to the first ones. A fee is nobody's but the house's."""
    names, found = [heir.entry for heir in heirs], []
    for each in held:
        prize, bounty = split(each.prize, names), split(each.bounty, names)
        found += [
            Credit(
                f"{each.credit}.to.{heir.entry}", heir.entry, heir.player, prize[heir.entry], bounty=bounty[heir.entry]
            )
            for heir in heirs
        ]
    return found


def refused_to(state: Tournament, won: Mapping[str, Prize]) -> list[Credit]:
    """What those who are disqualified for good do not get."""
    lost = [prize_of(state, entry, won[entry]) for entry in state.refused if entry in won]
    return lost + [own_bounty(state, entry) for entry in state.refused]


def credit_won(story: Story, credits: list[Credit]) -> None:
    pay(story, "prize", [each for each in credits if each.prize])
    pay(story, "bounty", [each for each in credits if not each.prize])


def give_out(story: Story) -> None:
    """What was held, when no second person is waited for any more."""
    if story.state.held_up:
        return
    held = story.state.withheld.values()
    award(story, [each.entry for each in held if each.entry and each.credit == ticket_of(story.state, each.entry)])
    left = list(story.state.withheld.values())
    back = [each for each in left if each.credit.endswith((".refund", ".share"))]
    pay(story, "refund", back)
    credit_won(story, [each for each in left if each not in back])


def unpaid_bounties(state: Tournament) -> Counter[str]:
    """By entry: credited in the mode of the prizes (reading of 54)."""
    return bounties_won(state, state.play.busts if state.rules.prizes_paid == "at_end" else state.play.broke)


def bounties_won(state: Tournament, busts: Iterable[Bust]) -> Counter[str]:
    """By entry: what the heads of these are worth to whom (FP-6)."""
    won: Counter[str] = Counter()
    for bust in busts if state.rules.buy_in.bounty else ():
        pots = [WonPot(*pot) for pot in bust.pots]
        won.update(bounty_of(bust.entry, state.entries[bust.entry].bounty, pots, ever_in(state)))
    return won


def _pay_bounties(story: Story, won: Mapping[str, int], named: str) -> None:
    """`named`: what they were won by, once for ever."""
    entries = story.state.entries
    credits = [Credit(f"{entry}.bounty.{named}", entry, entries[entry].player, bounty=won[entry]) for entry in won]
    pay(story, "bounty", credits)


def _pay(story: Story, places: dict[str, Places]) -> None:
    """Each prize once (54); of who is disqualified for good in the end, to others."""
    state, won = story.state, prizes_won(story.state, places)
    paid = [entry for entry in won if entry not in state.refused]
    pay(story, "prize", [prize_of(state, entry, won[entry]) for entry in paid])
    award(story, tickets_won(state, won))


def prize_of(state: Tournament, entry: str, prize: Prize) -> Credit:
    """Of who was disqualified a ticket as what it is worth, for the tournament that it is for goes on (FP-16)."""
    worth = prize.money + prize.ticket * (entry in state.play.disqualified)
    return Credit(f"{entry}.prize", entry, state.entries[entry].player, prize=worth)


def tickets_won(state: Tournament, won: Mapping[str, Prize]) -> list[str]:
    return [entry for entry, prize in won.items() if prize.ticket and entry not in state.play.disqualified]


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
    own = Counter({each.entry: each.bounty for each in state.alive if each.entry not in state.refused})
    _pay_bounties(story, unpaid_bounties(state) + own, "own")
    credit_won(story, parts(refused_to(state, won), heirs_of(state, over=True)))
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
