"""What the journal tells whoever measures it. All methods are called on the event loop and must be quick."""

from collections.abc import Mapping

COUNTED: Mapping[str, str] = {
    "commits_void": "Own commits that another owner's beat; their commands are decided again (journal 8)",
    "gave_way": "Times a partition, not handed over, was given up to an owner of a newer generation (journal 4e)",
    "journal_gaps_read": "Times the journal was read to learn a verdict (journal 7)",
    "appends_unknown": "Appends whose outcome was unknown (journal 11)",
    "draws_discarded": "Entropy drawn by commits that turned out void; seen by nobody, never used again",
    "journal_undecodable": "Journal records that are no commits: void, and an incident",
    "chain_failures": "The log is not the one that was folded (journal 21)",
    "parked": "Records set aside with a reason",
    "put_off": "Times a policy's command found no room in its stream and was put off (journal 13)",
    "snapshots_written": "Snapshots of streams written",
    "snapshots_aside": "Snapshots and manifests that a start left aside: they are none of ours (journal 24)",
    "streams_aside": "Streams that nothing can be decided on: their events make no state (journal 25)",
    "snapshots_failed": "Snapshots not written, their round given up: a state too large, or that no format holds",
}
STANDING: Mapping[str, str] = {
    "commands_open": "Commands read and without a verdict: the runner's lag",
    "follower_lag_records": "Public records without acknowledgement",
}


class Observer:
    """Measures nothing; whoever measures overrides."""

    def command_answered(self, verdict: str, reason: str | None) -> None:
        """One reply: accepted, rejected, expired or busy."""

    def commit_seconds(self, seconds: float) -> None:
        """From reading a command to its folded verdict."""

    def happened(self, what: str, partition: int, times: int = 1) -> None:
        """One of `COUNTED`."""

    def stands(self, what: str, partition: int, at: int) -> None:
        """One of `STANDING`."""
