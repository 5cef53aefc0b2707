"""What stands against replacing one build by another while people play, and in which order it goes."""

from collections.abc import Iterator
from itertools import product
from typing import Literal

import msgspec

from services.cli.upgrading.build import Build
from services.cli.upgrading.reading import Reading

Weight = Literal["never", "stop", "first", "note"]
"""`never`: the new build does not read what is there. `stop`: not beside each other, so that the named service stands
still from the last old process to the first new one. `first`: to be done before any new process starts."""
DECIDERS = ("table", "wallet", "tournament")
SERVICES = (*DECIDERS, "audit", "gateway")


class Finding(msgspec.Struct, frozen=True):
    weight: Weight
    service: str
    what: str
    do: str


class Roll(msgspec.Struct, frozen=True):
    """From one build to another."""

    findings: tuple[Finding, ...]
    order: tuple[str, ...]
    """Services, the first to be replaced first; those of `stop` stand still meanwhile."""
    no_way_back: tuple[str, ...]
    """What the old build does not read once the new one has written it: after that there is no going back."""

    @property
    def safe(self) -> bool:
        """Play goes on throughout."""
        return not any(each.weight in ("never", "stop") for each in self.findings)

    @property
    def possible(self) -> bool:
        return not any(each.weight == "never" for each in self.findings)


def judged(old: Build, new: Build) -> Roll:
    """Pure. Both directions are looked at, since processes of both live side by side."""
    back = tuple(what for _, what in _events_unread(new, old))
    found = [*_events(old, new), *_states(old, new), *_formats(old, new), *_around(old, new)]
    order, caught = _order(old, new)
    return Roll((*found, *caught), order, back)


def _events(old: Build, new: Build) -> Iterator[Finding]:
    for service, what in _events_unread(old, new):
        yield Finding(
            "never", service, f"{what}: journals may hold it, and the new build does not read it", "mend the new build"
        )
    for service, what in _events_unread(new, old):
        yield Finding("stop", service, f"{what}: an old process that takes over stops at it", _STILL)
    ahead = Reading(new.schemas, old.schemas)
    for name, kind in new.events.items():
        service = name.split(".")[1]
        if name in old.events and old.states.get(service) == new.states.get(service):
            for field in ahead.passed_over(kind):
                what = f"{field} is new: an old process that takes over folds and snapshots without it"
                yield Finding("stop", service, what, _STILL)


def _events_unread(writer: Build, reader: Build) -> Iterator[tuple[str, str]]:
    """Service and place."""
    reading = Reading(writer.schemas, reader.schemas)
    for name, kind in writer.events.items():
        service = name.split(".")[1]
        if name not in reader.events:
            yield service, name
            continue
        yield from ((service, place) for place in reading.unread(kind, reader.events[name]))


_STILL = "scale it to 0 before (the chart: SERVICE.replicas=0), and do not go back afterwards"


def _states(old: Build, new: Build) -> Iterator[Finding]:
    for service in old.states.keys() & new.states.keys():
        written, by_new = old.states[service][0], new.states[service][0]
        if written not in new.states[service]:
            yield Finding(
                "note", service, "snapshots are read no more: the first start reads its journal whole", "allow time"
            )
        elif by_new not in old.states[service]:
            what = "an old process does not read a new one's snapshots: if it takes over, it reads the journal whole"
            yield Finding("note", service, what, "replace it quickly")


def _formats(old: Build, new: Build) -> Iterator[Finding]:
    for name, written in old.formats.items():
        if new.formats.get(name) != written:
            yield Finding("never", "journal", f"{name}: another format of the journal's own records", "move the house")


def _order(old: Build, new: Build) -> tuple[tuple[str, ...], list[Finding]]:
    """Who reads a command has to know it before anybody sends it, and must know what is still sent."""
    before: dict[str, set[str]] = {service: set() for service in SERVICES}
    caught = []
    for name, first, then in _pairs(old, new):
        if first == then:
            what = f"{name}: processes of both builds send and read it, and one refuses what the other sends"
            caught.append(Finding("stop", first, what, _STILL))
        else:
            before[then].add(first)
    order: list[str] = []
    while left := [each for each in SERVICES if each not in order]:
        free = next((each for each in left if before[each] <= {*order}), None)
        if free is None:
            what = "no order will do, for the commands that they send each other"
            return (*order, *left), [*caught, *(Finding("stop", each, what, _STILL) for each in left)]
        order.append(free)
    return tuple(order), caught


def _pairs(old: Build, new: Build) -> Iterator[tuple[str, str, str]]:
    """Command, who has to be replaced first, who afterwards."""
    ahead, behind = Reading(new.schemas, old.schemas), Reading(old.schemas, new.schemas)
    envelopes = any(ahead.unread(each, each) or behind.unread(each, each) for each in new.envelopes)
    for name in sorted({*old.commands, *new.commands}):
        known = name in old.commands and name in new.commands
        of = new.commands.get(name) or old.commands[name]
        for sender, reader in product(of.senders, {of.service, *_readers(new, of.service)}):
            if envelopes or (ahead.unread(name, name) if known else name in new.commands):
                yield name, reader, sender
            if envelopes or (behind.unread(name, name) if known else name in old.commands):
                yield name, sender, reader


def _readers(build: Build, service: str) -> set[str]:
    """Of the service's commands: who looks there for what people want, and who audits."""
    topics = (each for name, each in build.topics.items() if name.endswith(f"{service}.commands.v1"))
    return {reader for each in topics for reader in each.readers if reader in SERVICES}


def _around(old: Build, new: Build) -> Iterator[Finding]:
    for name, each in new.topics.items():
        before = old.topics.get(name)
        if before is None:
            yield Finding(
                "first", "broker", f"{name} is a new topic", "croupier topics --create (the chart's casa-topics)"
            )
            continue
        if (before.config, before.single) != (each.config, each.single):
            yield Finding("first", "broker", f"{name} has other settings", "alter the topic as `croupier topics` tells")
        if {*each.writers} - {*before.writers} or {*each.readers} - {*before.readers}:
            what = f"{name} is written or read by others as well"
            do = "croupier marks hand-out, then croupier topics --create (the chart: croupier compose first)"
            yield Finding("first", "broker", what, do)
    for file, digest in old.migrations.items():
        if new.migrations.get(file, digest) != digest:  # one that is not there is of a later build, and does no harm
            yield Finding("never", "database", f"{file} was applied, and is another now", "mend the new build")
    if added := [file for file in new.migrations if file not in old.migrations]:
        yield Finding("first", "database", ", ".join(added), "croupier migrate (the chart's casa-migrate)")
    for service, variables in new.settings.items():
        before_ = old.settings.get(service, {})
        for variable, needed in variables.items():
            if needed and not before_.get(variable):
                yield Finding("first", service, f"{variable} has to be given", "set it")
        if gone := sorted(before_.keys() - variables.keys()):
            yield Finding("note", service, f"not looked at any more: {', '.join(gone)}", "leave them out")
