"""The doors of the house: every wish that players, staff and the operator platform can send, in one list.

HTTP routes, the OpenAPI document, what the WebSocket takes of players and its AsyncAPI entries are made of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from libs.contracts import bank_commands as k
from libs.contracts import conduct_commands as c
from libs.contracts import draw_commands as d
from libs.contracts import live_commands as v
from libs.contracts import poker_commands as p
from libs.contracts import table_commands as t
from libs.contracts import tournament_ticket_commands as tk
from libs.contracts import tournaments_commands as tn
from libs.contracts import waiting_list_commands as wl
from libs.contracts import wallet_commands as w
from libs.contracts.commands import Command, TableCommand
from libs.contracts.registry import ALL_TABLE_COMMANDS, snake
from libs.contracts.schemas import schemas_of
from libs.identity.access import PLAYERS, Access
from services.gateway.app import wishes
from services.gateway.app.asked import Asked, fitting
from services.gateway.app.commands import Order

Who = Literal["player", "staff"]
"""A player, with a session; or the house: people with a role, platforms with a scope, as the command says."""


@dataclass(frozen=True)
class Door:
    """One wish: a command as it stands, or a wish of another shape that becomes one."""

    who: Who
    path: str
    """Below `/v1`. What stands in braces is the table or the player asked for, or a field of the command."""
    command: type[Command]
    summary: str
    minted: str | None = None
    """A field that gets an id of the gateway's own."""
    wish: type[wishes.Wish | Command] | None = None
    """What is sent in place of the command."""
    makes: Callable[[Asked, Any], tuple[str, Command]] | None = None
    """Stream and command of a wish."""
    filled: str = ""
    """A field that `makes` fills in."""
    operation: str = ""

    @cached_property
    def name(self) -> str:
        """Operation id over HTTP, `type` of the message over the WebSocket."""
        return self.operation or snake(self.command.__name__)

    @cached_property
    def in_path(self) -> tuple[str, ...]:
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @cached_property
    def access(self) -> Access:
        if self.who == "player":
            return PLAYERS
        return Access(roles=self.command.roles, scopes=(self.command.scope,) if self.command.scope else ())

    @property
    def body(self) -> type[wishes.Wish | Command]:
        return self.wish or self.command

    @cached_property
    def left_out(self) -> frozenset[str]:
        """Fields of `body` that nobody sends in it."""
        return frozenset(self.body.__struct_fields__) & {*self.in_path, self.minted or "", self.filled}

    def order(self, asked: Asked, key: str, body: Mapping[str, Any]) -> Order:
        """The wish as an order; `Problem` 404 for a table that there is not, 421 for one of another floor, 422 that
        names each field."""
        if self.command.service == "table" and (table := asked.path.get("table")) is not None:
            asked.gateway.floors.check(table)
        wish = fitting(self.body, body, asked.path, self.left_out, self.minted, asked.where)
        stream, command = self.makes(asked, wish) if self.makes else (asked.stream, wish)
        assert isinstance(command, Command)
        if command.service == "table":
            asked.gateway.floors.check(stream)  # of a table that is opened the body says the name
        session, started = (asked.session.id, asked.session.started) if asked.session else ("", None)
        claim = wishes.claim_of(command, wish)
        return Order(asked.by, key.lower(), stream, command, self.minted, session, started, claim)


_AT = "/tables/{table}"
_OF = "/players/{player}"
_IN = "/tournaments/{tournament}"

