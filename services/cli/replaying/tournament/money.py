"""Prizes, ties, bounties, pools and refund sheets, figure by figure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from services.cli.replaying.play import Outcome
from services.cli.replaying.record import Claims
from services.cli.replaying.tournament.clocks import moment
from services.tournament.domain.play.bounties import WonPot, bounty_of
from services.tournament.domain.play.prizes import Prize, by_percentages, pool_of, prizes_of
from services.tournament.domain.play.ranking import Bust, Places, final_places, is_hand_for_hand, places_out
from services.tournament.domain.play.refunds import Entry, Paid, RefundSheet, refund_sheet

if TYPE_CHECKING:
    from services.cli.replaying.tournament.play import WorkedCase


def _ladder(prizes: Mapping[int, int]) -> list[Prize]:
    return [Prize(prizes.get(place, 0)) for place in range(1, max(prizes) + 1)]


def _told(places: Mapping[str, Places]) -> dict[str, str]:
    return {entry: str(place) for entry, place in places.items()}


def _money(won: Mapping[str, Prize]) -> dict[str, int]:
    return {entry: prize.money for entry, prize in won.items()}


def _paid(price: Mapping[str, int]) -> Paid:
    return Paid(price["prize"], price.get("fee", 0), price.get("bounty", 0))


def bubble(case: "WorkedCase", outcome: Outcome) -> None:
    """T-02. Who goes out at which table in the synchronised hand stands in the words of a step."""
    setup, expected = case.setup, case.expected
    stacks = {**setup["table_A"], **setup["table_B"]}
    left, paid = setup["players_left"], setup["paid_places"]
    outcome.compare("hand-for-hand begins", True, is_hand_for_hand(left, paid, 2))
    out = re.findall(r"(p\d+) \((\d+) at its start\) eliminated", " ".join(step["event"] for step in case.steps))
    outcome.compare(
        "stacks at its start", {player: int(stack) for player, stack in out}, {p: stacks[p] for p, _ in out}
    )
    places = places_out([Bust(player, "synchronised hand 2", stacks[player]) for player, _ in out], left)
    won = prizes_of(places, _ladder(setup["prizes"]), sorted(places))
    got: Claims = {"places": _told(places), "prizes": _money(won), "players_left": left - len(out)}
    outcome.compare("", {name: expected[name] for name in got}, got)
    outcome.compare("hand-for-hand goes on", False, is_hand_for_hand(left - len(out), paid, 2))
    outcome.compare("one table holds them", True, left - len(out) <= setup["seats_per_table"])
    outcome.events += len(out)


def one_hand(case: "WorkedCase", outcome: Outcome) -> None:
    """T-03."""
    for variant in case.variants:
        stacks, told = variant["stacks_at_start_of_hand"], variant["expected"]
        out = [player for player in stacks if player in told["places"]]
        places = places_out([Bust(player, "hand", stacks[player]) for player in out], case.setup["players_left"])
        won = prizes_of(places, _ladder(case.setup["prizes"]), case.setup["registration_order"])
        outcome.compare(variant["variant"], told, {"places": _told(places), "prizes": _money(won)})
        winner = variant["event"].split()[0]
        outcome.compare(f"{winner} has chips and is in", True, winner not in out and stacks[winner] > 0)
        outcome.events += 1


def cancelled_before(case: "WorkedCase", outcome: Outcome) -> None:
    """T-04."""
    setup, expected = case.setup, case.expected
    entries = [Entry(f"e{n}", f"e{n}", _paid(setup["buy_in"]), (), 1) for n in range(setup["registered"])]
    outcome.compare("who entered", setup["registered"], setup["cash_entries"] + setup["ticket_entries"])
    outcome.compare("too few", True, setup["registered"] < setup["minimum_players"])
    sheet = refund_sheet(entries, dealt=False, in_the_money=False)
    each = set(sheet.refunds.values())
    outcome.compare("rule", True, f"rule {sheet.rule}" in case.steps[0]["expected"])
    got: Claims = {
        "refund_per_player": each.pop() if len(each) == 1 else each,
        "players_refunded": len(sheet.refunds),
        "total_refunded": sheet.total_paid,
        "ticket_player_credit": sheet.credits(entries)["e0"],
        "operator_keeps": sheet.operator_keeps,
    }
    outcome.compare("", expected, got)
    outcome.compare("collected", setup["collected"], sheet.collected)
    outcome.events += 1


def cancelled(case: "WorkedCase", outcome: Outcome) -> None:
    """T-05, T-06, T-15."""
    setup, told = case.setup, case.expected
    entries, decided = _entries(setup)
    paid_places = setup.get("paid_places") or len(setup["prizes"])
    still_in = sum(entry.chips > 0 for entry in entries)
    sheet = refund_sheet(entries, dealt=True, in_the_money=still_in <= paid_places, decided=decided)
    outcome.compare("rule", True, sheet.rule in case.rules)
    _compare_sheet(outcome, told, sheet, entries)
    exact = told["exact_shares"]
    whole, chips = sheet.pot.total, sum(entry.chips for entry in entries)
    for entry in entries:
        if entry.chips and "/" not in str(exact[entry.id]):
            units, _, parts = str(exact[entry.id]).partition(".")
            outcome.compare(
                f"exact share of {entry.id}", int(units + parts) * chips, 10 ** len(parts) * whole * entry.chips
            )
    bought = sum(len(entry.more) for entry in entries)
    added = len(setup.get("add_ons", ()))
    more = (bought - added) * setup["rebuy"]["chips"] + (added * setup["add_on"]["chips"] if added else 0)
    outcome.compare("chips", setup["starting_stack"] * len(entries) + more, chips)
    outcome.compare("with tickets, like who paid", True, set(setup.get("ticket_entries", ())) <= set(sheet.refunds))
    if "running_hand_pot" in setup:
        _compare_open_entries(outcome, setup, case.steps[0]["event"], sheet)
    if "prize_pool" in setup:
        outcome.compare("prize_pool", setup["prize_pool"], pool_of([e.paid.prize + _more(e) for e in entries]).total)
        open_prizes = sum(setup["prizes"].values()) - sum(decided.values())
        still_theirs = still_in * setup["buy_in"]["prize"]
        outcome.compare("undecided prizes", open_prizes, sheet.pot.total + still_theirs)
    outcome.events += 1


def _more(entry: Entry) -> int:
    return sum(paid.prize for paid in entry.more)


def _compare_open_entries(outcome: Outcome, setup: Mapping[str, Any], event: str, sheet: RefundSheet) -> None:
    """T-15: a void hand's bets are in the stacks again; a guarantee falls due when entries close, and is in no pot."""
    stacks = setup["stacks_after_last_finished_hand"]
    outcome.compare("bets go back", True, all(bet <= stacks[who] for who, bet in setup["running_hand_pot"].items()))
    level, closes = (int(re.findall(r"level (\d+)", text)[0]) for text in (event, setup["entries_and_rebuys_until"]))
    outcome.compare("entries are open", True, level <= closes)
    outcome.compare("the guarantee is not reached", True, pool_of([sheet.collected], setup["guarantee"]).added > 0)
    thinks = len(setup["without_chips_rebuy_time_running"])
    outcome.compare("time for a rebuy", bool(thinks), setup["rebuy"]["time_ms"] > 0)


