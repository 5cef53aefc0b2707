"""A tournament in other people's formats: Open Tournament Summary 1.1.5 (ts-specs.handhistory.org), and CSV."""

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from typing import Any

import msgspec

from libs.money.play import PLAY_CURRENCY
from libs.views.tournament import TournamentView
from libs.views.tournament_accounts import Statement, statement

SPEC = "1.1.5"
PLAY_MONEY = "XPM"
_ENCODER = msgspec.json.Encoder(decimal_format="number")
_COLUMNS = (
    "first", "last", "player", "entries", "rebuys", "add_ons", "paid", "fee", "back", "prize", "bounty", "ticket",
    "net",
)  # fmt: skip


class NotSummed(ValueError):
    """There is no result yet, or there never will be one; or that player took no part."""


class _Finish(msgspec.Struct, frozen=True):
    """Of one player; of several entries the best place."""

    player: str
    first: int | None
    """None: still playing."""
    last: int | None
    ticket: int
    bought: Mapping[str, int]
    account: Statement


def ots_of(view: TournamentView, hero: str | None = None) -> str:
    """JSON, one object with the key `ots`, as `hero` saw it; None: as the house did.

    `prize` is all that was won in money, elimination prizes too: the format has no field for them.
    """
    if hero is not None and hero not in view.entries:
        raise NotSummed(f"{hero} took no part in {view.tournament}")
    text = msgspec.json.format(_ENCODER.encode({"ots": _document(view, list(_finishes(view)))}), indent=2)
    return seen_by(hero, text.decode() + "\n") if hero is not None else text.decode() + "\n"


def seen_by(hero: str, ots: str) -> str:
    """What the house saw as `hero` did: all of it is the same but the name. No text in JSON holds a line break."""
    before, key, after = ots.partition('\n    "player_count":')
    return f'{before}\n    "hero_player_name": {msgspec.json.encode(hero).decode()},{key}{after}'


def csv_of(view: TournamentView) -> str:
    """A line for each player, the winner first; amounts in minor units of the tournament's currency."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for each in _finishes(view):
        bought, account = each.bought, each.account
        entries = bought["entry"] + bought["re_entry"]
        rows.writerow(
            (each.first, each.last, each.player, entries, bought["rebuy"], bought["add_on"], account.paid, account.fee,
             account.back, account.prizes, account.bounties, each.ticket, account.net)
        )  # fmt: skip
    return text.getvalue()


def _finishes(view: TournamentView) -> Iterator[_Finish]:
    """Of everybody who took part, the winner first."""
    play = view.play
    if view.status not in ("running", "completed"):
        raise NotSummed(f"{view.tournament} has no result: it is {view.status}")
    places: dict[str, list[tuple[int, int, int]]] = {player: [] for player in view.entries}
    for result in play.results:
        places[result.player].append((result.first, result.last, result.ticket))
    for entry, out in play.out.items() if not play.results else ():
        if view.entries[out.player].entry == entry:
            places[out.player].append((*out.places(view.entered), 0))
    for player in sorted(places, key=lambda name: (min(places[name], default=(0, 0, 0)), view.entries[name].number)):
        first, last, _ = min(places[player], default=(None, None, 0))
        ticket = sum(ticket for _, _, ticket in places[player])
        lines = view.lines.get(player, ())
        bought = {kind: sum(line.what == kind for line in lines) for kind in ("entry", "re_entry", "rebuy", "add_on")}
        yield _Finish(player, first, last, ticket, bought, statement(lines))


def _document(view: TournamentView, finishes: list[_Finish]) -> dict[str, Any]:
    rules, play = view.rules, view.play
    flags = {
        "SNG": rules.sit_and_go, "Bounty": rules.buy_in.bounty > 0, "Rebuy": rules.rebuy is not None,
        "Re-Entry": rules.re_entry is not None, "Satellite": rules.tickets is not None,
    }  # fmt: skip
    optional = {
        "bounty_value_amount": rules.buy_in.bounty,
        "rebuy_cost": rules.rebuy.price.amount if rules.rebuy is not None else 0,
        "addon_cost": rules.add_on.price.amount if rules.add_on is not None else 0,
    }
    again = [each for each in finishes if sum(each.bought.values()) > 1]
    return {
        "spec_version": SPEC,
        "site_name": "Croupier",
        "network_name": "Croupier",
        "internal_version": version("croupier"),
        "tournament_number": view.tournament,
        "tournament_name": view.name,
        "start_date_utc": _moment(play.began_at),
        **({"end_date_utc": _moment(play.ended_at)} if play.ended_at else {}),
        "currency": PLAY_MONEY if rules.currency == PLAY_CURRENCY else rules.currency,
        "buyin_amount": _money(rules.buy_in.prize),
        "fee_amount": _money(rules.buy_in.fee),
        **{name: _money(amount) for name, amount in optional.items() if amount},
        "initial_stack": rules.starting_stack,
        "type": "STT" if play.tables_at_start == 1 else "MTT",
        "flags": [flag for flag, set_ in flags.items() if set_],
        "speed": {"type": "Normal", "round_time": rules.levels[0].lasts_ms // 1000},
        "prize_pool": _money(view.pool),
        "player_count": len(finishes),
        "tournament_finishes_and_winnings": [_finish(each) for each in finishes],
        "tournament_rebuys": [
            {
                "player_name": each.player,
                "rebuys": each.bought["rebuy"] + each.bought["re_entry"],
                "addons": each.bought["add_on"],
            }
            for each in again
        ],
    }


def _finish(each: _Finish) -> dict[str, Any]:
    if each.first is None:
        return {"player_name": each.player, "still_playing": True}
    return {
        "player_name": each.player,
        "finish_position": each.first,
        "still_playing": False,
        "prize": _money(each.account.prizes + each.account.bounties),
        **({"ticket_value": _money(each.ticket)} if each.ticket else {}),
    }


def _money(units: int) -> Decimal:
    """Of minor units: hundredths of every currency that the house takes."""
    return (Decimal(units) / 100).quantize(Decimal("0.01"))


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
