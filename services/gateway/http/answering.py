"""What a command's reply looks like over HTTP, and the problems that the OpenAPI document tells of."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal
from uuid import UUID

from libs.contracts.commands import AnyReason
from libs.contracts.facts import Fact
from libs.contracts.messages import Reply
from libs.edge.problems import MEDIA_TYPE, Problem
from services.gateway.http.asking import Responses


class Done(Fact):
    """The command was accepted: its events stand in the journal up to `version`."""

    example: ClassVar[Mapping[str, Any]] = {
        "command_id": "01973a7e-5b0c-7c3e-9f21-6d1f0a4b8c55",
        "stream": "table-1",
        "verdict": "accepted",
        "version": 118,
    }
    command_id: UUID
    stream: str
    verdict: Literal["accepted"] = "accepted"
    version: int
    """Version of the stream after the command."""


class FieldError(Fact):
    """A field that is missing, unknown or out of bounds."""

    field: str
    """JSON pointer: `/body/amount`."""
    detail: str


class ProblemDocument(Fact):
    """RFC 9457."""

    example: ClassVar[Mapping[str, Any]] = {
        "type": "urn:croupier:problem:rejected",
        "title": "Rejected",
        "status": 409,
        "detail": "a round total of 200 to 700 is possible",
        "reason": "below_min",
        "rule": "pt-811-2015#24.b",
        "version": 118,
    }
    type: str
    """`urn:croupier:problem:` and the problem's name."""
    title: str
    status: int
    detail: str | None = None
    errors: list[FieldError] | None = None
    """422 only: every field that is wrong."""
    reason: str | None = None
    """409 and 429: closed reason of the table, the wallet or the door."""
    rule: str | None = None
    """409 only: the rule that the command breaks."""
    version: int | None = None
    """409 only: version of the stream; not of one that others share."""
    needs: dict[str, list[str]] | None = None
    """403 only: `roles` and `scopes`, any of which is enough."""
    table: str | None = None
    """421 only: the table that another gateway serves."""
    gateway: str | None = None
    """421 only: WebSocket address of the gateways that serve it."""
    location: str | None = None
    """421 over HTTP only: where the same request is answered, with the same idempotency key."""


_TEXTS = {
    400: "The body is not JSON; the detail names the place.",
    401: "No token, a forged or an expired one.",
    403: "Not for this one: `needs` names the roles and scopes for which it is.",
    404: "There is no such table, player or hand.",
    409: "Against the rules: `reason` and `rule` say which.",
    410: "Too late: the command was not decided (take a new key); of a statement: it is in the archive, see `month`.",
    413: "The body is larger than 64 kB.",
    421: "Another gateway serves this table: `location` and `gateway` say where. Nothing was asked; repeat there with "
    "the same key.",
    422: "Fields are missing, unknown or out of bounds, or the idempotency key was used for something else.",
    429: "More than a fair share; `Retry-After` says when to repeat with the same key.",
    503: "Busy or not reachable right now; try again with the same key.",
    504: "Outcome unknown; repeat with the same key.",
}


def problems(*statuses: int) -> Responses:
    """OpenAPI responses for the problems that an endpoint may answer with."""
    schema: dict[str, Any] = {"$ref": "#/components/schemas/ProblemDocument"}
    return {status: {"description": _TEXTS[status], "content": {MEDIA_TYPE: {"schema": schema}}} for status in statuses}


_OVER_QUOTA = "Too many of your commands are remembered there; repeat with the same key when the oldest are forgotten."
_IN_A_MINUTE = {"retry-after": "60"}
COMMAND_PROBLEMS = problems(400, 401, 403, 404, 409, 410, 413, 421, 422, 429, 503, 504)


def done(reply: Reply) -> Done:
    facts: dict[str, Any] = {"command_id": str(reply.command_id)}
    if reply.stream:  # else it is nothing for who asked: a list that others share
        facts |= {"stream": reply.stream, "version": reply.version}
    match reply.verdict:
        case "accepted" if reply.reason is not None:
            raise Problem(409, "refused", "The refusal is on the record.", reason=reply.reason, **facts)
        case "accepted":
            return Done(command_id=reply.command_id, stream=reply.stream, version=reply.version)
        case "rejected":
            raise Problem(409, "rejected", reply.detail, reason=reply.reason, rule=reply.rule, **facts)
        case "expired":
            raise Problem(410, "expired", "The command came too late and was not decided; take a new key.", **facts)
        case "busy" if reply.reason == AnyReason.OVER_QUOTA:
            raise Problem(429, "too-many-requests", _OVER_QUOTA, headers=_IN_A_MINUTE, reason=reply.reason, **facts)
        case "busy":
            raise Problem(503, "busy", "Too much at once; repeat with the same key.", headers={"retry-after": "1"})
