"""Whoever hears events of long ago once more asks the same of accounts, with the same time: nothing is paid twice, what
was never paid is, and what is too old for that the auditor tells."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.poker_events import SessionFeeDue
from libs.contracts.pool_events import Claim, CreditCovered
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.tournaments_events import PaymentDue
from libs.contracts.wallet_commands import AccountReason, Answering
from libs.contracts.wallet_events import TournamentCredited
from libs.journal.intake import Parked
from libs.journal.log import LogRecord
from libs.policies import Handler
from services.audit.verifying.findings import Kind
from services.audit.verifying.sittings import GRACE_MS
from services.audit.verifying.tournaments import Passage, check_passage, note_passages
from services.wallet.machine import decode_command
from services.wallet.policies.pools import LASTS_MS, TO_ACCOUNTS
from services.wallet.policies.reactions import REACTIONS, TO_TOURNAMENTS
from tests.contracts.samples import sample_facts
from tests.wallet.account.test_forgetting import DAY, T
from tests.wallet.account.test_forgetting_references import Player

CLAIM = Claim("entry-1.prize", "entry-1", "ann", "prize", "EUR", prize=5_000)
COVERED = CreditCovered(account="pool-cup", tournament="cup", player="ann", currency="EUR", claim=CLAIM)


def heard(fact: Fact, at: int, now: int, stream: str = "pool-cup") -> list[CommandMessage]:
    """What a new group asks at `now` that begins two years back."""
    sent: list[CommandMessage] = []
    event = PublicEvent(
        stream=stream, version=3, type=wire_name(type(fact)), time=at, causation="c", data=encode_fact(fact)[1]
    )

    async def send(command: CommandMessage, headers: Mapping[str, str]) -> None:
        sent.append(command)

    async def park(record: LogRecord, why: Parked) -> None:
        raise AssertionError(why)

    key, value, headers = to_record(event)
    handler = Handler({**REACTIONS, **TO_TOURNAMENTS, **TO_ACCOUNTS}, send, park, lasts_ms=LASTS_MS, now=lambda: now)
    asyncio.run(handler.handle(LogRecord(0, key, value, tuple(headers))))
    return sent


@pytest.mark.parametrize("kind", [CreditCovered, PaymentDue, SessionFeeDue], ids=lambda kind: kind.__name__)
def test_a_command_says_when_its_event_was_told_whenever_that_is_heard(kind: type[Fact]) -> None:
    fact = next(each for each in sample_facts() if isinstance(each, kind))
    first, again = heard(fact, T, T + 1_000)[0], heard(fact, T, T + 600 * DAY)[0]
    assert first.id != again.id
    assert first.body == again.body
    assert again.body["told_at"] == T
    assert isinstance(decode_command(again), Answering)


def test_a_new_group_that_begins_two_years_back_pays_nothing_twice() -> None:
    life = Player()
    [asked] = heard(COVERED, life.at, life.at + 1_000)
    paid = life.ask(decode_command(asked))
    assert isinstance(paid, list)
    assert isinstance(paid[0], TournamentCredited)
    for days, answer in ((300, []), (420, AccountReason.FORGOTTEN)):
        life.play(days)
        [again] = heard(COVERED, T, life.at)
        before = life.account
        assert life.ask(decode_command(again)) == answer
        assert life.account == before


def test_what_was_never_paid_and_is_too_old_is_told() -> None:
    life = Player()
    life.play(900)
    [asked] = heard(COVERED, T, life.at)
    assert life.ask(decode_command(asked)) == AccountReason.FORGOTTEN
    passages: dict[str, Passage] = {}
    assert list(note_passages(passages, _event(COVERED), COVERED)) == []
    [(name, passage)] = passages.items()
    [finding] = check_passage(name, passage, life.at, GRACE_MS)
    assert finding.kind is Kind.RESERVE_OPEN
    assert "entry-1.prize" in finding.detail


def _event(fact: Fact) -> PublicEvent:
    told: dict[str, Any] = {"stream": "pool-cup", "version": 1, "type": wire_name(type(fact)), "time": T}
    return PublicEvent(causation="c", data=encode_fact(fact)[1], **told)
