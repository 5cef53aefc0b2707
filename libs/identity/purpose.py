"""What cards or persons are looked at for, and what goes on record of it (SEC-9)."""

from libs.contracts.facts import Fact
from libs.contracts.texts import Words

PURPOSE = "Croupier-Purpose"
PURPOSE_PARAMETER = {
    "name": PURPOSE,
    "in": "header",
    "required": True,
    "description": "What the cards or persons are looked at for; it goes on record. Also as `purpose` in the query.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    "example": "complaint 2026-114",
}


LONGEST_TARGET = 500


class Purpose(Fact):
    purpose: Words


class Read(Fact):
    """Somebody looked at cards or persons."""

    at: int
    """Milliseconds since the epoch, UTC."""
    principal: str
    roles: list[str]
    scopes: list[str]
    purpose: str
    what: str
    """Method and path as declared."""
    target: str
    """Path and query as asked, the purpose left out."""
    address: str
