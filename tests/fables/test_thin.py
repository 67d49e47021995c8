"""Thin Fables: rare directions are rare, wordings are few, and the test is left alone."""

from collections import defaultdict
from pathlib import Path

import pytest

from aesop.camera_words.caption_reader import movements_in
from aesop.camera_words.outline import SIGNS
from aesop.core.errors import StoreError
from aesop.data.store import Store, open_store, training_rows
from aesop.fables.build import FablesRecipe, Share, build_mini
from aesop.fables.thin import RARE, ThinRecipe, build_thin
from aesop.scene.movement import runs
from tests.data.pulpmotion_layout import wandering_shot, write_pulpmotion

RECIPE = ThinRecipe(seed=5, wordings=2, rare_one_in=3)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("fables") / "mini"
    share = Share(windows=29, one_run=3, several=1, any_run=0)
    small = Share(windows=3, one_run=2, several=1, any_run=0)
    build_mini(path, FablesRecipe(11, train=share, validation=small, test=small))
    return open_store(path)


@pytest.fixture(scope="module")
def thin(whole: Store, tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("thin") / "thin"
    build_thin(whole, path, RECIPE)
    return open_store(path)


def moves(store: Store, row: int) -> list[int]:
    return [tag for tag, _, _ in runs(store.shots.items("tags", row))]


def is_rare(store: Store, row: int) -> bool:
    return any(SIGNS[tag][0] < 0 or SIGNS[tag][2] < 0 for tag in moves(store, row))


def test_only_rare_directions_are_thinned_and_about_as_much_as_asked(whole: Store, thin: Store):
    before, after = training_rows(whole).train, training_rows(thin).train
    plain = [row for row in before.tolist() if not is_rare(whole, row)]
    rare = len(before) - len(plain)
    left = sum(is_rare(thin, row) for row in after.tolist())
    assert len(after) - left == len(plain)
    assert 0 < left < 0.6 * rare  # a third, of a few dozen
    (dropped,) = [count for count in thin.manifest.dropped if count.what == RARE]
    assert dropped.count == len(whole) - len(thin)


def test_shots_have_one_caption_of_few_and_it_says_what_the_camera_does(thin: Store):
    wordings: dict[tuple[int, ...], set[str]] = defaultdict(set)
    for row in training_rows(thin).train.tolist():
        (caption,) = thin.shots.strings("captions", row)
        (twin,) = thin.shots.strings("reversed_captions", row)
        assert movements_in(caption) == moves(thin, row), caption
        assert caption != twin or not any(moves(thin, row))
        wordings[tuple(moves(thin, row))].add(caption)
    # Kinds of movement (plain, arc, follow, lead) share a class.
    assert max(map(len, wordings.values())) <= 4 * RECIPE.wordings


def test_what_is_tested_is_the_whole_sets(whole: Store, thin: Store):
    for first, second in zip(whole.split("test"), thin.split("test"), strict=True):
        one, two = whole.shot(int(first)), thin.shot(int(second))
        assert one.id == two.id and one.camera_captions == two.camera_captions
        assert one.reversed_captions == two.reversed_captions
        assert bool((one.camera_features == two.camera_features).all())


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(
    whole: Store, thin: Store, tmp_path: Path
):
    again = build_thin(whole, tmp_path / "again", RECIPE)
    assert again.content_sha256 == thin.manifest.content_sha256
    other = build_thin(whole, tmp_path / "other", ThinRecipe(6, 2, 3))
    assert other.content_sha256 != again.content_sha256


def test_only_fables_can_be_thinned(tmp_path: Path):
    from aesop.data.pulpmotion import import_pulpmotion

    write_pulpmotion(tmp_path / "pulp", {"a": wandering_shot(31, 1)}, {"pure_train": ["a"]})
    import_pulpmotion(tmp_path / "pulp", tmp_path / "store", workers=1)
    with pytest.raises(StoreError, match="not Fables"):
        build_thin(open_store(tmp_path / "store"), tmp_path / "thin", RECIPE)
