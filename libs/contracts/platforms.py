"""Whose a player or a table is. The platform stands in front of the id, before a `~` (`acme~alice`); an id without
one is the house's own. So no list says whose anybody is, none can be late or lost, and two platforms never meet in one
name (docs/adr/0012).
"""

from libs.contracts.texts import PLATFORM_MARK

HOUSE = "house"
"""The platform of a house that has just one: its ids are plain."""


def platform_of(id: str) -> str:
    platform, mark, _ = id.partition(PLATFORM_MARK)
    return platform if mark else HOUSE


def ids_of(platform: str) -> str:
    """What its players and tables are called, in words."""
    return "have no platform in their ids" if platform == HOUSE else f"begin with {platform}{PLATFORM_MARK}"
