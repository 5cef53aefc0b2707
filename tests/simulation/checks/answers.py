"""What was answered is the log's word: durable when it is said, one verdict for ever, and nothing goes unanswered."""

from collections.abc import Callable
from typing import Any

from libs.contracts.messages import CommandMessage, Reply
from tests.simulation.truth import Truth
from tests.simulation.violations import ensure
from tests.testkit.history import History, Operation

Said = tuple[str, int, str | None, str | None, str]


def acknowledged_is_durable(truth: Truth) -> Callable[[Reply], None]:
    """At the moment in which a final answer lands, its commit is in the log and says the same (journal 10)."""

    def heard(reply: Reply) -> None:
        if reply.verdict not in ("accepted", "rejected"):
            return
        entry = truth.by_id.get(reply.command_id.bytes)
        if entry is None:
            truth.violations.note("acknowledged_is_durable", f"{reply.command_id} is answered and not in the log")
            return
        commit = entry.commit
        held: Said = (commit.verdict, commit.version, commit.reason, commit.rule, commit.detail)
        said: Said = (reply.verdict, reply.version, reply.reason, reply.rule, reply.detail)
        truth.violations.ensure(said == held, "one_final_verdict", f"{reply.command_id}: {said} is not {held}")

    return heard


def nobody_is_passed_over(replies: dict[bytes, list[Reply]]) -> None:
    """With every rejection in the journal, the high water never speaks alone (journal 14).

    But for a command that an owner answered busy, going on to later ones: another may read it anew, and the first may
    have died before its answer was out.
    """
    for told in replies.values():
        passed_over = any(reply.verdict == "busy" and reply.reason == "passed_over" for reply in told)
        ensure(not passed_over, "commands_in_order", f"{told[0].command_id} was passed over")


def clients_were_told_the_truth(history: History, truth: Truth) -> None:
    """Jepsen's question: ok happened, fail did not, and unknown is one of the two."""
    for operation in [*history.told("ok"), *history.told("fail")]:
        reply = _reply(operation)
        entry = truth.by_id.get(reply.command_id.bytes)
        ensure(entry is not None, "acknowledged_is_durable", f"{operation.client} was told of {operation.what}")
        assert entry is not None
        verdict = "accepted" if operation.outcome == "ok" else "rejected"
        ensure(entry.commit.verdict == verdict, "one_final_verdict", f"{operation.client}: {operation.what}")


def one_wish_is_one_command(history: History) -> None:
    """A key and wish mean the same command for ever, whichever gateway it is given to (compliance GAM-2)."""
    for operation in history.operations:
        if isinstance(operation.answer, Reply):
            same = operation.answer.command_id == operation.command_id
            ensure(same, "one_wish_is_one_command", f"{operation.client}: {operation.what}")


def money_moved_once(history: History, truth: Truth) -> None:
    """Every deposit and withdrawal that a platform was told of is in the log once, with its amount; no other is."""
    asked: dict[str, Operation] = {}
    for operation in history.operations:
        if operation.what.startswith("move "):
            asked[operation.what.split()[1]] = operation
    moved: dict[str, int] = {}
    for stream, told in truth.told.items():
        for each in told:
            reference = getattr(each.fact, "reference", None)
            if reference is None or type(each.fact).__name__ == "WithdrawalRefused":
                continue
            ensure(reference not in moved, "one_effect_per_command", f"{reference} counted twice at {stream}")
            ensure(reference in asked, "one_effect_per_command", f"{reference} was never asked for")
            moved[reference] = each.fact.amount
            amount = int(asked[reference].what.split()[2])
            ensure(abs(amount) == moved[reference], "one_effect_per_command", f"{reference} moved {moved[reference]}")
    for reference, operation in asked.items():
        if operation.outcome == "ok" and not _reply(operation).reason:
            ensure(reference in moved, "acknowledged_is_durable", f"{reference} was accepted and did not move")


def nothing_is_lost(commands: list[CommandMessage], replies: dict[bytes, Any], late: set[bytes], truth: Truth) -> None:
    """Every command that is in the log is answered; what was sent after healing is decided."""
    for command in commands:
        ensure(command.id.bytes in replies, "nothing_is_lost", f"no answer to {command.type} {command.id}")
    for command_id in late:
        ensure(command_id in truth.by_id, "live_after_heal", "sent after healing and not decided")
    sent = {command.id.bytes for command in commands}
    ensure(set(truth.by_id) <= sent, "one_effect_per_command", "a commit of no command")


def _reply(operation: Operation) -> Reply:
    assert isinstance(operation.answer, Reply)
    return operation.answer
