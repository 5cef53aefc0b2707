"""The secrecy scanner: what a house must never let anybody read in clear, looked for everywhere it writes."""
