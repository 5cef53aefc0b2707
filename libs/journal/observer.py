"""What the journal tells whoever measures it. All methods are called on the event loop and must be quick."""


class Observer:
    """Measures nothing; whoever measures overrides."""

    def command_answered(self, verdict: str, reason: str | None) -> None:
        """One reply: accepted, rejected, expired or busy."""

    def commit_seconds(self, seconds: float) -> None:
        """From reading a command to its folded verdict."""

    def commit_void(self, partition: int) -> None:
        """An own commit lost; its command is decided again (journal 8)."""

    def gap_read(self, partition: int) -> None:
        """Foreign or unknown records lay between; the journal was read (journal 7)."""

    def started_over(self, partition: int) -> None:
        """An append with unknown outcome (journal 11)."""

    def draw_discarded(self, partition: int) -> None:
        """A draw went into a commit that turned out void; seen by nobody, never used again."""

    def undecodable(self, partition: int, offset: int, problem: str) -> None:
        """A journal record that is no commit: void, and an incident."""

    def chain_failure(self, partition: int, problem: str) -> None:
        """The log is not the one that was folded (journal 21)."""

    def parked(self, partition: int, offset: int, reason: str) -> None: ...

    def open_commands(self, partition: int, count: int) -> None:
        """Commands read and without a verdict: the runner's lag."""

    def follower_lag(self, partition: int, records: int) -> None:
        """Public records that are not acknowledged."""

    def snapshot_written(self, partition: int, streams: int) -> None: ...
