"""Pure checks over what the journals say: each takes facts in order and yields findings, none reads anything."""
