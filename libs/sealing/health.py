"""The two continuous health tests of an entropy source: NIST SP 800-90B sections 4.4.1 and 4.4.2.

Samples are bytes. The claimed min-entropy is a cautious 4 bits a byte of the operating system's conditioned output;
cut-offs are for a false alarm of about 2**-40 per test, since one alarm stops the dealing.
"""

REPETITION_CUTOFF = 11
"""1 + ceil(40 / 4): as many equal bytes in a row are a stuck source (4.4.1)."""
PROPORTION_WINDOW = 512
PROPORTION_CUTOFF = 78
"""Smallest c with P(Binomial(512, 2**-4) >= c) below 2**-40 (4.4.2); a test recomputes it."""


class EntropyUnhealthy(RuntimeError):
    """The source of randomness failed its running test: deal nothing until somebody has looked."""


class HealthTest:
    """Is given every byte drawn and raises once the source looks stuck or biased; from then on it always raises."""

    __slots__ = ("_count", "_failed", "_first", "_last", "_run", "_seen")

    def __init__(self) -> None:
        self._last = -1
        self._run = 0
        self._first = -1
        self._count = 0
        self._seen = 0
        self._failed = ""

    def feed(self, drawn: bytes) -> None:
        for sample in drawn:
            self._repetition(sample)
            self._proportion(sample)
        if self._failed:
            raise EntropyUnhealthy(self._failed)

    def _repetition(self, sample: int) -> None:
        self._run = self._run + 1 if sample == self._last else 1
        self._last = sample
        if self._run >= REPETITION_CUTOFF:
            self._failed = self._failed or "repetition count test failed"

    def _proportion(self, sample: int) -> None:
        if self._seen == 0:
            self._first = sample
            self._count = 0
        self._count += sample == self._first
        self._seen = (self._seen + 1) % PROPORTION_WINDOW
        if self._count >= PROPORTION_CUTOFF:
            self._failed = self._failed or "adaptive proportion test failed"
