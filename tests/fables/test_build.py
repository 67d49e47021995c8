"""Building: the same bytes for any number of workers, whole or resumed, and no silent part."""

import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aesop.core.errors import AesopError, FileError, StoreError
from aesop.core.pool import EngineError, run_all
from aesop.data.builder import StoreBuilder
from aesop.data.store import Store
from aesop.fables import build
from aesop.fables.build import FablesRecipe, Share, build_mini, mini_recipe, recipe_for
from aesop.fables.synthetic import synthetic_motion
from aesop.fables.takes import find_takes, import_take, read_takes
from aesop.files.motion_files import write_motion
from aesop.scene.movement import runs
from tests.tolerances import GEOMETRY32

# Names that the take table has captions for, in all three splits.
TAKES = {"07_01": "walk", "08_01": "walk_curve", "02_01": "walk", "16_15": "walk", "49_01": "turn"}


def small(seed: int = 11) -> FablesRecipe:
    return FablesRecipe(
        seed=seed,
        train=Share(windows=5, one_run=1, several=0, any_run=1),
        validation=Share(windows=2, one_run=1, several=1, any_run=0),
        test=Share(windows=4, one_run=1, several=1, any_run=0),
    )


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Synthetic motion under the names of CMU takes."""
    folder = tmp_path_factory.mktemp("takes")
    for name, action in TAKES.items():
        clip = synthetic_motion(action, 211, np.random.default_rng(len(name))).clip
        write_motion(clip, folder / f"{name}.bvh")
    return folder


@pytest.fixture(scope="module")
def whole(takes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("stores") / "whole"
    build.build_fables(takes, out, small(), workers=1)
    return out


def test_two_workers_write_the_same_bytes_as_one(takes: Path, whole: Path, tmp_path: Path):
    build.build_fables(takes, tmp_path / "two", small(), workers=2)
    one, two = Store(whole).manifest, Store(tmp_path / "two").manifest
    assert one.content_sha256 == two.content_sha256
    build.build_fables(takes, tmp_path / "other", small(12), workers=1)
    assert Store(tmp_path / "other").manifest.content_sha256 != one.content_sha256


def test_ray_writes_the_same_bytes(takes: Path, whole: Path, tmp_path: Path):
    ray = pytest.importorskip("ray", reason="Ray has no wheel for this Python")
    try:
        build.build_fables(takes, tmp_path / "ray", small(), workers=2, engine="ray")
    finally:
        ray.shutdown()
    assert Store(tmp_path / "ray").manifest.content_sha256 == Store(whole).manifest.content_sha256


@pytest.mark.parametrize("take", ["07_01", "60_01"])  # captured at 120 and at 60 frames a second
def test_the_public_release_is_read_at_the_rate_of_the_capture(take: str, tmp_path: Path):
    """Its headers all say 120 frames a second; the table knows better."""
    known = next(row for row in read_takes() if row.name == take)
    fps, frames = known.captured_fps, round(2.4 * known.captured_fps)
    seconds = np.arange(frames) / fps
    slow = synthetic_motion("walk", 71, np.random.default_rng(5)).clip
    faithful = tmp_path / f"{take}.bvh"
    write_motion(slow, faithful)
    lines = faithful.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Frame Time"))
    rows = np.array([line.split() for line in lines[start + 1 :]], float)
    public = tmp_path / "public" / f"{take}.bvh"
    public.parent.mkdir()
    # The same motion sampled by holding frames: enough to tell how long it lasts.
    held = rows[np.minimum((seconds * 25).astype(int), len(rows) - 1)]
    text = [*lines[: start - 1], f"Frames: {frames}", "Frame Time: 0.0083333"]
    public.write_text("\n".join([*text, *(" ".join(map(str, row)) for row in held)]) + "\n")
    clip = import_take((known, public), tmp_path).clip()
    # Times are rounded to whole frames.
    assert clip.motion.frames == pytest.approx(2.4 * 25, abs=1)


def test_an_interrupted_build_resumes_to_the_same_bytes(
    takes: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Stopped after the first shard: what is there is refused as a store, then finished."""
    out = tmp_path / "store"
    real = build.run_all

    def first_only(work: Callable[..., Any], tasks: list[Any], **options: Any) -> list[Any]:
        if work is build.film_takes:
            work(tasks[0])
            raise KeyboardInterrupt
        return real(work, tasks, **options)

    monkeypatch.setattr(build, "TAKES_PER_SHARD", 1)
    monkeypatch.setattr(build, "run_all", first_only)
    with pytest.raises(KeyboardInterrupt):
        build.build_fables(takes, out, small(), workers=1)
    with pytest.raises(StoreError):
        Store(out)
    with pytest.raises(StoreError, match="other settings"):
        build.build_fables(takes, out, small(99), workers=1)
    monkeypatch.setattr(build, "run_all", real)
    build.build_fables(takes, out, small(), workers=1)
    assert Store(out).manifest.content_sha256 == Store(whole).manifest.content_sha256


