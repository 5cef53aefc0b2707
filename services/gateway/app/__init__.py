"""What the edge does with a request before Kafka sees it: sessions, idempotency, commands and their replies."""
