"""Conservation, watched as it happens: the checks' folds are kept per stream, and what does not agree is an incident.

Decks are proved here from what is public; `croupier verify` also opens them.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, assert_never

import msgspec

from libs.contracts.bank_events import BankAlarmRaised
from libs.contracts.conduct_events import MessageBlocked, MessageWithheld
from libs.contracts.escrow_events import EscrowEvent
from libs.contracts.facts import TableEvent, TournamentEvent, WalletEvent
from libs.contracts.people import same_person
from libs.contracts.poker_configuration import PokerConfiguration
from libs.contracts.pool_events import PoolEvent
from libs.contracts.table_events import TableOpened, TablePaused
from libs.contracts.tournament_events import EntrantBarred
from libs.contracts.tournament_play_events import EverybodyAway, TournamentCompleted
from libs.contracts.tournaments_events import (
    MoveOrdered,
    NoticeGiven,
    PlayerBarred,
    TournamentAnnounced,
    TournamentPaused,
    TournamentProposed,
)
from libs.contracts.tournaments_events import TournamentMoney as TournamentMoneyTold
from libs.money.cash import BOUNDS, CashBounds
from libs.projecting import Connection, Told, write_rows
from libs.projecting.row_marks import Marks
from services.audit.incidents import record
from services.audit.marked_rows import Evidence
from services.audit.verifying.accounts import Account, check_account, keep_latest_top_ups
from services.audit.verifying.barred import check_barred
from services.audit.verifying.by_hand import Misdeals, check_by_hand, misdeals_of, note_misdeal
from services.audit.verifying.cash import Cash, Request, cash_of, check_cash, note_request, request_of
from services.audit.verifying.chips import Chips, check_chips
from services.audit.verifying.covering import Covering, check_pool
from services.audit.verifying.dealt import PublicDecks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.escrowed import Escrowed, check_escrow
from services.audit.verifying.fees import Fee, check_fee, fee_of, is_answered, note_fee
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.pauses import Pauses, is_of_people, note_pause
from services.audit.verifying.pots import Pots, check_pots, takes
from services.audit.verifying.promises import Promise, note_promise
from services.audit.verifying.results import Results, note_results
from services.audit.verifying.sittings import NEVER, Sitting, check_sitting, is_over, note, sitting_of
from services.audit.verifying.tournaments import (
    Passage,
    TournamentMoney,
    check_end,
    check_tournament,
    note_side,
    sides_of,
)

State = (
    Chips
    | PublicDecks
    | Pots
    | Account
    | Sitting
    | Fee
    | TournamentMoney
    | Results
    | Promise
    | Cash
    | Request
    | Misdeals
    | Pauses
    | Passage
    | Covering
    | Escrowed
)
_STATES: dict[str, type[State]] = {
    "chips": Chips,
    "decks": PublicDecks,
    "pots": Pots,
    "account": Account,
    "sitting": Sitting,
    "fee": Fee,
    "tournament": TournamentMoney,
    "results": Results,
    "promise": Promise,
    "cash": Cash,
    "request": Request,
    "misdeals": Misdeals,
    "pauses": Pauses,
    "passage": Passage,
    "pool": Covering,
    "escrow": Escrowed,
}
_NAMED = ("sitting", "fee", "cash", "misdeals")
_OF_TWO = (*_NAMED, "passage")
"""Checks of what is told of in several streams."""
OFTEN, TWICE = 3, 2
"""Pauses of one tournament, and moves of one player in it by the staff, that are looked at."""
MOST_CREDITS = 1_000
"""Names of a tournament's credits that are kept between two batches: its row is written at each."""
MOST_TOP_UPS = 1_000
"""Of an account's settled top-ups likewise."""
Key = tuple[str, str]
"""Check and stream; for a sitting, a fee or a passage, its id."""


STATES = Evidence("check_states", ("check_name", "stream", "state", "over", "mark_version"), ("state",))


class _Held(NamedTuple):
    """A state, and how often it was written."""

    state: State
    version: int


class LiveChecks:
    """The projection. States and incidents move in the transaction that moves the position."""

    name = "live_checks"

    def __init__(
        self,
        on_finding: Callable[[Finding], None] = lambda finding: None,
        marks: Marks | None = None,
        cash: CashBounds = BOUNDS,
    ) -> None:
        """`cash`: what one of the staff may move alone."""
        self._cash = cash
        self._on_finding = on_finding
        self._marks = marks

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        held, findings = await _load(connection, {key for fact in facts for key in _keys(fact)}, self._marks)
        states, now = {key: each.state for key, each in held.items()}, _now()
        for fact in facts:
            findings += _check(states, fact, self._cash, now)
        await _save(connection, held, self._marks)
        for finding in await record(connection, findings, now, self._marks):
            self._on_finding(finding)


