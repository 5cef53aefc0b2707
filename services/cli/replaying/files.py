"""What a file of records holds, whatever it is called: YAML, TOML, or an archive of TOML."""

import tarfile
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from services.cli.given import regular
from services.cli.replaying.record import NotARecord

_HANDS = (".phh", ".phhs")
_YAML = (".yaml", ".yml")
_DEEPEST = 20
_LARGEST = 10**15
_FINEST = -9
"""Power of ten of the smallest part of a chip."""
_MOST_BYTES = 16 * 2**20
_MOST_OF_ARCHIVE = 256 * 2**20
_MOST_UNPACKED = 4 * 2**30
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
"""How gzip, bzip2 and xz begin."""


def read(path: Path) -> Iterator[tuple[str, Any]]:
    """Each document's name and content, in the order of the file. NotARecord for what can't be read."""
    try:
        regular(path, _MOST_OF_ARCHIVE)
        if path.suffix.lower() not in (*_YAML, *_HANDS, ".toml") and _is_archive(path):
            yield from _members(path)
        else:
            with path.open("rb") as file:
                yield from documents(path.name, _content(path.name, file))
    except (OSError, EOFError, tarfile.TarError) as unreadable:
        why = getattr(unreadable, "strerror", None) or str(unreadable).splitlines()[0]
        raise NotARecord(f"{path.name}: cannot be read: {why}") from unreadable


def _is_archive(path: Path) -> bool:
    """`tarfile` alone takes zeros for a stream without an end."""
    with path.open("rb") as file:
        head = file.read(262)
    return (head.startswith(_PACKED) or head[257:] == b"ustar") and tarfile.is_tarfile(path)


def documents(file: str, content: bytes) -> Iterator[tuple[str, Any]]:
    """TOML by its name or its content, else YAML; of a collection of hands (`.phhs`) each."""
    try:
        text = content.decode("utf-8")
        document = _yaml(text) if file.lower().endswith(_YAML) else _toml_or_yaml(file, text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, yaml.YAMLError, ValueError, RecursionError) as wrong:
        raise NotARecord(f"{file}: is no TOML and no YAML: {(str(wrong) or 'empty').splitlines()[0]}") from wrong
    _sound(document, file)
    name = _named(file)
    if file.lower().endswith(".phhs") or _collected(document):
        yield from ((f"{name}/{number}", hand) for number, hand in document.items())
    else:
        yield name, document


def _toml_or_yaml(file: str, text: str) -> Any:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError:
        if file.lower().endswith((*_HANDS, ".toml")):
            raise
        return _yaml(text)


def _yaml(text: str) -> Any:
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise yaml.YAMLError(f"it is nested deeper than {_DEEPEST}")
        if isinstance(event, yaml.AliasEvent):  # a few lines of them may stand for more than fits into the memory
            raise yaml.YAMLError("it has an alias: records are written out")
    return yaml.load(text, yaml.CSafeLoader)


def _collected(document: Any) -> bool:
    """PHH hands by number."""
    return isinstance(document, dict) and any(
        isinstance(hand, dict) and "variant" in hand and "actions" in hand for hand in document.values()
    )


def _named(file: str) -> str:
    stem = file.rsplit(".", 1)[0] if file.lower().endswith(_HANDS) else file
    return stem.removeprefix("./").removeprefix("data/")


def _members(path: Path) -> Iterator[tuple[str, Any]]:
    # Read as a stream: members are parsed where they lie and never unpacked onto a disk.
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            if member.offset_data + member.size > _MOST_UNPACKED:
                raise NotARecord(f"{path.name}: unpacked it is larger than {_MOST_UNPACKED >> 30} GiB")
            if member.isfile() and member.name.lower().endswith(_HANDS):
                content = archive.extractfile(member)
                assert content is not None, "a file has content"
                yield from documents(member.name, _content(member.name, content))


def _content(name: str, file: BinaryIO | Any) -> bytes:
    content: bytes = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise NotARecord(f"{name}: is larger than {_MOST_BYTES >> 20} MiB")
    return content


def _sound(document: Any, where: str, depth: int = 0) -> None:
    """NotARecord for what would take for ever: numbers of a million digits, endless nesting."""
    if depth > _DEEPEST:
        raise NotARecord(f"{where}: is nested deeper than {_DEEPEST}")
    if isinstance(document, dict | list):
        for key, value in document.items() if isinstance(document, dict) else enumerate(document, 1):
            _sound(value, f"{where}: {str(key)[:40]}" if depth < 2 else where, depth + 1)
    elif isinstance(document, float | Decimal) and not _fits(Decimal(str(document))):
        raise NotARecord(f"{where}: a number with too many digits")
    elif isinstance(document, int) and abs(document) > _LARGEST:
        raise NotARecord(f"{where}: a number above {_LARGEST}")


def _fits(number: Decimal) -> bool:
    """`inf` and `nan` may stand where nobody reads them."""
    exponent = number.as_tuple().exponent
    return not isinstance(exponent, int) or (exponent >= _FINEST and number.adjusted() <= 15)