DOORS: tuple[Door, ...] = (
    Door("player", f"{_AT}/seats", t.TakeSeat, "Take a seat", "reservation"),
    Door("player", f"{_AT}/top-ups", t.RequestTopUp, "Top up", "top_up"),
    Door("player", f"{_AT}/sit-out", t.SitOut, "Sit out"),
    Door("player", f"{_AT}/sit-in", t.SitIn, "Sit in"),
    Door("player", f"{_AT}/leave", t.LeaveTable, "Leave the table"),
    Door("player", f"{_AT}/messages", c.SendMessage, "Write to the table", "message", wishes.Text, wishes.send_message),
    Door("player", f"{_AT}/waiting-list", wl.JoinWaitingList, "Wait for a seat", "entry"),
    Door("player", f"{_AT}/waiting-list/leave", wl.LeaveWaitingList, "Stop waiting"),
    Door("player", f"{_AT}/seat-change", wl.AskSeatChange, "Ask for another seat", "entry"),
    Door(
        "player", f"{_AT}/table-change", d.AskTableChange, "Ask for another table",
        wish=wishes.TableChange, makes=wishes.ask_table_change,
    ),
    Door("player", f"{_AT}/favours", c.AskFavour, "Ask for what is not granted"),
    Door("player", f"{_AT}/tips", c.TipDealer, "Tip"),
    Door("player", f"{_AT}/variant", p.ChooseVariant, "Choose the variant"),
    Door("player", f"{_AT}/disputes", p.OpenDispute, "Dispute a hand"),
    Door("player", f"{_AT}/acts", p.Act, "Act"),
    Door("player", f"{_AT}/presence", v.StatePresence, "Say whether you sit at the dealer's table"),
    *(Door("player", _AT + own.path, own, own.summary) for own in ALL_TABLE_COMMANDS if own.path),
    Door("player", f"{_AT}/deal", k.DealRound, "Start the deal"),
    Door(
        "player", f"{_IN}/register", tn.RegisterPlayer, "Register for a tournament", "entry",
        makes=wishes.at_the_price("entry"), filled="price",
    ),
    Door("player", f"{_IN}/unregister", tn.UnregisterPlayer, "Take a registration back"),
    Door("player", f"{_IN}/tickets/{{ticket}}/convert", tk.ConvertTicket, "Turn a spare ticket into money"),
    Door(
        "player", f"{_IN}/rebuy", tn.RequestRebuy, "Rebuy", "payment",
        makes=wishes.at_the_price("rebuy"), filled="price",
    ),
    Door(
        "player", f"{_IN}/add-on", tn.RequestAddOn, "Take the add-on", "payment",
        makes=wishes.at_the_price("add_on"), filled="price",
    ),
    Door("player", f"{_IN}/decline-rebuy", tn.DeclineRebuy, "Go without a rebuy"),
    Door("player", f"{_IN}/language", tn.ChooseLanguage, "Choose the language of a tournament's rules"),
    Door("player", f"{_IN}/complaints", tn.OpenComplaint, "Complain", "complaint"),
    Door("staff", f"{_OF}/accounts", w.OpenAccount, "Open an account", makes=wishes.open_account),
    Door("staff", f"{_OF}/deposits", w.DepositFunds, "Deposit", wish=wishes.Movement, makes=wishes.deposit),
    Door("staff", f"{_OF}/withdrawals", w.WithdrawFunds, "Withdraw", wish=wishes.Withdrawal, makes=wishes.withdraw),
    Door(
        "staff", f"{_OF}/cash/approve", w.ApproveCash, "Approve a deposit or withdrawal that waits",
        wish=wishes.CashApproval, makes=wishes.approve_cash,
    ),
    Door(
        "staff", f"{_OF}/cash/decline", w.DeclineCash, "Decline a deposit or withdrawal that waits",
        wish=wishes.CashRefusal, makes=wishes.decline_cash,
    ),
    Door(
        "staff", f"{_OF}/signals", w.ReportSignal, "Report a signal",
        wish=wishes.Signal, makes=wishes.report_signal,
    ),
    Door("staff", "/tables", t.OpenTable, "Open a table", wish=wishes.NewTable, makes=wishes.open_table),
    Door("staff", f"{_AT}/configuration", t.ChangeConfiguration, "Change a table's rules"),
    Door("staff", f"{_AT}/configuration/{{version}}/approve", t.ApproveConfiguration, "Approve a table's new rules"),
    Door("staff", f"{_AT}/configuration/{{version}}/decline", t.DeclineConfiguration, "Decline a table's new rules"),
    Door("staff", f"{_AT}/pause", t.PauseTable, "Pause a table"),
    Door("staff", f"{_AT}/resume", t.ResumeTable, "Resume a table"),
    Door("staff", f"{_AT}/close", t.CloseTable, "Close a table"),
    Door("staff", f"{_AT}/players/{{player}}/remove", t.RemovePlayer, "Remove a player"),
    Door("staff", f"{_AT}/hands/{{hand}}/void", p.VoidHand, "Void a hand"),
    Door("staff", f"{_AT}/hands/{{hand}}/correct", p.CorrectDeal, "Correct a deal"),
    Door("staff", f"{_AT}/rounds/{{round}}/void", k.VoidRound, "Void a round"),
    Door("staff", f"{_AT}/bank/changes", k.RequestBankChange, "Ask for a bank top-up or drop"),
    Door("staff", f"{_AT}/bank/changes/{{change}}/approve", k.ApproveBankChange, "Approve a bank change"),
    Door("staff", f"{_AT}/bank/changes/{{change}}/decline", k.DeclineBankChange, "Decline a bank change"),
    Door("staff", f"{_AT}/warnings", c.WarnPlayer, "Warn a player"),
    Door("staff", f"{_AT}/mutes", c.MutePlayer, "Mute a player"),
    Door("staff", f"{_AT}/seat-draw", d.DrawSeats, "Draw seats"),
    Door("staff", f"{_AT}/table-draw", d.DrawTables, "Draw tables", makes=wishes.draw_tables),
    Door("staff", f"{_AT}/disputes/resolve", p.ResolveDispute, "Resolve a dispute"),
    Door("staff", f"{_AT}/live/dealer", v.AssignDealer, "Say who deals"),
    Door("staff", f"{_AT}/live/decks/inspect", v.InspectDeck, "Lay a deck open"),
    Door("staff", f"{_AT}/live/decks/check", v.CheckDeck, "Count a deck"),
    Door("staff", f"{_AT}/live/decks/shuffle", v.ShuffleDeck, "Shuffle a deck"),
    Door("staff", f"{_AT}/live/decks/damaged", v.MarkDeckDamaged, "Report a damaged deck"),
    Door("staff", f"{_AT}/live/decks/replace", v.ReplaceDeck, "Replace a deck"),
    Door("staff", f"{_AT}/live/deal", v.DealHand, "Begin a hand"),
    Door("staff", f"{_AT}/live/scans", v.ScanCard, "Scan a card", wish=wishes.Scan, makes=wishes.scan_card),
    Door("staff", f"{_AT}/live/posts", v.RecordPost, "Record a blind that was missing"),
    Door("staff", f"{_AT}/live/acts", p.Act, "Enter what a player said", operation="enter_act"),
    Door("staff", f"{_AT}/live/pass", v.PassTurn, "Pass a seat"),
    Door(
        "staff", f"{_AT}/live/incidents", v.RecordIncident, "Record an incident",
        wish=wishes.Report, makes=wishes.record_incident,
    ),
    Door("staff", f"{_AT}/live/decisions", v.DecideIncident, "Decide an incident"),
    Door("staff", f"{_AT}/live/deliver", v.DeliverPot, "Deliver the pot"),
    Door("staff", f"{_AT}/live/cancel", p.CancelAct, "Ask for an act to be cancelled"),
    Door(
        "staff", "/tournaments", tn.ProposeTournament, "Propose a tournament",
        wish=wishes.NewTournament, makes=wishes.propose_tournament,
    ),
    Door("staff", f"{_IN}/approve", tn.ApproveTournament, "Approve a tournament", makes=wishes.approve_tournament),
    Door("staff", f"{_IN}/decline", tn.DeclineTournament, "Decline a tournament"),
    Door("staff", f"{_IN}/players/{{player}}/exclude", tn.ExcludePlayer, "Exclude a player from gambling"),
    Door("staff", f"{_IN}/players/{{player}}/confirm-exclusion", tn.ConfirmExclusion, "Confirm an exclusion"),
    Door("staff", f"{_IN}/players/{{player}}/disqualify", tn.DisqualifyPlayer, "Disqualify a player"),
    Door("staff", f"{_IN}/players/{{player}}/release", tn.ReleasePrize, "Release a prize that was held"),
    Door("staff", f"{_IN}/players/{{player}}/finalize", tn.FinalizeDisqualification, "Make a disqualification final"),
    Door("staff", f"{_IN}/players/{{player}}/move", tn.MovePlayer, "Move a player to another table"),
    Door("staff", f"{_IN}/complaints/{{complaint}}/decide", tn.DecideComplaint, "Decide a complaint"),
    Door("staff", f"{_IN}/pause", tn.PauseTournament, "Pause a tournament"),
    Door("staff", f"{_IN}/resume", tn.ResumeTournament, "Resume a tournament"),
    Door("staff", f"{_IN}/clock", tn.AdjustClock, "Adjust a tournament's clock"),
    Door("staff", f"{_IN}/notices", tn.GiveNotice, "Say something to everybody"),
    Door("staff", f"{_IN}/cancellation", tn.ProposeCancellation, "Work out the refunds of a cancellation"),
    Door("staff", f"{_IN}/cancellation/confirm", tn.ConfirmCancellation, "Cancel a tournament"),
    Door("staff", f"{_IN}/cancellation/decline", tn.DeclineCancellation, "Let a refund sheet go"),
)  # fmt: skip

PLAYERS_DOORS: Mapping[str, Door] = {
    door.name: door for door in DOORS if door.who == "player" and issubclass(door.command, TableCommand)
}
"""What the WebSocket takes, by `type`: orders at tables. For tournaments one registers over HTTP."""


@cache
def body_schemas() -> dict[str, Any]:
    """What is sent through each door: the command or wish without the fields that come by the path or the gateway."""
    schemas = schemas_of({door.body for door in DOORS})
    for door in {door.body: door for door in DOORS}.values():
        schema = schemas[door.body.__name__]
        schema["properties"] = {name: said for name, said in schema["properties"].items() if name not in door.left_out}
        schema["required"] = [name for name in schema.get("required", ()) if name not in door.left_out]
        example = {name: value for name, value in door.body.example.items() if name not in door.left_out}
        schema["examples"] = [example]
    return schemas