def _keys(fact: Told) -> list[Key]:
    event, body = fact
    keys: list[Key] = []
    if isinstance(body, TableEvent):
        keys = [("chips", event.stream), ("decks", event.stream)]
        keys += [("pots", event.stream)] if takes(body) or isinstance(body, EntrantBarred) else []
        keys += [("pauses", event.stream)] if is_of_people(body) else []
    if isinstance(body, WalletEvent):
        keys = [(_of_wallet(body), event.stream)]
    if isinstance(body, TournamentEvent):
        keys = [("tournament", event.stream), ("results", event.stream)]
    if isinstance(body, TournamentProposed | TournamentAnnounced):
        keys.append(("promise", event.stream))
    if name := request_of(event, body):
        keys.append(("request", name))
    of_two = zip(_NAMED, (sitting_of(body), fee_of(body), cash_of(event, body), misdeals_of(body)), strict=True)
    keys += [("passage", name) for name in sides_of(body)]
    return [*keys, *((check, name) for check, name in of_two if name)]


def _of_wallet(body: WalletEvent) -> str:
    match body:
        case PoolEvent():
            return "pool"
        case EscrowEvent():
            return "escrow"
        case _:
            return "account"


def _check(states: dict[Key, State], fact: Told, cash: CashBounds, heard: int = NEVER) -> list[Finding]:
    """`heard`: now, milliseconds since the epoch."""
    event, body = fact
    found = list(_told(fact))
    sides = sides_of(body)
    for check, stream in _keys(fact):
        state = states.get((check, stream))
        match state:
            case None:
                pass  # somebody else has written it, which is told
            case Chips():
                found += check_chips(state, event, body)
            case PublicDecks():
                found += check_deck(state, event, body)
                found += check_by_hand(state, event, body)
            case Pots():
                found += check_pots(state, event, body)
                found += check_barred(state, event, body)
            case Account():
                found += check_account(state, event, body)
            case Covering():
                found += check_pool(state, event, body)
            case Escrowed():
                found += check_escrow(state, event, body)
            case Results():
                note_results(state, event, body)
            case Promise():
                note_promise(state, event, body)
            case Cash():
                found += check_cash(state, event, body, cash)
            case Misdeals():
                found += note_misdeal(state, event, body)
            case Pauses():
                found += note_pause(state, event, body)
            case Request():
                found += note_request(state, event, body)
            case Sitting():
                note(state, event, body, heard)
                found += check_sitting(stream, state, 0)  # what the other side has not said, time tells (watch.py)
            case Fee():
                note_fee(state, event, body)
                found += check_fee(stream, state, 0)
            case Passage():
                found += note_side(stream, state, event, sides[stream], heard)
            case TournamentMoney():
                found += _tournament(state, fact)
            case _:
                assert_never(state)
    return found


def _tournament(money: TournamentMoney, fact: Told) -> list[Finding]:
    """One that had begun when this check first ran is believed once: it goes on from what an event tells."""
    event, body = fact
    found = list(check_tournament(money, event, body))
    if not money.known_from and event.version > 1:
        found = []
    if not money.known_from and (event.version == 1 or isinstance(body, TournamentMoneyTold)):
        money.known_from = event.version
    if (
        isinstance(body, TournamentCompleted) and money.known_from == 1
    ):  # its last; of a cancelled one money is told after it
        found += check_end(event.stream, money)
    if isinstance(body, PlayerBarred):
        put_out = [*money.disqualified.items(), *money.excluded.items()]
        players = {player for player, (by, _) in put_out if same_person(by, body.by)}
        detail = f"{body.by} has put out {len(players)} players, and nobody else has decided about any of them"
        found += [Finding(Kind.PUT_OUT, event.stream, detail, event.version)] * (len(players) > 1)
    return [*found, *_directed(money, fact)]


def _directed(money: TournamentMoney, fact: Told) -> Iterator[Finding]:
    """Acts of the staff that are seldom needed again, and by which one would choose when a tournament ends, or who pays
    its blinds."""
    event, body = fact
    if isinstance(body, TournamentPaused):
        money.pauses += 1
        if money.pauses == OFTEN:
            detail = f"paused for the {OFTEN}rd time, by {body.by}"
            yield Finding(Kind.DIRECTED, event.stream, detail, event.version)
    if isinstance(body, MoveOrdered):
        money.moves[body.player] = money.moves.get(body.player, 0) + 1
        if money.moves[body.player] == TWICE:
            detail = f"{body.player} is to be moved by the staff for the second time, by {body.by}"
            yield Finding(Kind.DIRECTED, event.stream, detail, event.version)


