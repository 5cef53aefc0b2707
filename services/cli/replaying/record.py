"""What every form of record shares: how a document becomes typed parts, and how an error in it is named.

What a record needs to be played, and the shape of what it claims, are read into parts that take no field they do not
know. The figures that it claims are compared leaf by leaf with what the rules tell (`Outcome.compare`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from libs.cards.card import parse_all
from libs.sealing.shuffle import MAX_SEATS

Form = TypeVar("Form", bound=BaseModel)
Played = TypeVar("Played")
Of = TypeVar("Of")
Seat = Annotated[int, Field(ge=1, le=MAX_SEATS)]
MOST = 10**12
_NAMED = 40
"""Characters of a record's name that an error tells."""
Amount = Annotated[int, Field(ge=0, le=MOST)]
"""Minor units."""
Milliseconds = Annotated[int, Field(ge=0, le=10**9)]
CardName = Annotated[str, Field(pattern=r"^[2-9TJQKA][cdhs]$")]
Cards = list[CardName]
Five = Annotated[Cards, Field(min_length=5, max_length=5)]
Claims = dict[str, Any]
"""As written in the record."""


class NotARecord(ValueError):
    """Something can't be read or played as a record; the text says where, and what is wrong there."""


def _are_cards(text: str) -> str:
    parse_all(text)
    return text


CardNames = Annotated[str, AfterValidator(_are_cards)]
"""`As Kd 7h`."""


class Part(BaseModel):
    """A field that it does not know is an error, and so is `"3"` for 3."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @property
    def claims(self) -> Claims:
        """What the record says, without what it leaves out."""
        return self.model_dump(exclude_unset=True)


class Open(Part):
    """What is needed has its type; the rest stays as it is written, for somebody who knows it."""

    model_config = ConfigDict(extra="allow")


class Player(Part):
    seat: Seat
    name: Annotated[str, Field(min_length=1, max_length=64)]
    stack: Amount
    hole: Cards = []


class Numbered(Protocol):
    @property
    def seq(self) -> int: ...


def check_numbered(what: str, lines: Sequence[Numbered]) -> None:
    """ValueError, for a validator."""
    if [line.seq for line in lines] != list(range(1, len(lines) + 1)):
        raise ValueError(f"{what} are numbered by seq from 1")


def parsed(model: type[Form], document: Any) -> Form:
    """NotARecord, saying where, when the document has another shape."""
    try:
        return model.model_validate(document)
    except ValidationError as wrong:
        first, count = wrong.errors()[0], wrong.error_count()
        more = f" (and {count - 1} more)" if count > 1 else ""
        what = first["msg"].removeprefix("Value error, ") + more
        path = _path(first["loc"], document)
        raise NotARecord(f"{path}: {what}" if path else what) from wrong


def _path(places: Iterable[int | str], document: Any) -> str:
    """`hands[W03].actions[seq 4].to`: hands and lines by the name that they have in the record."""
    path = ""
    for place in places:
        if isinstance(document, list) and isinstance(place, int) and place < len(document):
            document = document[place]
            path += f"[{_name_of(document, place)}]"
            continue
        if not isinstance(document, dict):
            break  # a type that it might have had
        document = document.get(place, {})
        path += f".{place}" if path else str(place)
    return path


def _name_of(item: Any, place: int) -> str:
    for key in ("id", "seq", "seat") if isinstance(item, dict) else ():
        if isinstance(item.get(key), str | int):
            return str(item[key])[:_NAMED] if key == "id" else f"{key} {item[key]}"
    return f"number {place + 1}"


@contextmanager
def within(where: str) -> Iterator[None]:
    """Says in front of what is wrong where it is."""
    try:
        yield
    except NotARecord as wrong:
        raise NotARecord(f"{where}: {wrong}") from wrong


def play_each(records: Iterable[tuple[str, Of]], play: Callable[[Of], Played]) -> Iterator[Played]:
    """What `play` makes of each; its NotARecord is told with the record's name."""
    for name, record in records:
        with within(name[:_NAMED]):
            yield play(record)
