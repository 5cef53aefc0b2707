"""Users and rules of a cluster, made and taken away by a login that may."""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from aiokafka.client import AIOKafkaClient
from aiokafka.conn import create_conn
from aiokafka.errors import KafkaError, NoError, SaslAuthenticationFailed, for_code

from libs.broker import protocol, quotas
from libs.broker.broker import MECHANISM, Broker
from libs.broker.rules import READS, Operation, Resource, Rule
from libs.broker.users import LOCKED_ITERATIONS, NONE_SUCH, describe_users, users_in

ITERATIONS = 4_096
"""The least that the broker takes; enough for passwords that are 128 random bits, and a client pays for each."""
_PATIENCE = 400
_PAUSE_S = 0.025


_NO_FEATURE = "does not support this feature"
"""What a controller says that does not know it; Kafka has no code of its own for that."""


class Administration:
    """Every method raises `KafkaError`, and returns once every broker of the cluster knows, where it says nothing else.

    `SecurityDisabled` is the answer about rules of a broker that keeps none.
    """

    def __init__(self, client: AIOKafkaClient, broker: Broker) -> None:
        self._client = client
        self._broker = broker

    async def give(self, rules: Collection[Rule]) -> None:
        """What is in force already stays as it is."""
        if not rules:
            return
        answer = await self._ask(protocol.create_acls([_acl(rule) for rule in rules]))
        for code, message in answer.creation_responses:
            check(code, message)
        await self._until(lambda known: known.issuperset(rules), {rule.login for rule in rules})

    async def take(self, logins: Iterable[str] = (), names: Iterable[tuple[Resource, str]] = ()) -> None:
        """All rules of these logins, and all rules about what has exactly these names."""
        any_ = protocol.ANY
        filters: list[protocol.Acl] = [(any_, None, any_, f"User:{login}", None, any_, any_) for login in logins]
        filters += [(resource, name, any_, None, None, any_, any_) for resource, name in names]
        gone: set[Rule] = set()
        for code, message, found in (await self._ask(protocol.delete_acls(filters))).filter_responses:
            check(code, message)
            gone |= {_rule(kind, name, pattern, *of) for _, _, kind, name, pattern, *of in found}
        await self._until(gone.isdisjoint, {rule.login for rule in gone})

    async def rules(self, login: str | None = None, node: int | None = None) -> set[Rule]:
        """Those in force, of one login or of all."""
        any_ = protocol.ANY
        principal = None if login is None else f"User:{login}"
        answer = await self._ask(protocol.describe_acls((any_, None, any_, principal, None, any_, any_)), node)
        check(answer.error_code, answer.error_message)
        return {_rule(kind, name, pattern, *of) for kind, name, pattern, acls in answer.resources for of in acls}

    async def users(self, logins: Collection[str] = ()) -> dict[str, dict[str, int]]:
        """Login to mechanism to iterations of the passwords that the broker has, of these; with no name, of all."""
        answer = await self._ask(describe_users(logins))
        check(answer.error_code, answer.error_message)
        for _, code, message, *_ in answer.results or ():
            if code != NONE_SUCH:
                check(code, message)
        return users_in(answer)

    async def set_passwords(
        self, passwords: Mapping[str, str], mechanism: str = MECHANISM, iterations: int = ITERATIONS
    ) -> None:
        """Makes the users that are not there. What goes over the line is salted and hashed. Brokers go by it a moment
        later: `passwords_hold` waits for that, once they are kept and nobody can be shut out by a fault."""
        made = [(name, iterations, *_salted(of, mechanism, iterations)) for name, of in passwords.items()]
        with _unlogged():
            answer = await self._ask(protocol.set_users(made, mechanism))
        for _, code, message, _ in answer.results:
            check(code, message)

    async def passwords_hold(self, passwords: Mapping[str, str], mechanism: str = MECHANISM) -> None:
        """Returns once each opens every broker that answers by the listener that this login came by. One for the
        mechanism of another listener may need a moment more: where that one listens is not known here.

        Brokers tell of a password no more than its iterations: who wants to know whether it holds logs in by it.
        """
        if mechanism != self._broker.mechanism or self._broker.user is None:
            return
        for login, password in passwords.items():
            own = self._broker.security() | {"sasl_plain_username": login, "sasl_plain_password": password}
            for node in self._client.cluster.brokers():
                await self._opens(node.host, node.port, login, own)

    async def _opens(self, host: str, port: int, login: str, own: Mapping[str, Any]) -> None:
        for _ in range(_PATIENCE):
            try:
                connection = await create_conn(host, port, client_id="croupier-administration", **own)
            except SaslAuthenticationFailed:
                await asyncio.sleep(_PAUSE_S)
            except (KafkaError, OSError, TimeoutError):
                return  # it is away, and goes by what it reads as it comes back
            else:
                connection.close()
                return
        raise KafkaError(f"the broker took the password of {login} and does not go by it")

    async def limit(self, user: str, percent: float) -> None:
        """The broker answers this user so late that no more than this of one of its threads is spent on it."""
        await self._set_quotas({user: {quotas.REQUEST_SHARE: percent}})

    async def limit_writes(self, rates: Mapping[str, float]) -> None:
        """User to bytes a second that each broker takes of it, averaged over some seconds: more is answered late.

        Returns once one broker shows it.
        """
        if not rates:
            return
        await self._set_quotas({user: {quotas.WRITE_RATE: rate} for user, rate in rates.items()})
        for _ in range(_PATIENCE):
            if rates.items() <= (await self.write_rates()).items():
                return
            await asyncio.sleep(_PAUSE_S)
        raise KafkaError("the broker took the rates and does not show them")

    async def write_rates(self) -> dict[str, float]:
        """Those in force, by user."""
        answer = await self._ask(quotas.describe_quotas())
        check(answer.error_code, answer.error_message)
        return quotas.quotas_in(answer, quotas.WRITE_RATE)

    async def free_reads(self, users: Iterable[str]) -> None:
        """Each has `READS` of its own, whatever is set for everybody."""
        await self._set_quotas(dict.fromkeys(users, READS))

    async def _set_quotas(self, values: Mapping[str, Mapping[str, float]]) -> None:
        for code, message, *_ in (await self._ask(quotas.set_quotas(values))).entries:
            check(code, message)

    async def set_topics(self, names: Collection[str], setting: str, value: str) -> None:
        """Sets one setting of topics, and leaves all others."""
        for code, message, *_ in (await self._ask(protocol.set_setting(names, setting, value))).responses:
            check(code, message)

    async def turn_off(self, features: Collection[str]) -> None:
        """Features of the cluster, by Kafka's names; from then on what belongs to them is answered as unknown. One that
        this broker does not have is off."""
        for each in features:
            answer = await self._ask(protocol.turn_off([each]))
            found = [(answer.error_code, answer.error_message), *((code, text) for _, code, text, _ in answer.results)]
            for code, message in found:
                if not any(said in (message or "") for said in (f"{each} not found", _NO_FEATURE)):
                    check(code, message)

    async def lock_out(self, users: Iterable[str], mechanism: str = MECHANISM) -> None:
        """From now on nobody knows their password. They are not deleted, and must not be by other means.

        Kafka 4.3 forgets all users at its next start where the record of a deletion is in its log, if that user comes
        first in a hash table: `ScramDelta.apply` throws the mechanism away, and puts who follows into a lost map.
        """
        unknown = {user: secrets.token_hex(32) for user in users}
        await self.set_passwords(unknown, mechanism, LOCKED_ITERATIONS)
        await self.passwords_hold(unknown, mechanism)

    async def lock_others(self, logins: Mapping[str, str]) -> list[str]:
        """Each login comes by this one mechanism: whatever password the broker has of it for another one, nobody knows
        from now on, as in `lock_out`. Who had any."""
        if not logins:
            return []
        had = {each: kept.keys() - {logins[each]} for each, kept in (await self.users(list(logins))).items()}
        for mechanism in {one for others in had.values() for one in others}:
            await self.lock_out([each for each, others in had.items() if mechanism in others], mechanism)
        return sorted(each for each, others in had.items() if others)

    async def _until(self, holds: Any, logins: Collection[str]) -> None:
        """The answer to a change comes before the brokers go by it."""
        one = next(iter(logins)) if len(logins) == 1 else None
        for node in [each.nodeId for each in self._client.cluster.brokers()]:
            for _ in range(_PATIENCE):
                if holds(await self.rules(one, node)):
                    break
                await asyncio.sleep(_PAUSE_S)
            else:
                raise KafkaError("the broker took the rules and does not show them")

    async def _ask(self, request: protocol.Ready, node: int | None = None) -> Any:
        return await self._client.send(self._client.get_random_node() if node is None else node, request)


