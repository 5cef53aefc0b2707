"""Which tournament a seed is: how many play, by which rules, and how bad the weather is."""

from dataclasses import dataclass
from math import log
from random import Random
from typing import Any

from tests.simulation.tournaments.rails import Faults

START = 1_768_161_600_000
"""The hour set for the start, milliseconds since the epoch."""
MOST = 500
TARGET = "t-2"
"""What tickets are for: another tournament, three hours later."""
_TICKET = 5_500
"""What one is worth, minor units."""
_BLINDS = [
    (50, 100), (100, 200), (200, 400), (500, 1_000), (1_000, 2_000), (3_000, 6_000), (10_000, 20_000),
    (50_000, 100_000), (500_000, 1_000_000), (10_000_000, 20_000_000),
]  # fmt: skip
"""At last more than all chips: where everybody is away, only that ends it."""
_CALM = Faults()


@dataclass(frozen=True, slots=True)
class Form:
    """One tournament."""

    players: int
    """Who wants to play from the start on."""
    late: int
    """Who comes after it."""
    rules: dict[str, Any]
    absent: float
    """Share of players who never act."""
    again: float
    """Chance of who is out to buy what is on offer."""
    cancelled: bool
    paused: int
    faults: Faults
    names: tuple[str, ...]
    """What it is, for the figures."""
    target: dict[str, Any] | None = None
    """Rules of the tournament that its tickets are for."""
    disqualified: int = 0
    excluded: int = 0
    """So many are, by one supervisor; another one releases them or makes it final."""


