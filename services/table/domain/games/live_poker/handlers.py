"""Which command of a live table is decided where."""

from collections.abc import Mapping

from services.table.domain.games.game import Handler
from services.table.domain.games.live_poker import commands as c
from services.table.domain.games.live_poker.dealing import deal_hand, pass_turn, record_post
from services.table.domain.games.live_poker.deciding import decide_incident
from services.table.domain.games.live_poker.delivering import cancel_act, deliver_pot, resolve_dispute
from services.table.domain.games.live_poker.incidents import record_incident
from services.table.domain.games.live_poker.preparing import (
    assign_dealer,
    check_deck,
    inspect_deck,
    mark_deck_damaged,
    replace_deck,
    shuffle_deck,
)
from services.table.domain.games.live_poker.scanning import scan_card
from services.table.domain.games.poker.commands import CancelAct, ResolveDispute
from services.table.domain.table.commands import Command

LIVE_COMMANDS: Mapping[type[Command], Handler] = {
    c.AssignDealer: assign_dealer,
    c.InspectDeck: inspect_deck,
    c.CheckDeck: check_deck,
    c.ShuffleDeck: shuffle_deck,
    c.MarkDeckDamaged: mark_deck_damaged,
    c.ReplaceDeck: replace_deck,
    c.DealHand: deal_hand,
    c.ScanCard: scan_card,
    c.RecordPost: record_post,
    c.PassTurn: pass_turn,
    c.RecordIncident: record_incident,
    c.DecideIncident: decide_incident,
    c.DeliverPot: deliver_pot,
    CancelAct: cancel_act,
    ResolveDispute: resolve_dispute,
}
