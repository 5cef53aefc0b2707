"""What `croupier scan` leaves out of a text before it looks for bytes: never anything of a secret."""

from random import Random

import pytest

from libs.sealing.deck import Deck
from services.cli.secrecy.hands import Hand
from services.cli.secrecy.needles import Needles, forms, forms_of_hand
from services.cli.secrecy.places import Text
from services.cli.secrecy.undated import Undated

_DICE = Random(77)
DECK = Deck.of(_DICE.sample(range(52), 52), _DICE.randbytes(32), _DICE.randbytes(32))
HAND = Hand("table-1", 7, DECK)
ODD_KEY = b"a key of thirty-two ASCII bytes!"
JSON = b'{"table":"table-1","hand":7,"root":"' + DECK.cards[::-1].hex().encode() + b'","stacks":[100, 2000, 31, 3]} '
BINARY = _DICE.randbytes(40)


def surroundings() -> list[tuple[bytes, bytes]]:
    """What stands before and behind."""
    return [(before * n, behind) for before in (JSON, BINARY, b"") for behind in (JSON, BINARY, b".") for n in (1, 3)]


@pytest.mark.parametrize("kind", sorted({what for what, _ in forms_of_hand(HAND)}))
def test_no_form_of_a_secret_is_left_out_whatever_it_stands_in(kind: str) -> None:
    needles = Needles()
    needles.add_hand(HAND)
    for before, behind in surroundings():
        for form in [form for what, form in forms_of_hand(HAND) if what == kind][::7]:
            for near in (b"", b"\x00", b"\xff", b'"', b"="):
                found = needles.find(needles.parts(before + near + form + near + behind))
                assert kind in {hit.what for hit in found}


def test_nor_is_a_key_that_is_readable_as_it_is() -> None:
    needles = Needles()
    needles.add_key("gateway_key", ODD_KEY)
    for before, behind in surroundings():
        for form in forms(ODD_KEY):
            assert list(needles.find(needles.parts(before + b" " + form + b" " + behind)))


def test_nor_is_a_salt_that_is_readable_and_for_it_alone_whole_texts_are_searched() -> None:
    """One of 65,000 is ASCII: of a thousand hands, nearly one."""
    needles, dice = Needles(), Random(3)
    while not needles.odd:
        needles = Needles()
        needles.add_hand(Hand("table-1", 7, Deck.of(DECK.cards, dice.randbytes(32), DECK.data_key)))
    for before, behind in surroundings():
        assert list(needles.find(needles.parts(before + needles.odd[0] + behind)))
    assert needles.parts(b'{"player":"alice","seat":3,"amount":1500}') == b""
    undated = Undated()
    undated.add(Text("notes", b"it was " + needles.odd[0]), Needles())
    undated.add(Text("notes", b"nothing"), Needles())
    assert len(list(undated.that_may_hold(needles))) == 2
    nothing = Undated()
    nothing.add(Text("notes", b"nothing"), Needles())
    assert list(nothing.that_may_hold(needles)) == []


def test_what_is_no_part_of_any_secret_is_left_out() -> None:
    needles = Needles()
    needles.add_hand(HAND)
    text = b'{"player":"alice","seat":3,"amount":1500}'
    assert needles.parts(text) == b""
    assert needles.parts(BINARY) == BINARY


def texts_for(hand: Hand, *texts: bytes) -> list[bytes]:
    """Of these, what is gone through again for a hand of a later window."""
    undated, first, later = Undated(), Needles(), Needles()
    first.add_hand(Hand("table-1", 6, OTHER))
    for text in texts:
        undated.add(Text("notes", text), first)
    later.add_hand(hand)
    return [text.content for text in undated.that_may_hold(later)]


OTHER = Deck.of(_DICE.sample(range(52), 52), _DICE.randbytes(32), _DICE.randbytes(32))


@pytest.mark.parametrize("kind", sorted({what for what, _ in forms_of_hand(HAND)}))
def test_what_tells_no_time_is_gone_through_again_for_any_form_of_a_later_secret(kind: str) -> None:
    for before, behind in ((JSON, BINARY), (BINARY, JSON), (b"", b"")):
        for form in [form for what, form in forms_of_hand(HAND) if what == kind][::3]:
            assert texts_for(HAND, before + form + behind)


def test_and_else_not_but_for_cards_in_a_row() -> None:
    """Else a scan of ten times as much would take a hundred times as long."""
    marks = [
        b'{"stream":"account-player-%d-EUR","mark":"%s"}' % (n, _DICE.randbytes(32).hex().encode()) for n in range(99)
    ]
    rows = [b"As Kd 7h 2c", str(list(range(8))).encode()]
    assert texts_for(HAND, *marks, *rows, b"As Kd 7h", b"[1, 2, 3, 4, 5, 6, 7]", BINARY) == rows
