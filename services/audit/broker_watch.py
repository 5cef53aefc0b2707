"""Looks every now and then whether the broker lets in, and does for, whom the house says, and nobody else.

What an administrator of the broker once made (a user, a rule, a second password) outlives every change of a password.
"""

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from aiokafka.errors import SecurityDisabled

from libs.broker.administration import check
from libs.broker.protocol import describe_all_acls, describe_broker
from libs.broker.quotas import describe_all_quotas
from libs.broker.strangers import Seen, bounds_in, rules_in, settings_in, strangers
from libs.broker.users import describe_users, users_in
from libs.journal.kafka_log import KafkaLog
from libs.projecting import Part, Pool
from services.audit.incidents import record
from services.audit.supervisor import looking_at
from services.audit.verifying.findings import Finding, Kind

_SELDOM = 6
"""One look for so many of the auditor's others: where nothing else is set every half a minute, so that what two looks
show is told within a minute."""
MOST = 100
"""Told of one look; of more only that there are more."""
_MORE = Finding(
    Kind.BROKER_STRANGERS, "broker", f"more than {MOST} things at the broker are not as the house gives them"
)


class BrokerWatch:
    """`prefix` stands before the names in the table of topics. `further`: logins that may have whatever they have."""

    def __init__(
        self,
        log: KafkaLog,
        pool: Pool,
        prefix: str,
        further: Collection[str] = (),
        on_finding: Callable[[Finding], None] = lambda finding: None,
    ) -> None:
        self._cluster, self._marks = log.cluster, log.marks
        self._pool = pool
        self._prefix, self._further = prefix, further
        self._on_finding = on_finding
        self._before = set[Finding]()

    async def run(self, every_s: float, part: Part) -> None:
        """As `TopicWatch` does, and more seldom."""
        await looking_at(self._cluster, self.look, _SELDOM * every_s, part)

    async def look(self) -> list[Finding]:
        """What two looks in a row have shown, new or not: who is just being added or rotated is none of it.

        Raises `KafkaError` where it may not look.
        """
        seen = await self._seen()
        found = [Finding(Kind.BROKER_STRANGERS, *each) for each in strangers(seen, self._prefix, self._further)]
        both = [each for each in found if each in self._before]
        self._before = set(found)
        told = [*both[:MOST], _MORE] if len(both) > MOST else both
        if told:
            await self._write(told)
        return told

    async def _seen(self) -> Seen:
        users = await self._ask(describe_users())
        bounds = await self._ask(describe_all_quotas())
        settings = [
            settings_in(_checked_all(await self._cluster.call(node, "ask", describe_broker(node))))
            for node in self._cluster.nodes()
        ]
        try:
            rules = rules_in(await self._ask(describe_all_acls()))
        except SecurityDisabled:
            rules = None
        return Seen(users_in(users), rules, bounds_in(bounds), frozenset().union(*settings))

    async def _ask(self, request: Any) -> Any:
        answer = await self._cluster.anywhere(request)
        check(answer.error_code, answer.error_message)
        return answer

    async def _write(self, found: Sequence[Finding]) -> None:
        async with self._pool.acquire() as connection, connection.transaction():
            new = await record(connection, found, int(time.time() * 1000), self._marks)
        for finding in new:
            self._on_finding(finding)


def _checked_all(answer: Any) -> Any:
    for code, message, *_ in answer.resources:
        check(code, message)
    return answer