def test_what_the_store_says_is_true(whole: Path):
    store = Store(whole)
    assert {split.name for split in store.splits} == {"train", "validation", "test"}
    assert len(store.split("train")) == 10
    for row in range(len(store)):
        stored = store.shot(row)
        shot = store.as_shot(row)
        assert 36 <= stored.frames <= 300
        kind = "pure" if len(runs(stored.tags)) == 1 else "mixed"
        assert [split.kind for split in stored.splits] == [kind]
        assert len(stored.camera_captions) == len(stored.reversed_captions) == 2
        moving = bool(stored.tags.any())
        for caption, twin in zip(stored.camera_captions, stored.reversed_captions, strict=True):
            assert (caption != twin) == moving
        assert shot.clip.motion.root[0, :2].abs().max() < GEOMETRY32
        assert abs(float(shot.clip.motion.yaw[0])) < GEOMETRY32
        assert float(shot.clip.motion.joints[..., 2].min()) == pytest.approx(
            0.0, abs=2 * GEOMETRY32
        )
        assert bool((shot.camera.centre[:, 2] > 0).all())
        assert stored.human_attributes["take"] in TAKES


def test_no_member_of_an_archive_leaves_its_folder(tmp_path: Path):
    (tmp_path / "take.bvh").write_text("HIERARCHY")
    (tmp_path / "notes.txt").write_text("not a take")
    archive = tmp_path / "takes.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(tmp_path / "take.bvh", "../../01_01.bvh")
        tar.add(tmp_path / "take.bvh", "/01_02.bvh")
        tar.add(tmp_path / "notes.txt", "notes.txt")
    folder = tmp_path / "deep" / "unpacked"
    assert list(find_takes(archive, folder)) == ["01_01", "01_02"]
    assert sorted(path.name for path in folder.iterdir()) == [".complete", "01_01.bvh", "01_02.bvh"]
    assert not list(tmp_path.glob("01_*")) and not Path("/01_02.bvh").exists()


def test_an_archive_gives_the_same_takes_as_a_folder(takes: Path, tmp_path: Path):
    archive = tmp_path / "takes.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(takes, "bvh")
    files = find_takes(archive, tmp_path / "unpacked")
    assert list(files) == sorted(TAKES)
    for take, path in files.items():
        assert path.read_bytes() == (takes / f"{take}.bvh").read_bytes()


def test_missing_or_foreign_takes_are_refused(tmp_path: Path):
    with pytest.raises(FileError, match="does not exist"):
        build.build_fables(tmp_path / "nowhere", tmp_path / "a", small())
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="no BVH"):
        build.build_fables(tmp_path / "empty", tmp_path / "b", small())
    (tmp_path / "empty" / "stranger.bvh").write_text("HIERARCHY")
    with pytest.raises(StoreError, match="None of the"):
        build.build_fables(tmp_path / "empty", tmp_path / "c", small())
    (tmp_path / "broken.tar.xz").write_bytes(b"not an archive at all")
    with pytest.raises(FileError, match="cannot be unpacked"):
        build.build_fables(tmp_path / "broken.tar.xz", tmp_path / "d", small())


def test_broken_takes_are_counted_not_hidden(takes: Path, tmp_path: Path):
    folder = tmp_path / "takes"
    folder.mkdir()
    for path in takes.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "09_01.bvh").write_text("HIERARCHY\nROOT")
    build.build_fables(folder, tmp_path / "store", small(), workers=1)
    noted = {count.what: count for count in Store(tmp_path / "store").manifest.noted}
    assert noted["take left out: not readable (FileError)"].examples == ("09_01",)
    assert noted["take has captions but no file"].count > 1000


def test_the_mini_set_has_every_split_and_repeats_itself(tmp_path: Path):
    recipe = replace(mini_recipe(), train=Share(windows=9, one_run=1, several=0, any_run=1))
    first = build_mini(tmp_path / "first", recipe)
    second = build_mini(tmp_path / "second", recipe)
    assert first.content_sha256 == second.content_sha256
    assert {str(split.split) for split in first.splits} >= {"train/pure", "test/pure", "test/mixed"}


def test_sizes_scale_with_the_clips_asked_for():
    default = recipe_for(None, 1)
    assert default.train.windows * default.train.cameras >= 40_000
    assert default.test.windows >= 1_000
    half, double = recipe_for(22_800, 1), recipe_for(91_200, 1)
    assert half.train.windows == default.train.windows // 2
    assert half.test.windows == default.test.windows // 2
    assert double.train.windows == default.train.windows * 2
    assert double.test.windows == default.test.windows


def square(number: int) -> int:
    return number * number


def test_engines_answer_in_the_order_of_the_tasks(monkeypatch: pytest.MonkeyPatch):
    steps: list[tuple[int, int]] = []
    answers = run_all(
        square, [3, 1, 2], workers=2, progress=lambda done, total: steps.append((done, total))
    )
    assert answers == [9, 1, 4] and steps == [(1, 3), (2, 3), (3, 3)]
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(EngineError, match="pip install"):
        run_all(square, [1], engine="ray")


def test_a_full_plan_is_needed_to_finish(tmp_path: Path):
    recipe = mini_recipe()
    builder = StoreBuilder(tmp_path / "store", build.StorePlan("fables", {}, "retargeted"))
    builder.start()
    assert recipe.seed == 7
    with pytest.raises(AesopError, match="missing"):
        builder.finalise(["film-00000"])
