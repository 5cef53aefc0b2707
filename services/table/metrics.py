"""What the table service counts beyond what every decider does."""

from prometheus_client import Counter

ENTROPY_UNHEALTHY = Counter(
    "croupier_entropy_unhealthy", "Wakes for which no deck could be shuffled: the random source failed its health test"
)
