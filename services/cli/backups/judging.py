"""Whether a backup could be restored, as far as its manifest says: asked before it is written, and before it is put
back. Bytes are judged as they are read (`files.py`)."""

from collections.abc import Sequence
from typing import NamedTuple

from libs.contracts.groups import GROUPS
from libs.stack import StackError
from services.cli.backups import evidence
from services.cli.backups.files import Backup, Damaged, Part, Position
from services.cli.backups.log import places


class Standing(NamedTuple):
    """Groups' positions."""

    good: tuple[Position, ...]
    left_out: list[str]
    """A line for each that is not among them."""


def check(made: Backup, prefix: str) -> None:
    """Of a house with the topic prefix `prefix`. Raises `Damaged`, or StackError for one that is not for this house.

    Positions are no reason: see `standing`.
    """
    if made.prefix != prefix:
        # Marks cover the topic's name.
        raise StackError(f"this is the house with the topic prefix {made.prefix!r}: set CROUPIER_TOPIC_PREFIX")
    if {each.place for each in made.parts} != set(places(prefix, made.partitions)):
        raise StackError("the backup is of another table of topics: restore it with the version that took it")
    if (why := evidence.why_not_evidence(made.rows)) is not None:
        raise Damaged(why)


def standing(found: Sequence[Position], parts: Sequence[Part], prefix: str) -> Standing:
    """`found` without what lies below 0, beyond the end of its partition or in none of `parts`.

    Whoever may join a group commits what he likes, a platform too, and the broker does not look: so it is no damage,
    and one that lies there would hold up the restore of everybody. A position of the house's own whose mark does not
    hold stays: its service judges it by its own key and tells of it (journal 12), while an inspector whose file of
    marks is an old one would take the true ones away.
    """
    ends = {each.place: each.end for each in parts}
    ours = {prefix + each.name for each in GROUPS}
    good, left_out = list[Position](), list[str]()
    for each in found:
        end = ends.get((each.topic, each.partition))
        if end is not None and 0 <= each.offset <= end:
            good.append(each)
            continue
        there = "which is not in it" if end is None else f"which ends at {end}"
        then = (
            "its service begins without one (journal 12)" if each.group in ours else "it begins where its client says"
        )
        left_out.append(f"{each.group} is at {each.offset} of {each.topic}/{each.partition}, {there}: {then}")
    return Standing(tuple(good), left_out)
