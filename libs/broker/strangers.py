"""What a broker lets somebody do that the house has not given, and what of the house's own is gone. Pure.

Users, rules and bounds outlive every change of a password: whoever had the administrator's once leaves some behind.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from libs.broker.broker import MECHANISM
from libs.broker.protocol import ALLOW, LITERAL, PREFIXED
from libs.broker.quotas import REQUEST_SHARE, WRITE_RATE
from libs.broker.rules import (
    ADMIN,
    LEAST_WRITES,
    NAMESPACE,
    NODE,
    READS,
    REQUEST_PERCENT,
    Operation,
    Resource,
    Rule,
    house_rules,
    is_platform,
    platform_rules,
    readers,
    services,
    write_rates,
)
from libs.broker.users import LOCKED_ITERATIONS
from libs.contracts.groups import GROUPS
from libs.contracts.texts import is_clean
from libs.contracts.topics import INSPECTOR, PLATFORM

_EVERYWHERE = "*"
_EVERYBODY = "of everybody who has none of its own"
_MOST_CHARACTERS = 200
_DYNAMIC = (2, 3)
"""Kafka's numbers for a setting that one broker, or all, were given while they ran: it outlives every start."""
_FILED = (4, 5)
"""Of one in a broker's file, and of one in neither."""
_LETS_IN = ("sasl.", "super.users", "principal.builder", "authorizer.")
"""In the name of a setting that says who comes in as whom."""
_LISTENS = ("listeners", "listener.security.protocol.map", "allow.everyone.if.no.acl.found")


class Said(NamedTuple):
    """A rule as the broker keeps it."""

    resource: int
    name: str
    pattern: int
    principal: str
    host: str
    operation: int
    permission: int


class Bound(NamedTuple):
    """Of whom, by kind (`user`, `client-id`, `ip`) and name (None: of whoever has no bound of its own), and how much
    of what."""

    entity: tuple[tuple[str, str | None], ...]
    values: Mapping[str, float]


class Seen(NamedTuple):
    """What a broker says of itself."""

    users: Mapping[str, Mapping[str, int]]
    """Login to mechanism to iterations."""
    rules: frozenset[Said] | None
    """None: it keeps none, and lets everybody do everything."""
    bounds: tuple[Bound, ...]
    settings: frozenset[str] = frozenset()
    """Names of those that brokers were given while they ran, and that their files do not say."""


def rules_in(answer: Any) -> frozenset[Said]:
    """Of the answer to `protocol.describe_acls`."""
    return frozenset(Said(kind, name, pattern, *of) for kind, name, pattern, acls in answer.resources for of in acls)


def bounds_in(answer: Any) -> tuple[Bound, ...]:
    """Of the answer to `quotas.describe_all_quotas`."""
    return tuple(
        Bound(
            tuple(sorted(((kind, name) for kind, name, _ in entity), key=lambda each: each[0])),
            {key: value for key, value, _ in values},
        )
        for entity, values, _ in answer.entries or ()
    )


def settings_in(answer: Any) -> frozenset[str]:
    """Of the answer to `protocol.describe_broker`. What says the same as the broker's file is left out: the cluster's
    controller sets one so by itself (`min.insync.replicas`)."""
    return frozenset(
        name
        for *_, entries in answer.resources
        for name, value, _, source, is_sensitive, others in entries
        if source in _DYNAMIC
        and (is_sensitive or value != next((at for of, at, kind in others if of == name and kind in _FILED), None))
    )


def strangers(seen: Seen, prefix: str = "", further: Collection[str] = ()) -> list[tuple[str, str]]:
    """Whom each is about, and a sentence. `further`: logins that may have whatever they have; also names of clients,
    addresses and settings that are somebody's own.

    A house with a `prefix` shares its brokers: there what others have that touches nothing of it is theirs.
    """
    found = [*_users(seen, prefix, further), *_settings(seen, further), *_bounds(seen, prefix, further)]
    if seen.rules is not None:
        found += [*_rules(seen.rules, prefix, further), *_gone(seen.rules, prefix)]
    return sorted(found)


