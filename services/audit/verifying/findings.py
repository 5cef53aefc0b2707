"""A finding: one thing that does not agree, and where it stands in the log."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

Severity = Literal["critical", "major", "minor"]


class Kind(StrEnum):
    """What can be wrong. Closed: a new kind gets its severity below, and a runbook."""

    FOREIGN = "foreign_record"
    COMMAND = "commit_without_command"
    ANSWER = "answer_without_commit"
    UNDECODABLE = "undecodable"
    WRONG_PARTITION = "wrong_partition"
    CHAIN_BROKEN = "chain_broken"
    VERSION_BROKEN = "version_broken"
    REWRITTEN = "log_rewritten"
    TOPIC = "topic_differs"
    CHECKPOINT = "checkpoint_not_in_log"
    DECK_UNREADABLE = "deck_unreadable"
    DECK_ROOT = "deck_root_differs"
    CARD_NOT_IN_DECK = "card_not_in_deck"
    CARD_PROOF = "card_proof_fails"
    DEAL_ORDER = "deal_order_differs"
    ROUND_RESULT = "round_result_differs"
    POT_RESULT = "pot_result_differs"
    RAKE = "rake_differs"
    CHIPS = "chips_not_conserved"
    NEGATIVE = "negative_amount"
    HAND_ORDER = "hand_order_broken"
    ACCOUNT = "account_not_balanced"
    RESERVE = "reserve_does_not_match"
    RESERVE_OPEN = "reserve_never_ended"
    FEE_OPEN = "fee_never_charged"
    FEE = "fee_does_not_match"
    PUBLICATION = "publication_differs"
    LEDGER_SUM = "ledger_sum_not_zero"
    LEDGER_FOREIGN = "ledger_written_by_hand"
    HISTORY = "history_written_by_hand"
    HISTORY_UNREADABLE = "history_unreadable"
    EVIDENCE = "evidence_written_by_hand"
    NOT_ARCHIVED = "month_not_archived"
    ARCHIVED = "month_archived"
    LEDGER_AHEAD = "ledger_ahead_of_log"
    PROJECTION_GAP = "projection_gap"
    PARKED = "record_parked"
    SET_ASIDE = "stream_set_aside"
    SNAPSHOT = "snapshot_differs"
    ENTROPY = "entropy_unhealthy"
    BANK_ALARM = "bank_alarm"
    FORBIDDEN_PROGRAM = "forbidden_program"
    SHARED_BY_MANY = "signal_shared_by_many"
    MANY_SIGNALS = "many_signals_by_one"
    CHAT_DURING_HAND = "chat_during_hand"
    READS = "trail_of_reads_broken"
    POSITION = "position_moved"
    LIVE_VOID = "hand_void_by_incident"
    TAKEN_OUT = "hand_taken_out"
    ENTERED = "act_entered"
    MISDEALS = "dealer_voids_often"
    TURNED = "dealer_turns_cards_often"
    FACE_UP = "stub_cards_face_up_often"
    FACE_UP_NEXT = "next_card_face_up"
    SHOWN = "hole_cards_shown_by_dealer"
    UNPOSTED = "dealt_without_blinds_often"
    DEALERS = "dealer_changed_often"
    PUSHED = "pot_pushed_against_the_cards"
    EXPOSED = "board_cards_exposed_early"
    OPENED_ALONE = "table_opened_alone"
    PAUSED = "table_paused_often"
    BLOCKED = "house_block_set"
    UNBLOCKED = "house_block_lifted"
    SESSIONS_ENDED = "sessions_ended_by_house"
    STANDS = "tournament_stands"
    NOT_ANNOUNCED = "tournament_not_announced"
    PROMISED = "promised_too_much"
    CASH = "cash_above_bound"
    PUT_OUT = "put_out_by_one"
    BARRED = "barred_in_a_hand"
    DIRECTED = "tournament_directed_often"
    NOT_DECIDED = "command_not_decided"
    GROUP_OFFSET = "group_offset_differs"
    STRANGERS = "group_has_strangers"
    LOGIN_SETTINGS = "login_has_settings"
    DATABASE_STRANGERS = "database_has_strangers"
    BROKER_STRANGERS = "broker_has_strangers"
    DATABASE_HELD = "database_is_held"
    TRANSACTION_IDS = "transaction_ids_run_out"
    PASSED_OVER = "tellings_passed_over"
    NOT_READ = "records_not_read"


SEVERITY: Final[Mapping[Kind, Severity]] = {
    **dict.fromkeys(Kind, "critical"),
    Kind.WRONG_PARTITION: "major",
    Kind.RESERVE_OPEN: "major",
    Kind.FEE_OPEN: "major",
    Kind.PROJECTION_GAP: "major",
    Kind.BANK_ALARM: "major",
    Kind.HISTORY_UNREADABLE: "major",
    Kind.ARCHIVED: "minor",
    Kind.PARKED: "minor",
    Kind.FORBIDDEN_PROGRAM: "major",
    Kind.SHARED_BY_MANY: "major",
    Kind.MANY_SIGNALS: "major",
    Kind.CHAT_DURING_HAND: "minor",
    Kind.LIVE_VOID: "minor",
    Kind.TAKEN_OUT: "minor",
    Kind.ENTERED: "minor",
    Kind.MISDEALS: "minor",
    Kind.TURNED: "minor",
    Kind.FACE_UP: "minor",
    Kind.FACE_UP_NEXT: "minor",
    Kind.SHOWN: "minor",
    Kind.UNPOSTED: "minor",
    Kind.DEALERS: "minor",
    Kind.PUSHED: "major",
    Kind.EXPOSED: "minor",
    Kind.OPENED_ALONE: "minor",
    Kind.PAUSED: "minor",
    Kind.BLOCKED: "minor",
    Kind.UNBLOCKED: "minor",
    Kind.SESSIONS_ENDED: "minor",
    Kind.STANDS: "major",
    Kind.PROMISED: "major",
    Kind.CASH: "major",
    Kind.LOGIN_SETTINGS: "major",
    Kind.DATABASE_HELD: "major",
    Kind.PUT_OUT: "major",
    Kind.BARRED: "major",
    Kind.DIRECTED: "minor",
    Kind.NOT_READ: "major",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """`detail` is one sentence for people. It names amounts and positions, never a card or a key."""

    kind: Kind
    stream: str
    detail: str
    version: int | None = None
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None

    @property
    def severity(self) -> Severity:
        return SEVERITY[self.kind]

    @property
    def counts(self) -> bool:
        """Whether it is an alarm, which is met again for as long as it stands, and no place in a log or table."""
        return self.version is None and self.offset is None
