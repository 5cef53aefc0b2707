"""What a tournament's tables are called: the tournament's id and a number."""

_MARK = ".t"


def table_name(tournament: str, number: int) -> str:
    """Id of the table, which is its stream."""
    return f"{tournament}{_MARK}{number}"


def reads_as_numbered(name: str) -> bool:
    """Whether somebody could take the name for one that a tournament gives: `x.T1`, `x.t1.`."""
    return table_number(name.casefold().rstrip("._-")) is not None


def table_number(table: str) -> tuple[str, int] | None:
    """Tournament and number; None for a name that no tournament gives."""
    tournament, mark, number = table.rpartition(_MARK)
    return (tournament, int(number)) if mark and number.isdigit() else None