def _users(seen: Seen, prefix: str, further: Collection[str]) -> Iterable[tuple[str, str]]:
    for login, kept in seen.users.items():
        if login in further:
            continue
        opens = sorted(each for each, iterations in kept.items() if iterations != LOCKED_ITERATIONS)
        if is_platform(login):
            # Strimzi makes no users of the mechanism that ours have.
            beside = opens if len(opens) > 1 else []
            why = "and the house gives a platform one"
        elif login in _ours():
            beside, why = [each for each in opens if each != MECHANISM], "which the house has not given it"
        elif not prefix and opens:
            yield _shown(login), f"the login {_shown(login)} of the broker is none of the house's"
            continue
        else:
            continue
        if beside:
            yield _shown(login), f"the login {_shown(login)} of the broker has a password for {_and(beside)}, {why}"


def _rules(rules: frozenset[Said], prefix: str, further: Collection[str]) -> Iterable[tuple[str, str]]:
    given = {_said(rule) for rule in house_rules(prefix)}
    for rule in rules - given:
        login = rule.principal.removeprefix("User:")
        if login in further and rule.principal != login:
            continue
        if is_platform(login) and rule in {_said(each) for each in platform_rules(login, prefix)}:
            continue
        ours = login in _ours() or is_platform(login)
        if (ours or prefix) and not _touches(rule, prefix, ours=ours):
            continue  # of another house, or of somebody else, on the same brokers
        yield _shown(login), f"a rule of the broker is none of the house's: {_words(rule)}"


def _gone(rules: frozenset[Said], prefix: str) -> Iterable[tuple[str, str]]:
    for rule in house_rules(prefix):
        if _said(rule) not in rules:
            yield rule.login, f"a rule of the house is gone from the broker: {_words(_said(rule))}"


def _touches(rule: Said, prefix: str, *, ours: bool) -> bool:
    """Whether it has to do with anything of the house's, or with the cluster, its users and their tokens."""
    if rule.resource == Resource.TRANSACTIONAL_ID:
        return ours  # the house has no transactions
    if rule.resource == Resource.TOPIC:
        names, starts = set[str](), {prefix + NAMESPACE}
    elif rule.resource == Resource.GROUP:
        names, starts = {prefix + each.name for each in GROUPS}, {f"{prefix}{PLATFORM}-"}
    else:
        return True
    if rule.pattern == PREFIXED:
        return any(each.startswith(rule.name) for each in names | starts) or rule.name.startswith(tuple(starts))
    return rule.name == _EVERYWHERE or rule.name in names or rule.name.startswith(tuple(starts))


def _bounds(seen: Seen, prefix: str, further: Collection[str]) -> Iterator[tuple[str, str]]:
    has = {bound.entity[0][1]: bound.values for bound in seen.bounds if [kind for kind, _ in bound.entity] == ["user"]}
    yield from _writing(has)
    for login in readers():
        less = [key for key, most in READS.items() if has.get(login, {}).get(key, 0.0) < most]
        if less:
            told = "less than the house gives it of what it may read of the broker and ask of it"
            yield login, f"the login {login} has {told} ({_and(less)})"
    platforms = _platforms(seen, prefix)
    for login in platforms - set(further):
        share = has.get(login, {}).get(REQUEST_SHARE)
        if share is None or share > REQUEST_PERCENT:
            told = "no bound" if share is None else f"a bound of {share:g} % instead of {REQUEST_PERCENT:g} %"
            yield _shown(login), f"the login {_shown(login)} has {told} of what its requests may take of the broker"
    for bound in seen.bounds:
        yield from _not_given(bound, prefix, further)


