"""The shipped table of takes."""

from dataclasses import replace
from pathlib import Path

from aesop.fables.cmu_takes import performers, read_takes


def test_the_table_holds_every_take_once() -> None:
    takes = read_takes()
    assert len(takes) == 2058
    assert sum(bool(take.captions) for take in takes) == 1864
    names = [name for take in takes for name in (take.name, *take.aliases)]
    assert len(names) == len(set(names))
    assert 7.5 < sum(take.seconds for take in takes) / 3600 < 7.9


def test_a_row_is_read_field_by_field() -> None:
    take = next(take for take in read_takes() if take.name == "70_01")
    assert take.aliases == ("73_01", "123_01")
    assert take.subjects == ("70", "73", "123")
    assert take.captured_fps in (60.0, 120.0)
    assert len(take.captions) == 3
    assert all(take.captured_fps in (60, 120) for take in read_takes())


def test_captions_come_in_threes_or_not_at_all() -> None:
    assert {len(take.captions) for take in read_takes()} == {0, 3}


def test_subjects_that_share_a_recording_are_one_performer() -> None:
    of = performers(read_takes())
    assert of["70"] == of["73"] == of["123"] == "70"
    assert of["106"] == of["141"]
    assert of["01"] != of["02"]
    for take in read_takes():
        assert len({of[subject] for subject in take.subjects}) == 1
    assert len(set(of.values())) == 101


def test_performers_are_found_through_chains_of_shared_recordings() -> None:
    model = read_takes()[0]
    takes = [
        replace(model, name=name, aliases=(alias,))
        for name, alias in (("07_01", "05_01"), ("11_02", "03_01"), ("05_03", "11_04"))
    ]
    assert performers(takes) == dict.fromkeys(("03", "05", "07", "11"), "03")


def test_the_shipped_table_is_the_maintained_one(shared_data: Path) -> None:
    maintained = (shared_data / "cmu" / "takes.tsv").read_bytes()
    package = Path(__file__).parents[2] / "src" / "aesop" / "fables" / "takes.tsv"
    assert package.read_bytes() == maintained