@asynccontextmanager
async def administering(broker: Broker) -> AsyncIterator[Administration]:
    """Raises `KafkaError` where no broker answers or the login is refused."""
    client = AIOKafkaClient(**broker.options(), client_id="croupier-administration")
    try:
        await client.bootstrap()
        yield Administration(client, broker)
    finally:
        await client.close()


def _acl(rule: Rule) -> protocol.Acl:
    pattern = protocol.PREFIXED if rule.prefixed else protocol.LITERAL
    return (rule.resource, rule.name, pattern, f"User:{rule.login}", "*", rule.operation, protocol.ALLOW)


def _rule(kind: int, name: str, pattern: int, principal: str, host: str, operation: int, permission: int) -> Rule:
    return Rule(
        principal.removeprefix("User:"), Operation(operation), Resource(kind), name, pattern == protocol.PREFIXED
    )


def _salted(password: str, mechanism: str, iterations: int) -> tuple[bytes, bytes]:
    salt, digest = secrets.token_bytes(16), mechanism.removeprefix("SCRAM-").replace("-", "").lower()
    return salt, hashlib.pbkdf2_hmac(digest, password.encode(), salt, iterations)


def check(code: int, message: str | None) -> None:
    """Raises the `KafkaError` that a broker's code stands for; the code of none raises nothing."""
    kind = for_code(code)
    if kind is not NoError:
        raise kind(message or "")


@contextmanager
def _unlogged() -> Iterator[None]:
    """At DEBUG the client logs requests whole, salted passwords included."""
    logger = logging.getLogger("aiokafka")
    before = logger.level
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(before)
