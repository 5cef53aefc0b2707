"""One hand on both sides, act by act: every offer, the pots, what came back, what was paid, the stacks at the end."""

import warnings
from collections import Counter
from dataclasses import dataclass, field

from libs.contracts.poker_events import HandEnded, PotAwarded
from tests.differential.betting_round import BettingRound
from tests.differential.differences import (
    as_our_rules_have_it,
    nothing_to_decide,
    pokerkit_shares,
    shares_differ_by_odd_units,
    unmatched_ante,
    why_ranges_differ,
)
from tests.differential.ours import Offer, Ours
from tests.differential.setting import Pick, Setting
from tests.differential.theirs import Theirs


class Unexplained(AssertionError):
    """The two sides differ, and no deliberate difference says why."""


@dataclass
class Outcome:
    setting: Setting
    decisions: int = 0
    raises_offered: int = 0
    pots: int = 0
    showdown: bool = False
    differences: Counter[str] = field(default_factory=Counter)


class SideBySide:
    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.outcome = Outcome(setting)
        self.ours = Ours(setting)
        self.theirs = Theirs(setting, self.ours)
        self.betting = BettingRound(setting, "preflop", len(setting.stacks))
        if self.theirs.turned_round:
            self.outcome.differences["equal_blinds_heads_up"] += 1
        self.acts: list[str] = []

    def play(self, pick: Pick) -> Outcome:
        while (offer := self.ours.offer) is not None:
            self._follow_street()
            both = self._compare_offer(offer)
            act, to = _choose(offer, both, pick)
            self._act(offer, act, to)
        self._skip_empty_decisions()
        self._compare_end()
        return self.outcome

    def script(self, *acts: str) -> "SideBySide":
        """`4 raise 350`, `1 fold`: given acts, each compared before it is made; `play` plays on from there."""
        for line in acts:
            seat, act, *to = line.split()
            offer = self.ours.offer
            assert offer is not None
            assert offer.seat == int(seat), (offer, line)
            self._follow_street()
            self._compare_offer(offer)
            self._act(offer, act, int(to[0]) if to else None)
        return self

    def _follow_street(self) -> None:
        street = self.ours.table.hand.street
        if street != self.betting.street:
            self.betting = BettingRound(self.setting, street, len(self.ours.table.hand.alive))

    def _act(self, offer: Offer, act: str, to: int | None) -> None:
        self.acts.append(f"{offer.seat} {act}{f' {to}' if to is not None else ''}")
        self.betting.acted(offer.seat, act, to)
        self.ours.act(act, to)
        self.theirs.act(act, to)

    def _compare_offer(self, ours: Offer) -> tuple[int, int] | None:
        """The range of raises that both sides take."""
        self._skip_empty_decisions()
        theirs = self.theirs.offer
        if theirs is None:
            raise self._unexplained("turn", ours, theirs)
        theirs, used = as_our_rules_have_it(self.theirs, theirs, self.betting)
        self.outcome.differences.update(used)
        self._same("seat to act", ours.seat, theirs.seat)
        self._same("chips to call", ours.call, theirs.call)
        self.outcome.decisions += 1
        self.outcome.raises_offered += ours.raise_to is not None
        if ours.raise_to != theirs.raise_to:
            name = why_ranges_differ(ours, theirs, self.betting)
            if name is None:
                raise self._unexplained("raise range", ours, theirs)
            self.outcome.differences[name] += 1
        return _common(ours.raise_to, theirs.raise_to)

    def _skip_empty_decisions(self) -> None:
        """PokerKit's questions that have one answer are answered."""
        mine = self.ours.offer
        while (theirs := self.theirs.offer) is not None and (mine is None or theirs.seat != mine.seat):
            if not nothing_to_decide(theirs):
                raise self._unexplained("turn", mine, theirs)
            self.outcome.differences["no_choice_no_decision"] += 1
            self.theirs.act("check")

    def _compare_end(self) -> None:
        self._same("hand over", True, self.theirs.over)
        awards = self.ours.pots
        self.outcome.pots, self.outcome.showdown = len(awards), self.ours.shown
        (ended,) = self.ours.all_told(HandEnded)
        staked = {result.seat: result.staked for result in ended.results}
        self._same("conserved", sum(self.setting.stacks.values()), sum(self.theirs.final_stacks.values()))
        if not self.ours.shown:
            self._compare_fold_out(staked, {result.seat: result.won for result in ended.results})
            return
        won = {result.seat: result.won for result in ended.results if result.won}
        pots = [(award.amount, tuple(award.eligible)) for award in awards]
        if (alone := unmatched_ante(self.setting)) is not None:
            self.outcome.differences["unmatched_ante_stays"] += 1
            seat, excess = alone
            self._same("pot of the unmatched ante", pots.pop(), (excess, (seat,)))
            awards = awards[:-1]
            staked[seat], won[seat] = staked[seat] - excess, won[seat] - excess
        self._same("staked, less what came back", staked, self._theirs_staked())
        self._same("pots", pots, self.theirs.pots)
        self._same("board dealt out", 0, self.theirs.streets_left)
        self._compare_shares(awards, {seat: amount for seat, amount in won.items() if amount})

    def _compare_fold_out(self, staked: dict[int, int], won: dict[int, int]) -> None:
        """PokerKit takes the last player's whole bet of the round back; ours leaves in what others matched."""
        theirs = self._theirs_staked()
        (winner,) = [seat for seat, amount in won.items() if amount]
        kept = staked[winner] - theirs[winner]
        self._same("staked by the others", {**staked, winner: 0}, {**theirs, winner: 0})
        self._same("collected", sum(staked.values()), self.theirs.collected + kept)
        self._same("kept of the last bet", kept, self.theirs.matched_of_last_bet)
        if kept:
            self.outcome.differences["last_bet_stays_in_part"] += 1
        self._same("final stacks", self.ours.final_stacks, self.theirs.final_stacks)

    def _compare_shares(self, awards: list[PotAwarded], won: dict[int, int]) -> None:
        theirs = self.theirs.pushed
        self._same("shares as PokerKit divides", pokerkit_shares(awards, self.ours.order), theirs)
        if won == theirs:
            self._same("final stacks", self.ours.final_stacks, self.theirs.final_stacks)
            return
        if not shares_differ_by_odd_units(awards):
            raise self._unexplained("shares", won, theirs)
        self.outcome.differences["odd_units"] += 1
        ours_less_theirs = {seat: won.get(seat, 0) - theirs.get(seat, 0) for seat in self.ours.order}
        stacks = {s: stack - ours_less_theirs[s] for s, stack in self.ours.final_stacks.items()}
        self._same("final stacks but for odd units", stacks, self.theirs.final_stacks)

    def _theirs_staked(self) -> dict[int, int]:
        final, pushed = self.theirs.final_stacks, self.theirs.pushed
        return {seat: self.setting.stacks[seat] - final[seat] + pushed.get(seat, 0) for seat in self.ours.order}

    def _same(self, what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            raise self._unexplained(what, ours, theirs)

    def _unexplained(self, what: str, ours: object, theirs: object) -> Unexplained:
        return Unexplained(f"{what}: ours {ours}, PokerKit {theirs}\n{self.setting}\n{', '.join(self.acts)}")


def play_hand(setting: Setting, pick: Pick) -> Outcome:
    """Unexplained when the two sides differ beyond the named differences."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PokerKit warns of folds where checking is free
        return SideBySide(setting).play(pick)


def _common(ours: tuple[int, int] | None, theirs: tuple[int, int] | None) -> tuple[int, int] | None:
    if ours is None or theirs is None:
        return None
    low, high = max(ours[0], theirs[0]), min(ours[1], theirs[1])
    return (low, high) if low <= high else None


def _choose(offer: Offer, raise_to: tuple[int, int] | None, pick: Pick) -> tuple[str, int | None]:
    chance = pick(0, 99)
    if raise_to is not None and chance >= 55:
        low, high = raise_to
        to = (low, high, pick(low, high))[pick(0, 2)]
        return "raise", to
    if chance < (25 if offer.call else 4):
        return "fold", None
    return ("call" if offer.call else "check"), None