def _compare_sheet(outcome: Outcome, told: Mapping[str, Any], sheet: RefundSheet, entries: Sequence[Entry]) -> None:
    detail: Claims = {
        "buy_ins": sum(entry.paid.total for entry in entries),
        "rebuys": sum(paid.total for entry in entries for paid in entry.more),
        "total": sheet.collected,
    }
    collected = told["collected"]
    if isinstance(collected, dict):
        bought = collected["rebuys"] + collected.get("add_ons", 0)
        outcome.compare("collected", {**detail, "rebuys": bought}, detail)
        outcome.compare("collected total", collected["total"], sheet.collected)
        outcome.compare("collected buy_ins", collected["buy_ins"], detail["buy_ins"])
    else:
        outcome.compare("collected", collected, sheet.collected)
    pot = {
        "eliminated_entries": sheet.pot.eliminated_entries,
        "rebuys": sheet.pot.rebuys - told["pot"].get("add_ons", 0),
        "add_ons": told["pot"].get("add_ons"),
        "subtotal": sheet.pot.eliminated_entries + sheet.pot.rebuys,
        "less_prizes_already_decided": sheet.pot.decided,
        "total": sheet.pot.total,
    }
    outcome.compare("pot", told["pot"], pot)
    got: Claims = {
        "shares": sheet.shares,
        "total_paid": sheet.total_paid,
        "operator_keeps": sheet.operator_keeps,
        "operator_adds": sheet.operator_adds,
    }
    outcome.compare("", {name: told[name] for name in got if name in told}, got)
    outcome.compare("registration_refund_each", {told["registration_refund_each"]}, set(sheet.refunds.values()))
    credits = {
        player: amount for player, amount in sheet.credits(entries).items() if amount or player in told["credits"]
    }
    outcome.compare("all credits", told["credits"], credits)


