"""What the games against the house share: tables and rounds, stakes and refunds, idle players, what a bank can pay."""