def form_of(seed: int, most: int = MOST) -> Form:
    """Two players as often as two hundred: sizes are even on a scale of their logarithm."""
    dice = Random(f"tournament {seed}")
    players = round(2 * (most / 2) ** dice.random())
    sit_and_go = dice.random() < 0.1
    level_ms = dice.choice([20_000, 40_000, 100_000])
    if players > 100:
        level_ms = min(level_ms, 40_000)  # a thousand of them are to be played in one session
    rules: dict[str, Any] = {
        **_game(dice),
        "currency": "EUR",
        "approval": "OPERATOR-2026-T1",
        "seats": dice.randint(2, 10),
        "starts_at": None if sit_and_go else START,
        "min_players": players if sit_and_go else 2,
        "max_players": players if sit_and_go else max(2, round(players * dice.choice([0.9, 1.5, 3.0]))),
        "buy_in": {"amount": 2_200, "prize": 2_000, "fee": 200},
        "starting_stack": 10_000,
        "levels": [{"small_blind": small, "big_blind": big, "lasts_ms": level_ms} for small, big in _BLINDS],
        "breaks": dice.choice([[], [{"after_level": 1, "lasts_ms": 45_000}]]),
        "hand_for_hand_at": dice.randint(0, 4),
        "prizes_paid": dice.choice(["as_determined", "at_end"]),
        "guarantee": dice.choice([0, 0, 3_000 * players]),
        "rules": {"pt": "Torneio de póquer."},
    }
    names = [f"{_size(players)} players", "sit-and-go" if sit_and_go else "at an hour"]
    if dice.random() < 0.25:
        rules["lasts_ms"] = dice.choice([20_000, 100_000, 400_000])
        names.append("timed")
    if dice.random() < 0.3:
        rules["buy_in"] = {"amount": 3_301, "prize": 2_000, "fee": 300, "bounty": 1_001}
        names.append("bounties")
    late = 0
    if not sit_and_go and dice.random() < 0.5:
        rules["late_entry"] = {"level": dice.randint(1, 4)}
        late = dice.randint(0, 1 + players // 3)
        names.append("late entry")
    if not sit_and_go and dice.random() < 0.4:
        rules["re_entry"] = {"level": dice.randint(2, 7)}
        names.append("re-entry")
    bought = {"amount": 1_150, "prize": 1_001, "fee": 149}
    if dice.random() < 0.4:
        until, most = {"level": dice.randint(3, 8)}, dice.choice([0, 1, 3])
        rules["rebuy"] = {"price": bought, "chips": 10_000, "until": until, "most": most, "time_ms": 15_000}
        names.append("rebuys")
    if rules["breaks"] and dice.random() < 0.5:
        rules["add_on"] = {"price": bought, "chips": 7_000, "after_level": 1}
        names.append("add-on")
    rules["payouts"] = _payouts(dice, players)
    rules["min_players"] = max(rules["min_players"], len(rules["payouts"][0]["shares"]))
    rules["max_players"] = max(rules["min_players"], rules["max_players"])
    cancelled = dice.random() < 0.08
    faults = _faults(dice, players)
    names.append("cancelled" if cancelled else "played on")
    kind = dice.choices(["", "freeroll", "satellite", "freeroll for tickets"], [7, 1, 1, 1])[0]
    if kind:
        names = [name for name in names if name not in ("bounties", "rebuys", "add-on")] + [kind]
        _without_money(rules, kind, players, dice)
    return Form(
        players=players, late=late, rules=rules, absent=dice.choice([0.0, 0.1, 0.3]), again=dice.choice([0.3, 0.8]),
        cancelled=cancelled, paused=dice.choice([0, 0, 1, 3]), faults=faults, names=tuple(names),
        target=_target(rules, players) if "tickets" in rules else None, disqualified=dice.choice([0, 0, 0, 1, 2]),
        excluded=dice.choice([0, 0, 0, 1, 2]),
    )  # fmt: skip


def _without_money(rules: dict[str, Any], kind: str, players: int, dice: Random) -> None:
    """Free to enter, or with prizes that are registrations for another tournament."""
    if kind != "satellite":
        free = {"amount": 0, "prize": 0}
        rules |= {"buy_in": free, "rebuy": None, "add_on": None, "guarantee": 3_000 * players}
    else:
        rules |= {"buy_in": {"amount": 2_200, "prize": 2_000, "fee": 200}, "rebuy": None, "add_on": None}
    if kind != "freeroll":
        tickets = {"tournament": TARGET, "value": _TICKET}
        rules |= {"tickets": tickets, "payouts": [], "guarantee": 0}
        rules["ticket_count"] = 0 if kind == "satellite" else dice.randint(1, min(2, rules["min_players"]))
        rules["satellite_end"] = dice.choice(["last_chip", "tickets_decided"])


def _target(rules: dict[str, Any], players: int) -> dict[str, Any]:
    kept = ("rulebook", "table", "currency", "approval", "seats", "levels", "rules", "starting_stack")
    return {name: rules[name] for name in kept} | {
        "starts_at": START + 10_800_000, "min_players": 2, "max_players": max(2, players),
        "buy_in": {"amount": _TICKET, "prize": 5_000, "fee": 500}, "late_entry": {"level": 2},
        "payouts": [{"entries": 2, "shares": [10_000]}],
    }  # fmt: skip


def _game(dice: Random) -> dict[str, Any]:
    if dice.random() < 0.2:
        return {"rulebook": "pt-811-2015-omaha", "table": {"structure": "pot_limit", "decision_ms": 15_000}}
    table = {"structure": "no_limit", "decision_ms": 15_000, "between_hands_ms": dice.choice([0, 2_000])}
    return {"rulebook": "common-holdem", "table": table}


def _payouts(dice: Random, players: int) -> list[dict[str, Any]]:
    """A few paid places, and more of them for many entries."""
    rows = [{"entries": 2, "shares": _shares(dice.randint(1, 2))}]
    for entries in (6, 40, 150):
        if players >= entries and dice.random() < 0.8:
            rows.append({"entries": entries, "shares": _shares(dice.randint(2, entries // 3))})
    return rows


def _shares(paid: int) -> list[int]:
    """The last place has one part, each above it one part more: of most pools rounding leaves cents."""
    parts = paid * (paid + 1) // 2
    shares = [10_000 * part // parts for part in range(paid, 0, -1)]
    shares[0] += 10_000 - sum(shares)
    return shares


def _faults(dice: Random, players: int) -> Faults:
    badness = dice.choice([0.0, 1.0, 1.0, 3.0])
    if not badness:
        return _CALM
    return Faults(
        delay_ms=dice.choice([200, 3_000]),
        lost=0.02 * badness,
        doubled=0.02 * badness,
        crash=0.01 * badness,
        # A crowd's journals are long: with as many restarts as a few people's it would be read all day.
        kill_every_ms=round(dice.choice([20_000, 120_000]) * max(1.0, log(players / 10 + 1))),
        longest_outage_ms=dice.choice([500, 20_000, 90_000]),
        skew_ms=dice.choice([0, 50, 1_500]),
    )


def _size(players: int) -> str:
    return next(f"up to {most}" for most in (5, 20, 100, 10**6) if players <= most) if players <= 100 else "over 100"