def _entries(setup: Mapping[str, Any]) -> tuple[list[Entry], dict[str, int]]:
    """In order of registration those still in, then those who are out; and the prizes decided by entry."""
    stacks = setup.get("stacks") or setup["stacks_after_last_finished_hand"]
    named = setup.get("rebuys", [])
    bought = Counter(named if isinstance(named, list) else [setup["registration_order"][0]] * named)
    added = Counter(setup.get("add_ons", []))
    decided = {player: setup["prizes"][place] for place, player in setup.get("eliminated_in_the_money", {}).items()}
    out = [*decided, *setup.get("eliminated", ()), *setup.get("without_chips_rebuy_time_running", ())]
    players = [*setup["registration_order"], *out]
    total = setup.get("players") or setup["entries"]
    players += [f"out {number}" for number in range(total - len(players))]

    def more(player: str) -> list[Paid]:
        rebuys = [_paid(setup["rebuy"])] * bought[player] if bought[player] else []
        return rebuys + ([_paid(setup["add_on"])] * added[player] if added[player] else [])

    buy_in = _paid(setup["buy_in"])
    return [Entry(player, player, buy_in, more(player), stacks.get(player, 0)) for player in players], decided


def bounties(case: "WorkedCase", outcome: Outcome) -> None:
    """T-08. Who won which pot stands in the words of each step."""
    setup, expected = case.setup, case.expected
    outcome.compare("bounties are credited", "as determined", setup["prize_credit_mode"])
    outcome.compare("pots when one is left", "none", case.steps[-1]["pots"])
    bounty, credited = setup["buy_in"]["bounty"], Counter[str]()
    for step in case.steps:
        paid_now = {step["winner"]: bounty} if "winner" in step else _step(step, bounty)
        outcome.compare(f"step {step['step']} bounty", sorted(step["bounty"].items()), sorted(paid_now.items()))
        credited.update(paid_now)
        outcome.events += 1
    order = [step["eliminated"] for step in case.steps if "eliminated" in step]
    winner = case.steps[-1]["winner"]
    places = final_places([Bust(player, player, 1) for player in order], {winner: 1}, setup["players"])
    pool = setup["players"] * setup["buy_in"]["prize"]
    won = prizes_of(places, by_percentages(pool, setup["percentages"]), sorted(places))
    prizes = {player: prize.money for player, prize in won.items() if prize.money}
    paid = setup["players"] * _paid(setup["buy_in"]).total
    got: Claims = {
        "bounties": dict(credited),
        "bounty_total": sum(credited.values()),
        "prize_pool": pool,
        "prizes": prizes,
        "credits": dict(Counter(prizes) + credited),
        "fees": setup["players"] * setup["buy_in"]["fee"],
        "debited_from_players": paid,
    }
    outcome.compare("", expected, got)
    for name in ("bounties", "prizes", "credits"):
        outcome.compare(f"who has {name}", set(expected[name]), set(got[name]))


def _step(step: Mapping[str, Any], bounty: int) -> dict[str, int]:
    out, said = step["eliminated"], step["pots"]
    pots = []
    if split := re.search(r"split between (\w+) and (\w+)", said):
        pots = [WonPot({out, *split.groups()}, split.groups())]
    elif alone := re.search(r"one pot won by (\w+)", said):
        pots = [WonPot({out, alone[1]}, {alone[1]})]
    else:  # who is all in for less has no chips in the later pot
        all_in = [(int(stack), player) for player, stack in re.findall(r"(\w+) all in (\d+)", said)]
        winners = re.findall(r"(?:main|side) pot \d+ won by (\w+)", said)
        covering = re.findall(r"(\w+) covers", said)
        for (_, _), winner in zip(sorted(all_in), winners, strict=True):
            pots.append(WonPot({player for _, player in sorted(all_in)[len(pots) :]} | set(covering), {winner}))
    return bounty_of(out, bounty, pots, sorted({player for pot in pots for player in pot.players}))


