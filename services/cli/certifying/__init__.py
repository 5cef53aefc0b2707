"""Rule by rule: what each regulation asks, which tests show it, and how they ended."""
