"""Live-dealer mode: a human deals, cards are scanned, errors run as recorded procedures (pt-217-2007 69 to 71)."""