def _told(fact: Told) -> Iterator[Finding]:
    """What an event says of itself."""
    event, body = fact
    match body:
        case TablePaused(reason=Kind.ENTROPY, by="house"):
            detail = "the random source failed its health test; the table deals no more until staff resume it"
            yield Finding(Kind.ENTROPY, event.stream, detail, event.version)
        case TableOpened(configuration=PokerConfiguration(kind="real", tournament="") as rules, by=by) if by:
            # Of a table with a bank another one has to approve the opening; of a platform's own it is the platform's.
            detail = (
                f"opened by {by} alone for real money under {rules.rulebook}, blinds {rules.betting.small_blind} and"
            )
            detail += f" {rules.betting.big_blind} {rules.currency}, rake {rules.rake.bp} hundredths of a percent"
            detail += f" ({rules.rake.mode})"
            yield Finding(Kind.OPENED_ALONE, event.stream, detail, event.version)
        case NoticeGiven(by="house"):
            yield Finding(Kind.STANDS, event.stream, body.text, event.version)
        case EverybodyAway():  # pt-810-2015: the house plays all stacks, for as long as nobody looks
            detail = f"nobody of the {body.left} who are left decides any more: the house plays all stacks"
            yield Finding(Kind.STANDS, event.stream, detail, event.version)
        case BankAlarmRaised():
            detail = f"the bank of {body.bank} {body.currency} faces {body.exposure}: the table closes after the round"
            yield Finding(Kind.BANK_ALARM, event.stream, detail, event.version)
        case MessageWithheld() | MessageBlocked() if body.names_cards:
            # pt-811-2015 11.d: cards named while a hand runs. What was written is sealed and not repeated here. One
            # finding for each round and player, which counts up: nobody buries the others under their own.
            verdict = "withheld" if isinstance(body, MessageWithheld) else "blocked"
            detail = f"{body.player} named cards while round {body.round} ran; the message was {verdict}"
            yield Finding(Kind.CHAT_DURING_HAND, event.stream, detail)


async def _load(connection: Connection, keys: set[Key], marks: Marks | None) -> tuple[dict[Key, _Held], list[Finding]]:
    """States, and what is wrong with others: of a row that somebody else has written nothing goes on, and it is told.

    A sitting or fee is told of in two streams, whose events two processes may read: its row is there and locked, in the
    order of names. Any other state is one stream's.
    """
    rows = await connection.fetch(
        f"""select {STATES.columns} from check_states
           join unnest($1::text[], $2::text[]) as wanted (check_name, stream) using (check_name, stream)
            where check_name <> all($3)""",
        [check for check, _ in keys],
        [stream for _, stream in keys],
        list(_OF_TWO),
    )
    if of_two := sorted(key for key in keys if key[0] in _OF_TWO):
        fresh = [(*key, msgspec.json.encode(_STATES[key[0]]()).decode(), False, 0) for key in of_two]
        await write_rows(
            connection,
            """insert into check_states (check_name, stream, state, over, mark_version, mark)
               values ($1, $2, $3, $4, $5, $6) on conflict (check_name, stream) do nothing""",
            [(*row, STATES.mark(marks, *row)) for row in fresh],
        )
        rows += await connection.fetch(
            f"""select {STATES.columns} from check_states
                 where (check_name, stream) in (select * from unnest($1::text[], $2::text[]))
                 order by check_name, stream for update""",
            *zip(*of_two, strict=True),
        )
    held = {key: _Held(_STATES[key[0]](), 0) for key in keys}
    findings = []
    for row in rows:
        key = row["check_name"], row["stream"]
        why = STATES.why_not(marks, row)
        if why is None:
            held[key] = _Held(msgspec.json.decode(row["state"], type=_STATES[key[0]]), row["mark_version"] or 0)
        else:
            del held[key]
            findings.append(STATES.finding(row, why))
    return held, findings


async def _save(connection: Connection, held: dict[Key, _Held], marks: Marks | None) -> None:
    kept = []
    for key, each in held.items():
        if isinstance(each.state, Account):
            each.state.references.clear()  # grows for ever; the decider keeps it, and the full walk checks it
            keep_latest_top_ups(each.state, MOST_TOP_UPS)
        if isinstance(each.state, TournamentMoney) and len(each.state.credits) > MOST_CREDITS:
            each.state.credits.clear()  # likewise: what counts twice far apart is for the full walk to find
        if isinstance(each.state, TournamentMoney) and len(each.state.story.holders) > MOST_CREDITS:
            each.state.story.forget()
        over = isinstance(each.state, Sitting) and is_over(each.state)
        over |= isinstance(each.state, Fee) and is_answered(each.state)
        over |= isinstance(each.state, Passage) and each.state.left == each.state.came
        over |= isinstance(each.state, Request) and each.state.answered
        row = (*key, msgspec.json.encode(each.state).decode(), over, each.version + 1)
        kept.append((*row, STATES.mark(marks, *row)))
    await write_rows(
        connection,
        """insert into check_states (check_name, stream, state, over, mark_version, mark)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (check_name, stream) do update set state = excluded.state, over = excluded.over,
               mark_version = excluded.mark_version, mark = excluded.mark""",
        kept,
    )


def _now() -> int:
    return int(time.time() * 1000)
