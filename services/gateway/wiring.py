"""The only place of the gateway where anything real is chosen."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from random import choice

import httpx

from libs.contracts.messages import Principal
from libs.contracts.topics import REPLIES, TABLE_PRIVATE, topic
from libs.edge.health import Check, inner_app
from libs.edge.serve import Ports, serving_both
from libs.edge.shares import Buckets, Share
from libs.identity.access import Caller, Session
from libs.identity.settings import callers_with, provider_client
from libs.journal.foreign import Foreign, noticed
from libs.journal.house import house_at
from libs.journal.kafka_log import KafkaLog
from libs.journal.mark_keys import marks_in
from libs.sealing.key_files import hex_key, secret_text
from libs.sealing.secret import SecretBytes
from libs.telemetry import get_logger
from services.gateway.app.commands import CommandDesk, IdempotencyKeys, Sender
from services.gateway.app.deposits import DailyDeposits
from services.gateway.app.doorkeeper import Doorkeeper
from services.gateway.app.floor import Floor
from services.gateway.app.floors import NO_FLOORS, Floors, floors_of
from services.gateway.app.gateway import Gateway, WalletReads
from services.gateway.app.sessions import Sessions
from services.gateway.app.standing import Standing
from services.gateway.app.tournaments import Tournaments
from services.gateway.app.trail import ReadsTrail
from services.gateway.http.application import application
from services.gateway.kafka.hears import hear_events, hear_private_deals, hear_replies
from services.gateway.kafka.keeps_views import KeepsViews
from services.gateway.kafka.reads_topic import TopicReader
from services.gateway.kafka.sends_commands import KafkaSender
from services.gateway.kafka.session_notices import BlocksKept, SessionNotices
from services.gateway.kafka.tells_lobby import TellsLobby
from services.gateway.settings import Settings
from services.gateway.ws.fan_out import FanOut
from services.gateway.ws.sockets import Sockets

_log = get_logger(__name__)


def gateway_with(
    settings: Settings,
    sender: Sender,
    wallet: httpx.AsyncClient,
    audit: httpx.AsyncClient | None,
    provider: httpx.AsyncClient,
    floors: Floors = NO_FLOORS,
) -> Gateway:
    """The gateway's parts around whatever sends commands, reads the wallet, keeps reads on record and asks the provider
    of logins for its keys."""
    fan_out = FanOut()
    desk = CommandDesk(
        sender,
        IdempotencyKeys(settings.idempotency_ms, settings.idempotency_records),
        {
            "table": settings.table_horizon_ms,
            "wallet": settings.wallet_horizon_ms,
            "tournament": settings.tournament_horizon_ms,
        },
        settings.reply_timeout_ms,
    )
    floor, books = Floor(fan_out), WalletReads(wallet)
    tournaments = Tournaments(tell=fan_out.tell_tournament)

    def buckets(kind: str, share: Share) -> Buckets:
        return Buckets(kind, share, time.monotonic)

    sessions = Sessions(secret_text(settings.session_key_file, at_least=32), settings.session_ms)
    callers = callers_with(settings, provider)
    gateway = Gateway(
        sessions=sessions,
        callers=callers,
        standing=Standing(settings.session_idle_ms, settings.session_ms, settings.one_place, callers.now),
        desk=desk,
        floor=floor,
        tournaments=tournaments,
        fan_out=fan_out,
        wallet=books,
        trail=ReadsTrail(audit),
        doorkeeper=Doorkeeper(
            desk,
            floor,
            books,
            players=buckets("player", settings.player_requests),
            operators=buckets("operator", settings.operator_requests),
            subscriptions=buckets("subscriptions", settings.subscriptions),
            tables=buckets("table", settings.table_commands),
            seats=buckets("seat", settings.seat_commands),
            wishes=buckets("wishes", settings.seat_wishes),
            presence=buckets("presence", settings.seat_presence),
            guests=buckets("guest", settings.guest_commands),
            strangers=buckets("strangers", settings.strangers_commands),
            entrants=buckets("entrants", settings.entrants_commands),
            entered=buckets("entered", settings.entered_commands),
            penniless=buckets("penniless", settings.penniless_commands),
            all_penniless=buckets("all_penniless", settings.all_penniless_commands),
            proposals=buckets("proposals", settings.proposals),
            deposits=DailyDeposits(callers.operators.daily),
            tournaments=tournaments,
        ),
        sockets=Sockets(settings.player_sockets),
        player_bytes=buckets("player_bytes", settings.player_bytes),
        connection_reports=buckets("connection_reports", settings.connection_reports),
        complaints=settings.complaints,
        key=SecretBytes(hex_key(settings.gateway_key_file)),
        floors=floors,
    )
    gateway.standing.now = lambda: gateway.now()
    callers.players = lambda token: _player(gateway.standing.use(sessions.check(token, gateway.now())))
    callers.glance = lambda token: _player(gateway.standing.check(sessions.check(token, gateway.now())))
    return gateway


def _player(session: Session) -> Caller:
    return Caller(Principal("player", session.player), session=session)


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Ports]:
    """The whole service until the block is left; yields its ports. A listener that fails takes the process along."""
    gateway_key = SecretBytes(hex_key(settings.gateway_key_file))
    prefix = settings.topic_prefix

    def on_foreign(foreign: Foreign) -> None:
        noticed(foreign)
        notices.foreign(foreign)

    marks = marks_in(settings.marks_file)
    log = KafkaLog(settings.broker, marks, client_id="croupier-gateway", on_foreign=on_foreign)
    of_house = (await house_at(log, prefix)).partitions
    floors = floors_of(settings.floor, settings.floors_file, of_house)
    own = floors.own if floors.are_on else frozenset(range(of_house))
    # One of the floor's own, so that no other floor reads what is for us; two gateways of a floor may take the same.
    reply_to = choice(sorted(own)) if floors.are_on else None  # noqa: S311  # no secret
    sender = KafkaSender(log, of_house, prefix, reply_to)
    replies = TopicReader(log, REPLIES, of_house, prefix, "end", None if reply_to is None else {reply_to})
    if floors.are_on:
        _log.info("this gateway serves a floor", partitions=sorted(own), replies=reply_to)
    events = TopicReader(log, topic("table", "events"), of_house, prefix, "beginning", own)
    deals = TopicReader(log, TABLE_PRIVATE, of_house, prefix, "beginning", own)
    tournaments = TopicReader(log, topic("tournament", "events"), of_house, prefix, "beginning")

    async with AsyncExitStack() as stack:
        proof = {"authorization": f"Bearer {secret_text(settings.wallet_token_file)}"}
        reading = httpx.AsyncClient(base_url=settings.wallet_url, headers=proof, timeout=5.0)
        wallet = await stack.enter_async_context(reading)
        audit = None
        if settings.audit_url is not None:
            asking = httpx.AsyncClient(base_url=settings.audit_url, headers=proof, timeout=5.0)
            audit = await stack.enter_async_context(asking)
        kept = BlocksKept(audit, marks).page if audit is not None else None
        provider = await stack.enter_async_context(provider_client())
        gateway = gateway_with(settings, sender, wallet, audit, provider, floors)
        notices = SessionNotices(log, of_house, prefix, gateway.standing)
        floor_kept = KeepsViews(log, own, prefix, "table", gateway.floor.tables)
        tournaments_kept = KeepsViews(log, range(of_house), prefix, "tournament", gateway.tournaments)
        lobby = TellsLobby(log, floors, prefix, gateway.floor.tables, gateway.elsewhere) if floors.are_on else None
        for part in (sender, replies, notices, *((lobby.reader,) if lobby else ())):
            await part.start()
            stack.push_async_callback(part.stop)
        for reader, views in ((events, floor_kept), (tournaments, tournaments_kept)):
            await reader.start(await views.restore())
            stack.push_async_callback(reader.stop)

        async def hear_deals() -> None:
            await events.catch_up()
            await hear_private_deals(deals, gateway.floor, gateway_key, of_house, time.time_ns() // 1_000_000)

        past = (events, deals, notices.reader, tournaments)
        waits_for = (*past, lobby.reader) if lobby else past
        app = application(gateway, lambda: all(reader.caught_up for reader in waits_for), settings.docs)
        standing = {"tables": gateway.floor.told, "tournaments": gateway.tournaments.told, "floors": floors.told}
        inner = inner_app(
            {**readiness(sender, *past, lobby.reader if lobby else None), "broker": log.why_silent}, standing
        )
        async with asyncio.TaskGroup() as listeners:
            tasks = [
                listeners.create_task(hear_replies(replies, gateway.desk)),
                listeners.create_task(hear_events(events, gateway.floor, floor_kept.heard)),
                listeners.create_task(hear_events(tournaments, gateway.tournaments, tournaments_kept.heard)),
                listeners.create_task(floor_kept.run(events)),
                listeners.create_task(tournaments_kept.run(tournaments)),
                listeners.create_task(hear_deals()),
                listeners.create_task(notices.hear()),
                listeners.create_task(notices.keep()),
                listeners.create_task(notices.restore(kept)),
                listeners.create_task(notices.forget()),
                listeners.create_task(gateway.standing.watch()),
                *((listeners.create_task(each) for each in (lobby.hear(), lobby.run(events))) if lobby else ()),
            ]
            moving = partial(gateway.sockets.move, settings.reconnect_url)
            async with serving_both(app, inner, settings, moving) as ports:
                yield ports
            for task in tasks:
                task.cancel()


def readiness(
    sender: KafkaSender,
    events: TopicReader,
    deals: TopicReader,
    sessions: TopicReader,
    tournaments: TopicReader,
    lobby: TopicReader | None = None,
) -> Mapping[str, Check]:
    """What must hold before a player is sent here."""
    return {
        "commands": sender.why_not_ready,
        "views": lambda: None if events.caught_up else "still reading the public events",
        "cards": lambda: None if deals.caught_up else "still reading the private deals",
        "sessions": lambda: None if sessions.caught_up else "still reading which sessions are over",
        "tournaments": lambda: None if tournaments.caught_up else "still reading the tournaments' events",
        "lobby": lambda: None if lobby is None or lobby.caught_up else "still reading the lobby of other floors",
    }