def _writing(has: Mapping[str | None, Mapping[str, float]]) -> Iterator[tuple[str, str]]:
    rates = {login: has.get(login, {}).get(WRITE_RATE) for login in services()}
    wanted = write_rates(int(rates["table"] or 0))
    for login, rate in rates.items():
        if rate is None:
            yield login, f"no bound at the broker of how fast the login {login} writes"
        elif login != "table" and rates["table"] is not None and abs(rate - wanted[login]) > 1:
            yield login, f"the login {login} may write {rate:.0f} bytes a second to the broker, and not half of table's"
        elif login == "table" and rate < LEAST_WRITES:
            yield login, f"the login {login} may write {rate:.0f} bytes a second to the broker: the house stands"


def _not_given(bound: Bound, prefix: str, further: Collection[str]) -> Iterator[tuple[str, str]]:
    """Whatever holds a login, a name that a client gives itself, or an address, and is none of the house's own."""
    of = dict(bound.entity)
    if any(name in further for name in of.values() if name is not None):
        return
    whom = of.get("user")
    theirs = whom is not None and (whom in _ours() or is_platform(whom))
    if len(of) == 1 and theirs and whom is not None:
        for key in sorted(bound.values.keys() - _given_to(whom)):
            told = f"has a bound at the broker that the house has not given it: {_shown(key)}"
            yield _shown(whom), f"the login {_shown(whom)} {told}"
    elif theirs and whom is not None:
        told = "at the broker is of one name of a client, or of every one, and goes before its own"
        yield _shown(whom), f"a bound of the login {_shown(whom)} {told}"
    elif not prefix or whom is None:
        # Of another login alone, or by the name of its client, it is no matter to a house that shares its brokers.
        entity = ", ".join(
            f"{_shown(kind)} {_EVERYBODY if name is None else _shown(name)}" for kind, name in of.items()
        )
        yield (
            entity,
            f"a bound of the broker is none of the house's: {entity}: {_and(map(_shown, sorted(bound.values)))}",
        )


def _given_to(login: str) -> set[str]:
    if is_platform(login):
        return {REQUEST_SHARE}
    return {*(READS if login in readers() else ()), *((WRITE_RATE,) if login in services() else ())}


def _settings(seen: Seen, further: Collection[str]) -> Iterator[tuple[str, str]]:
    for name in seen.settings:
        if name in further:
            continue
        why = ": it says who comes in as whom" if name in _LISTENS or any(each in name for each in _LETS_IN) else ""
        yield _shown(name), f"{_shown(name)} was set at the broker while it ran, which the house does not{why}"


def _platforms(seen: Seen, prefix: str) -> set[str]:
    """Those that may read anything of the house."""
    logins = {rule.principal.removeprefix("User:") for rule in seen.rules or () if _touches(rule, prefix, ours=False)}
    return {each for each in logins if is_platform(each)}


def _ours() -> set[str]:
    return {*services(), INSPECTOR, ADMIN, NODE}


def _said(rule: Rule) -> Said:
    pattern = PREFIXED if rule.prefixed else LITERAL
    return Said(rule.resource, rule.name, pattern, f"User:{rule.login}", _EVERYWHERE, rule.operation, ALLOW)


def _words(rule: Said) -> str:
    may = "may" if rule.permission == ALLOW else "may not"
    where = "" if rule.host == _EVERYWHERE else f" from {_shown(rule.host)}"
    what = f"{_named(Resource, rule.resource)} {_shown(rule.name)}{'*' * (rule.pattern == PREFIXED)}"
    return f"{_shown(rule.principal)} {may} {_named(Operation, rule.operation)} {what}{where}"


def _named(kind: type[Operation] | type[Resource], number: int) -> str:
    """Also of what is newer than this."""
    return next((each.name for each in kind if each == number), str(number))


def _and(words: Iterable[str]) -> str:
    return " and ".join(words)


def _shown(text: str) -> str:
    return text[:_MOST_CHARACTERS] if is_clean(text) else "?"