def entries_and_places(case: "WorkedCase", outcome: Outcome) -> None:
    """T-12. What happens stands in the words of each step; places are those known just before the next one."""
    setup = case.setup
    entries, rebuys = len(setup["entries_at_start"]), 0
    busts: list[Bust] = []
    waiting: dict[str, int] = {}
    for number, step in enumerate(case.steps):
        now, said = moment(step["at"]), step["event"]
        following = moment(case.steps[number + 1]["at"]) if number + 1 < len(case.steps) else now
        who = said.split()[0].rstrip(",")
        if "loses his last chip" in said:
            busts.append(Bust(who, step["at"], 0, pending=True))
            waiting[who] = now + setup["rebuy"]["time_ms"]
        elif "rebuys" in said:
            outcome.compare(f"{who} in time", True, now < waiting.pop(who))
            busts = [bust for bust in busts if bust.entry != who]
            rebuys += 1
        elif "enters" in said:
            entries += 1
        elif "eliminated" in said:
            stacks = step.get("stacks_before", {})
            gone = [player for player in stacks if player in said.partition(" are eliminated")[0].split()]
            again = f"{who} again" if "second entry" in said else who
            busts += [Bust(entry, step["at"], stacks.get(entry, 0)) for entry in gone or [again]]
        for entry in [entry for entry, until in waiting.items() if until <= now or until < following]:
            del waiting[entry]
        busts = [Bust(bust.entry, bust.round, bust.stack, bust.entry in waiting) for bust in busts]
        if "places_then" in step:
            known = {entry: place.first for entry, place in places_out(busts, entries).items()}
            outcome.compare(f"places at {step['at']}", sorted(step["places_then"].items()), sorted(known.items()))
        if "entries" in step:
            outcome.compare(f"entries at {step['at']}", step["entries"], entries)
            pool = entries * setup["buy_in"]["prize"] + rebuys * setup["rebuy"]["prize"]
            outcome.compare(f"pool at {step['at']}", step["prize_pool"], pool)
            outcome.compare("entries close", moment(setup["entries_and_rebuys_until"]), now)
        outcome.events += 1
    _compare_result(outcome, case, busts, entries, rebuys)


def _compare_result(outcome: Outcome, case: "WorkedCase", busts: list[Bust], entries: int, rebuys: int) -> None:
    """`again` marks a second entry of one player; the only rebuy is that of who rebought."""
    setup, expected = case.setup, case.expected
    winner = case.steps[-1]["event"].split()[-1]
    rebought = [step["event"].split()[0] for step in case.steps if "rebuys" in step["event"]]
    places = final_places(busts, {winner: 1}, entries)
    twice = {entry.removesuffix(" again") for entry in places if entry.endswith(" again")}

    def named(entry: str) -> str:
        player = entry.removesuffix(" again")
        return f"{player} {'second' if entry != player else 'first'} entry" if player in twice else entry

    buy_in, rebuy = _paid(setup["buy_in"]), _paid(setup["rebuy"])
    ladder = by_percentages(entries * buy_in.prize + rebuys * rebuy.prize, setup["percentages"])
    won = prizes_of(places, ladder, sorted(places))
    net: Counter[str] = Counter()
    for entry in places:
        net[entry.removesuffix(" again")] += won[entry].money - buy_in.total
    net.subtract(dict.fromkeys(rebought, rebuy.total))
    got: Claims = {
        "places": {named(entry): str(place) for entry, place in places.items()},
        "prizes": {place: prize.money for place, prize in enumerate(ladder, 1)},
        "fees": entries * buy_in.fee + rebuys * rebuy.fee,
        "debited_from_players": entries * buy_in.total + rebuys * rebuy.total,
        "chips_in_play": setup["starting_stack"] * entries + rebuys * setup["rebuy"]["chips"],
        "net_results": dict(net),
    }
    outcome.compare("", expected, got)
    outcome.compare("everybody has a place", set(expected["places"]), set(got["places"]))
    last = sum(case.steps[-1]["stacks_before"].values())
    outcome.compare("chips at the end", expected["chips_in_play"], last)
