"""Pages of what is told newest first: a cursor names the last row shown, so that no row of its millisecond is lost."""

import re
from typing import Annotated, NamedTuple

from pydantic import Field

_TIME = "[0-9]{1,18}"
_CURSOR = rf"({_TIME})(?:~([A-Za-z0-9._:~-]{{1,64}})~(-?[0-9]{{1,19}}))?"
_LEAST, _MOST = -(2**63), 2**63 - 1
Before = Annotated[
    str,
    Field(
        pattern=f"^{_CURSOR}$",
        description="`next_before` of the page before, taken as it is; or a moment in milliseconds since the epoch: "
        "what was strictly before it",
    ),
]
NEWEST = "9" * 18
"""The first page: all that there is was before it."""


class Place(NamedTuple):
    """Of a row among all of its kind. No two rows have the same; pages go down from the greatest."""

    at: int
    """Milliseconds since the epoch."""
    name: str = ""
    number: int = _LEAST
    """Whatever the database gave it: who owns its table may have set that below 0."""

    def cursor(self) -> str:
        return f"{self.at}~{self.name}~{self.number}"


def place_of(before: str) -> Place:
    """What `Before` names. A bare moment is below all rows of its millisecond."""
    found = re.fullmatch(_CURSOR, before)
    assert found is not None, "looked at at the door"
    at, name, number = found.groups()
    return Place(int(at), name or "", min(max(int(number), _LEAST), _MOST) if number else _LEAST)
