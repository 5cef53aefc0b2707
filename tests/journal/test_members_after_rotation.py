"""Keys of marks are rotated under a group of two: each still takes the other for one of the house."""

import asyncio
from pathlib import Path

import pytest

from libs.broker import Broker
from libs.journal.kafka_group import KafkaGroup
from libs.journal.mark_keys import Plan, file_of, hand_out, marks_in
from libs.journal.tasks import end
from tests.journal.house import until
from tests.testkit.marks import ROOT
from tests.testkit.partitions import PARTITIONS

JOURNAL = "croupier.wallet.journal.v1"


@pytest.mark.stack
async def test_partitions_are_handed_over_after_the_key_under_which_both_joined_was_retired(
    kafka: Broker, topics: str, tmp_path: Path
) -> None:
    """Each told the group who it is once, at its join; what was said under a retired key counts no more. So the first
    to end after a rotation left its partitions to nobody, and they stood still until its session had lapsed."""
    hand_out(tmp_path, ROOT, Plan())
    groups = [
        KafkaGroup(
            *(kafka, f"{topics}group", topics + JOURNAL),
            instance=f"table-{number}",
            marks=marks_in(file_of(tmp_path, "table")),
        )
        for number in (1, 2)
    ]
    attending = []
    for group in groups:
        await group.join()
        attending.append(asyncio.create_task(group.attend()))
    await until(lambda: [len(group.assigned) for group in groups] == [PARTITIONS // 2] * 2, 30)
    had = [group.assigned for group in groups]
    hand_out(tmp_path, ROOT, Plan(accepted=(1, 2)))
    await asyncio.sleep(3)  # every process has to know the new key before one marks with it
    generations = [group.generation for group in groups]
    hand_out(tmp_path, ROOT, Plan(accepted=(1, 2), writes=2))
    await until(lambda: all(it.generation > of for it, of in zip(groups, generations, strict=True)), 30)
    hand_out(tmp_path, ROOT, Plan(accepted=(1, 2), writes=2, retired={1: {}}))
    await asyncio.sleep(3)
    assert [group.assigned for group in groups] == had, "joining anew moves nothing"
    assert await groups[0].leave()
    await until(lambda: groups[1].assigned == had[0] | had[1], 5)
    await end(attending)
    await groups[1].stop()
