"""The shipped table of takes, and its splits."""

from pathlib import Path

from aesop.fables.takes import TEST_SUBJECTS, VALIDATION_SUBJECTS, read_takes, split_of


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
    assert take.captured_fps in (60.0, 120.0)
    assert len(take.captions) == 3
    assert all(take.captured_fps in (60, 120) for take in read_takes())


def test_captions_come_in_threes_or_not_at_all() -> None:
    assert {len(take.captions) for take in read_takes()} == {0, 3}


def test_no_performer_is_in_two_splits_and_partners_stay_together():
    assert not TEST_SUBJECTS & VALIDATION_SUBJECTS
    for pair in (("18", "19"), ("20", "21"), ("22", "23"), ("60", "61"), ("111", "113")):
        assert split_of(f"{pair[0]}_01") == split_of(f"{pair[1]}_01")
    # The same performance under two names must not leak either.
    for take in read_takes():
        for alias in take.aliases:
            assert split_of(alias) == split_of(take.name), (take.name, alias)


def test_the_shipped_table_is_the_maintained_one(shared_data: Path) -> None:
    maintained = (shared_data / "cmu" / "takes.tsv").read_bytes()
    package = Path(__file__).parents[2] / "src" / "aesop" / "fables" / "takes.tsv"
    assert package.read_bytes() == maintained
