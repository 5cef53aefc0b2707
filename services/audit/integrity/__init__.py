"""What the auditor looks for among players: collusion, chips lost on purpose, programs that decide (pt-811-2015 11)."""
