"""Which command of the floor is decided where."""

from collections.abc import Mapping

from services.table.domain.games.game import Handler
from services.table.domain.table.commands import Command
from services.table.domain.table.floor import commands as c
from services.table.domain.table.floor.chatting import send_message
from services.table.domain.table.floor.conduct import mute_player, warn_player
from services.table.domain.table.floor.draws import assign_places, draw_seats, draw_tables
from services.table.domain.table.floor.favours import ask_favour
from services.table.domain.table.floor.rooms import ask_table_change
from services.table.domain.table.floor.tipping import tip_dealer
from services.table.domain.table.floor.waiting import ask_seat_change, join_waiting_list, leave_waiting_list

FLOOR_COMMANDS: Mapping[type[Command], Handler] = {
    c.SendMessage: send_message,
    c.WarnPlayer: warn_player,
    c.MutePlayer: mute_player,
    c.JoinWaitingList: join_waiting_list,
    c.LeaveWaitingList: leave_waiting_list,
    c.AskSeatChange: ask_seat_change,
    c.DrawSeats: draw_seats,
    c.DrawTables: draw_tables,
    c.AssignPlaces: assign_places,
    c.AskTableChange: ask_table_change,
    c.AskFavour: ask_favour,
    c.TipDealer: tip_dealer,
}
