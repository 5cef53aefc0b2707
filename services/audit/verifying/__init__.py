"""Pure checks over what the journals say. Each takes facts in order and yields findings; none of them reads anything."""
