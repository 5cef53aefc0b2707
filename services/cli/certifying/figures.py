"""Holds the figures of a case against the words of the matrix: what is mistyped, left out or made up is found.

Numbers, times and cards count. 10000, 10 000 and 1,250 are numbers, so are 5 %, 4th and both ends of 100-500;
`rule 17.a`, `rules 22 and 23`, `see 84` and a dotted number that is an entry of the matrix are references. The number
in P3, d14 or `half-on-5` belongs to a name, and one may be a word: those may be given as figures and need not.
"""

import re
from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any

_N = r"\d+(?:\.\w+)*"
_REFERENCE = re.compile(
    rf"\b(?:rules|articles) {_N}(?:(?:, | and | or | to |-){_N})*|\b(?:rule|article|see) {_N}(?: and {_N})?"
    r"|\b\d+\.[a-z]+(?:\.\d+)*\b|\b\d+(?:\.\d+){2,}\b",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?<![\w.])\d+\.\d+(?!\.?\w)")
_TIME = re.compile(r"(?<![\w:])\d{1,2}:\d{2}(?::\d{2}(?:\.\d{3})?)?(?![\w:])")
_CARD = re.compile(r"(?<!\w)[2-9TJQKA][shdc](?!\w)")
_NAME = re.compile(r"(?<!\w)[A-Za-z]\w*(?:[-.]\w+)*")
_NUMBER = re.compile(
    r"(?<![\w.])(?P<minus>(?<!\d)-)?(?P<digits>\d{1,3}(?:[ ,]\d{3})+(?!\d)|\d+)(?P<rest>\.\d+)?(?:st|nd|rd|th)?(?!\w)"
)
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_ORDINALS = "- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_WORDS = {word: str(n) for words in (_UNITS, _ORDINALS) for n, word in enumerate(words.split())}
_WORDS |= {"once": "1", "twice": "2", "both": "2", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50"}


def misquotes(
    prose: str, refs: set[str], figures: dict[str, Any], *, derived: Collection[str] = (), beside: Collection[str] = ()
) -> list[str]:
    """What is wrong with the figures of one case, in words.

    `refs`: entries of its matrix. `derived`: names of figures that are not in the prose. `beside`: what of the prose is
    none.
    """
    must, may = _said(prose, refs)
    wrong = [f"{name} is derived, and no figure" for name in sorted(set(derived) - set(figures))]
    wrong += [f"{name} holds {value!r}, quote it" for name, it in figures.items() for value in _foreign(it)]
    wrong += [f"{number} is beside, and not in the matrix" for number in sorted(set(beside) - must)]
    given: set[str] = set()
    for name, figure in figures.items():
        if name not in derived:
            tokens = set(_tokens(figure))
            given |= {token.removeprefix("-") for token in tokens}
            strange = sorted(token for token in tokens - must - may if not _worded(token, prose))
            wrong += [f"{name} says {token}, the matrix does not" for token in strange]
    return wrong + [f"{number} of the matrix is no figure" for number in sorted(must - given - set(beside))]


def _said(prose: str, refs: set[str]) -> tuple[set[str], set[str]]:
    """Numbers, times and cards that have to be given, and those that may be."""
    text = _DOTTED.sub(lambda it: " " if it[0] in refs else it[0], _REFERENCE.sub(" ", prose))
    exact = set(_TIME.findall(text)) | set(_CARD.findall(text))
    text = _CARD.sub(" ", _TIME.sub(" ", text))
    signed = set(_numbers(_NAME.sub(" ", text)))
    may = {_plain(digits) for name in _NAME.findall(text) for digits in re.findall(r"\d+", name)}
    may |= {_WORDS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _WORDS}
    return exact | {number.removeprefix("-") for number in signed}, may | signed


def _numbers(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        yield (found["minus"] or "") + _plain(re.sub("[ ,]", "", found["digits"]) + (found["rest"] or ""))


def _plain(digits: str) -> str:
    return f"{Decimal(digits).normalize():f}"


def _tokens(figure: Any) -> Iterator[str]:
    """Numbers, cards, times and words of a figure; text keys are names and not compared."""
    if isinstance(figure, dict):
        yield from (str(key) for key in figure if isinstance(key, int))
        yield from (token for value in figure.values() for token in _tokens(value))
    elif isinstance(figure, list):
        yield from (token for value in figure for token in _tokens(value))
    elif isinstance(figure, int) and not isinstance(figure, bool):
        yield str(figure)
    elif isinstance(figure, str):
        for word in figure.split():
            yield next(_numbers(word), word) if _NUMBER.fullmatch(word.lstrip("+")) else word


def _worded(token: str, prose: str) -> bool:
    return any(map(str.isalpha, token)) and not _CARD.fullmatch(token) and token.casefold() in prose.casefold()


def _foreign(figure: Any) -> Iterator[Any]:
    """What YAML made something else of: a date, 1.5, true."""
    if isinstance(figure, dict | list):
        yield from (it for value in (figure.values() if isinstance(figure, dict) else figure) for it in _foreign(value))
    elif isinstance(figure, bool) or not isinstance(figure, int | str):
        yield figure
