"""Two years of a house as rows, made by SQL: quick to make, and of the shape that the projections leave.

Of `size` transfers: a hand for each eight, with four players, a sitting for each 25 hands; a tenth of all hands has
`player-0`. Two years are filled whatever the size is.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

BEGAN, ENDED = 1_700_000_000_000, 1_700_000_000_000 + 700 * 86_400_000
_A_HAND = 8


def players_of(size: int) -> int:
    return max(20, size // 1_000)


def tables_of(size: int) -> int:
    return max(10, size // 3_000)


def _hands(size: int) -> int:
    return size // _A_HAND


def _wallet(size: int, sample: dict[str, Any]) -> list[str]:
    hands, players, tables = _hands(size), players_of(size), tables_of(size)
    step = (ENDED - BEGAN) // hands
    at = f"{BEGAN} + h::bigint * {step}"
    hand = f"select h, 'table-' || h % {tables} as t, {at} as at from generate_series(1, {hands}) h"
    who = f"case when h % 10 = 0 and seat = 1 then 'player-0' else 'player-' || (h * 7 + seat) % {players} end"
    return [
        _months("transfers"),
        f"""insert into tables select 'table-' || n, 'real', 'EUR', 'pt-811-2015-omaha', ''
              from generate_series(0, {tables - 1}) n""",
        f"""insert into transfers
            select 'wallet', 'account-player-' || n || '-EUR/2', 1, 'real', 'operator-cash/EUR',
                   'player/player-' || n || '/EUR', 1000000, 'EUR', 'deposit', 'r' || n, {BEGAN}
              from generate_series(0, {players - 1}) n""",
        f"""insert into transfers
            select 'table', t || '/' || h, line, 'real',
                   case line when 5 then 'pot/' || t || '/' || h when 6 then 'pot/' || t || '/' || h
                             when 7 then 'player/' || name || '/EUR' when 8 then 'in-transit/s-' || h / 25
                             else 'stack/' || t || '/' || name end,
                   case line when 5 then 'stack/' || t || '/' || name when 6 then 'rake/' || t || '/pt-811-2015-omaha'
                             when 7 then 'in-transit/s-' || h / 25 when 8 then 'stack/' || t || '/' || name
                             else 'pot/' || t || '/' || h end,
                   case line when 5 then 95 * 4 when 6 then 5 * 4 when 7 then 500 when 8 then 500 else 100 end,
                   'EUR', case line when 5 then 'payment' when 6 then 'rake' else 'bet' end, t || '/' || h, at
              from ({hand}) hands, lateral (select line, least(line, 4) as seat from generate_series(1, 8) line) lines,
                   lateral (select {who} as name) names""",
        "update balances set balance = moved",
        f"""insert into sittings (table_id, reservation, player, book, currency, started_at, ended_at, brought,
                                  returned, hands)
            select t, 's-' || h || '-' || seat, {who}, 'real', 'EUR', at,
                   at + {step}::bigint * case when h % 10 = 0 then 5 else 25 end, 5000, 4800, 25
              from ({hand}) hands, generate_series(1, 4) seat where h % 25 = 1 or (h % 10 = 0 and seat = 1)""",
        f"""insert into rake_accounts (table_id, rulebook, currency, book, rake, hands)
            select 'table-' || n, 'pt-811-2015-omaha', 'EUR', 'real', 100, 10
              from generate_series(0, {tables - 1}) n""",
        f"""insert into banked_tables (table_id, rulebook, currency, book)
            select 'table-' || n, 'pt-812-2015-baccarat', 'EUR', 'real' from generate_series(0, {tables - 1}) n""",
        f"""insert into banked_handle select 'table-' || n, 'pt-812-2015-baccarat', area, 10000, 10, 1000, 900, 0
              from generate_series(0, {tables - 1}) n, unnest(array['player', 'banker', 'tie']) area""",
        *_shared(size, BEGAN, "books"),
    ]


def _audit(size: int, sample: dict[str, Any]) -> list[str]:
    hands, players, tables = _hands(size), players_of(size), tables_of(size)
    step = (ENDED - BEGAN) // hands
    names = f"""array[case when h % 10 = 0 then 'player-0' else 'player-' || (h * 7 + 1) % {players} end,
                      'player-' || (h * 7 + 2) % {players}, 'player-' || (h * 7 + 3) % {players}]"""
    record = json.dumps(sample).replace("'", "''")
    document = f"'{record}'::jsonb"
    for seat in range(3):
        document = f"jsonb_set({document}, '{{seats,{seat},player}}', to_jsonb(names[{seat + 1}]))"
    return [
        _months("histories"),
        _months("played"),
        f"""insert into openings select 'table-' || n, '{{}}', 1, '' from generate_series(0, {tables - 1}) n""",
        f"""insert into histories
            select t, number, 'hand', 'real', 'ended', at, names, ({document})::text, 1, ''
              from (select h, 'table-' || h % {tables} as t, h / {tables} + 1 as number,
                           {BEGAN} + h::bigint * {step} as at, {names} as names
                      from generate_series(1, {hands}) h) as hands""",
        """insert into played select unnest(players), game, started_at, table_id, number from histories
           on conflict do nothing""",
        f"""insert into incidents (identity, kind, severity, stream, detail, first_seen, last_seen, mark)
            select sha256(n::text::bytea), 'record_parked', 'minor', 's', 'd', {BEGAN}, {BEGAN}, ''
              from generate_series(1, {size // 300}) n""",
        f"""insert into checkpoints select n, {BEGAN} + n, 'r', 'p', '[]', 'k', 's', '[]'
              from generate_series(1, {size // 30}) n""",
        f"""insert into cases (identity, kind, players, hands, evidence, opened_at, last_seen, mark)
            select sha256(n::text::bytea), 'soft_play', array['a', 'b'], '[["t", 1]]', '{{}}', {BEGAN}, {BEGAN}, ''
              from generate_series(1, {size // 300}) n""",
        f"""insert into restrictions (identity, at, about, player, whose, holds, until, principal, reason, notice,
                                      mark)
            select sha256(n::text::bytea), {BEGAN} + n, 'blocked', 'player-' || n % {players}, '', n % 2 = 0, 0,
                   'staff', 'r', 'n', '' from generate_series(1, {size // 100}) n""",
        *_shared(size, BEGAN, "audit"),
    ]


def _months(table: str) -> str:
    at = "to_timestamp({} / 1000) at time zone 'UTC'"
    return f"""select make_month('{table}', to_char(at, 'YYYY-MM'))
                 from generate_series({at.format(BEGAN)}, {at.format(ENDED)} + interval '1 month', '1 month') at"""


def _shared(size: int, began: int, projector: str) -> list[str]:
    """What every projector's schema has."""
    return [
        f"""insert into reads (at, principal, roles, scopes, purpose, what, target, address, before, digest)
            select {began} + n::bigint * 1000, 'p', '{{}}', '{{}}', 'p', 'GET', '/', 'a', '', n::text::bytea
              from generate_series(1, {size // 30}) n""",
        f"""insert into streams select '{projector}', 'events', 'stream-' || n, 5, 5
              from generate_series(1, {size // 30}) n""",
    ]


STATEMENTS: Mapping[str, Callable[[int, dict[str, Any]], list[str]]] = {"wallet": _wallet, "audit": _audit}
"""By schema: what lays so many transfers in, given a hand's record as an example."""
