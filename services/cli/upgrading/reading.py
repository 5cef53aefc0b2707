"""Whether what one schema's writer may write is read by another's reader. Pure; schemas as `Build.schemas` has them."""

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

_AT_LEAST = ("minimum", "minLength", "minItems", "minProperties", "exclusiveMinimum")
_AT_MOST = ("maximum", "maxLength", "maxItems", "maxProperties", "exclusiveMaximum")
_REF = "$ref"


class Reading:
    """From a writer of one build to a reader of the other."""

    def __init__(self, writers: Mapping[str, Any], readers: Mapping[str, Any]) -> None:
        self._writers = writers
        self._readers = readers
        self._under_way: set[tuple[str, str]] = set()

    def unread(self, writer: str, reader: str) -> list[str]:
        """Places in what `writer` (name of a schema) writes that a reader of `reader` refuses; none: all is read."""
        return list(self._refused(self._writers[writer], self._readers[reader], writer))

    def passed_over(self, writer: str) -> list[str]:
        """Fields that `writer` or a part of it writes and that the reader's schema of the same name does not know."""
        return [
            f"{part}.{name}"
            for part in sorted(_parts(writer, self._writers))
            for name in self._writers[part].get("properties", {})
            if part in self._readers and name not in self._readers[part].get("properties", {})
        ]

    def _refused(self, wrote: Any, reads: Any, at: str) -> Iterator[str]:
        if "anyOf" in wrote:
            for each in wrote["anyOf"]:
                yield from self._refused(each, reads, at)
        elif "anyOf" in reads:
            if all(any(True for _ in self._refused(wrote, each, at)) for each in reads["anyOf"]):
                yield f"{at}: another kind of value"
        elif _REF in wrote or _REF in reads:
            yield from self._of_parts(wrote, reads, at)
        else:
            yield from self._of_one_kind(wrote, reads, at)

    def _of_parts(self, wrote: Any, reads: Any, at: str) -> Iterator[str]:
        pair = (wrote.get(_REF, at), reads.get(_REF, at))
        if pair in self._under_way:  # a part that holds parts like itself
            return
        self._under_way.add(pair)
        wrote = self._writers[_named(wrote)] if _REF in wrote else wrote
        reads = self._readers[_named(reads)] if _REF in reads else reads
        yield from self._refused(wrote, reads, at)
        self._under_way.discard(pair)

    def _of_one_kind(self, wrote: Any, reads: Any, at: str) -> Iterator[str]:
        if not reads:
            return
        values = _values(wrote)
        if _values(reads) is not None:
            if values is None or not set(map(str, values)) <= set(map(str, _values(reads) or ())):
                yield f"{at}: values that were not there"
            return
        if not _kind(wrote) <= _kind(reads):
            yield f"{at}: {' or '.join(sorted(_kind(wrote)))} in place of {' or '.join(sorted(_kind(reads)))}"
            return
        if values is None:
            yield from _wider(wrote, reads, at)
        yield from self._fields(wrote, reads, at)
        if "items" in wrote and "items" in reads:
            yield from self._refused(wrote["items"], reads["items"], f"{at}[]")
        for one, other in zip(wrote.get("prefixItems", ()), reads.get("prefixItems", ()), strict=False):
            yield from self._refused(one, other, f"{at}[]")
        if isinstance(wrote.get("additionalProperties"), dict) and isinstance(reads.get("additionalProperties"), dict):
            yield from self._refused(wrote["additionalProperties"], reads["additionalProperties"], f"{at}{{}}")

    def _fields(self, wrote: Any, reads: Any, at: str) -> Iterator[str]:
        written, known = wrote.get("properties", {}), reads.get("properties", {})
        for name in reads.get("required", ()):
            if name not in written:
                yield f"{at}.{name}: not written"
        if reads.get("additionalProperties") is False:
            yield from (f"{at}.{name}: not known" for name in written if name not in known)
        for name in written.keys() & known.keys():
            yield from self._refused(written[name], known[name], f"{at}.{name}")


def _parts(name: str, schemas: Mapping[str, Any]) -> set[str]:
    """The schema and all that it refers to, however deep."""
    found, ahead = {name}, [name]
    while ahead:
        for part in map(_named, _references(schemas[ahead.pop()])):
            if part not in found:
                found.add(part)
                ahead.append(part)
    return found


def _references(schema: Any) -> Iterator[Any]:
    if isinstance(schema, dict):
        if _REF in schema:
            yield schema
        schema = list(schema.values())
    for each in schema if isinstance(schema, list) else ():
        yield from _references(each)


def _named(schema: Any) -> str:
    return str(schema[_REF]).rpartition("/")[2]


def _values(schema: Any) -> list[Any] | None:
    """What it may be, where that is a list."""
    if "const" in schema:
        return [schema["const"]]
    found: list[Any] | None = schema.get("enum")
    return found


def _kind(schema: Any) -> set[str]:
    if (values := _values(schema)) is not None:
        return {_KINDS.get(type(value), "string") for value in values}
    found = schema.get("type", ())
    return {found} if isinstance(found, str) else set(found)


_KINDS = {bool: "boolean", int: "integer", float: "number", type(None): "null"}


def _wider(wrote: Any, reads: Any, at: str) -> Iterator[str]:
    for key in _AT_LEAST:
        if key in reads and wrote.get(key, -inf) < reads[key]:
            yield f"{at}: {key} was {reads[key]}"
    for key in _AT_MOST:
        if key in reads and wrote.get(key, inf) > reads[key]:
            yield f"{at}: {key} was {reads[key]}"
    if "pattern" in reads and wrote.get("pattern") != reads["pattern"]:
        yield f"{at}: another pattern"
