"""What the public events of a table come to: one fold of its view and one of its records, whoever reads them.

Pure: events of `libs/contracts` in, frozen structs out. A fold takes any event that ever happened and refuses none.
The auditor's checks of chips and decks fold for themselves, on purpose (`services/audit/verifying`).
"""
