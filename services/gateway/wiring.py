"""The only place of the gateway where anything real is chosen."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

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
from services.gateway.app.commands import CommandDesk, IdempotencyKeys, Sender
from services.gateway.app.deposits import DailyDeposits
from services.gateway.app.doorkeeper import Doorkeeper
from services.gateway.app.floor import Floor
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
from services.gateway.settings import Settings
from services.gateway.ws.fan_out import FanOut
from services.gateway.ws.sockets import Sockets


def gateway_with(
    settings: Settings,
    sender: Sender,
    wallet: httpx.AsyncClient,
    audit: httpx.AsyncClient | None,
    provider: httpx.AsyncClient,
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
        complaints=settings.complaints,
        key=SecretBytes(hex_key(settings.gateway_key_file)),
    )
    gateway.standing.now = lambda: gateway.now()
    callers.players = lambda token: _player(gateway.standing.use(sessions.check(token, gateway.now())))
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
    sender = KafkaSender(log, of_house, prefix)
    replies = TopicReader(log, REPLIES, of_house, prefix, "end")
    events = TopicReader(log, topic("table", "events"), of_house, prefix, "beginning")
    deals = TopicReader(log, TABLE_PRIVATE, of_house, prefix, "beginning")
    tournaments = TopicReader(log, topic("tournament", "events"), of_house, prefix, "beginning")

    async with AsyncExitStack() as stack:
        own = {"authorization": f"Bearer {secret_text(settings.wallet_token_file)}"}
        reading = httpx.AsyncClient(base_url=settings.wallet_url, headers=own, timeout=5.0)
        wallet = await stack.enter_async_context(reading)
        audit = None
        if settings.audit_url is not None:
            asking = httpx.AsyncClient(base_url=settings.audit_url, headers=own, timeout=5.0)
            audit = await stack.enter_async_context(asking)
        kept = BlocksKept(audit, marks).holding if audit is not None else None
        provider = await stack.enter_async_context(provider_client())
        gateway = gateway_with(settings, sender, wallet, audit, provider)
        notices = SessionNotices(log, of_house, prefix, gateway.standing)
        floor_kept = KeepsViews(log, of_house, prefix, "table", gateway.floor.tables)
        tournaments_kept = KeepsViews(log, of_house, prefix, "tournament", gateway.tournaments)
        for part in (sender, replies, deals, notices):
            await part.start()
            stack.push_async_callback(part.stop)
        for reader, views in ((events, floor_kept), (tournaments, tournaments_kept)):
            await reader.start(await views.restore())
            stack.push_async_callback(reader.stop)

        async def hear_deals() -> None:
            await events.catch_up()
            await hear_private_deals(deals, gateway.floor, gateway_key)

        past = (events, deals, notices.reader, tournaments)
        app = application(gateway, lambda: all(reader.caught_up for reader in past), settings.docs)
        standing = {"tables": gateway.floor.told, "tournaments": gateway.tournaments.told}
        inner = inner_app(readiness(sender, *past), standing)
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
) -> Mapping[str, Check]:
    """What must hold before a player is sent here."""
    return {
        "commands": sender.why_not_ready,
        "views": lambda: None if events.caught_up else "still reading the public events",
        "cards": lambda: None if deals.caught_up else "still reading the private deals",
        "sessions": lambda: None if sessions.caught_up else "still reading which sessions are over",
        "tournaments": lambda: None if tournaments.caught_up else "still reading the tournaments' events",
    }
