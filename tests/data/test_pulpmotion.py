"""The PulpMotion reader, on a small set written in exactly that layout."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from aesop.core.errors import StoreError
from aesop.data import pulpmotion_clip as reasons
from aesop.data.manifest import Count, Split
from aesop.data.pulpmotion import LISTED_TWICE, ImportReport, import_pulpmotion
from aesop.data.pulpmotion_clip import PulpClip, UnusableClipError, read_clip
from aesop.data.store import open_store
from aesop.features.columns import HUMAN
from aesop.features.human_features import yaw_from_features
from aesop.scene.camera import project_joints
from aesop.scene.movement import tag_path
from aesop.scene.shot import Shot
from tests.data.pulpmotion_layout import wandering_shot, write_pulpmotion
from tests.tolerances import GEOMETRY32

FRAMES = (31, 37, 41, 43, 47, 53, 59)
IDS = tuple(f"2011_-4GsCEop_d{i}_00008_00{i}_a" for i in range(len(FRAMES)))


@pytest.fixture(scope="module")
def shots() -> dict[str, Shot]:
    return {
        clip_id: wandering_shot(frames, i)
        for i, (clip_id, frames) in enumerate(zip(IDS, FRAMES, strict=True))
    }


@pytest.fixture
def layout(tmp_path: Path, shots: dict[str, Shot]) -> Path:
    splits = {"pure_train": IDS[:3], "mixed_train": IDS[:5], "pure_test": IDS[5:6]}
    write_pulpmotion(tmp_path / "pulp", shots, splits)
    return tmp_path / "pulp"


def imported(layout: Path, name: str = "store", canonicalise: bool = False) -> ImportReport:
    return import_pulpmotion(layout, layout.parent / name, workers=1, canonicalise=canonicalise)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_shots_survive_the_journey_through_the_layout(layout: Path, shots: dict[str, Shot]):
    assert imported(layout) == ImportReport(7, 7, (), ())
    store = open_store(layout.parent / "store")
    assert store.shots.texts("id") == list(IDS)
    for row, (clip_id, shot) in enumerate(shots.items()):
        read = store.as_shot(row)
        # Files have seven digits, as many as single precision.
        for ours, theirs in (
            (read.clip.motion.joints, shot.clip.motion.joints),
            (read.clip.motion.rotations, shot.clip.motion.rotations),
            (read.camera.centre, shot.camera.centre),
            (read.camera.world_from_camera, shot.camera.world_from_camera),
            (read.camera.fov_vertical, shot.camera.fov_vertical),
        ):
            torch.testing.assert_close(ours.double(), theirs, rtol=0, atol=GEOMETRY32)
        assert read.camera.aspect == pytest.approx(shot.camera.aspect, abs=GEOMETRY32)
        assert (read.camera_words, read.human_words) == (shot.camera_words, shot.human_words)
        stored = store.shot(row)
        np.testing.assert_array_equal(stored.tags, tag_path(shot.camera, 25.0))
        assert stored.human_id == clip_id and stored.attributes == {"video": f"-4GsCEop_d{row}"}


def test_splits_are_the_lists(layout: Path):
    imported(layout)
    store = open_store(layout.parent / "store")
    assert store.splits == (Split("test", "pure"), Split("train", "mixed"), Split("train", "pure"))
    assert store.split("train", "pure").tolist() == [0, 1, 2]
    assert store.split("train").tolist() == [0, 1, 2, 3, 4]
    assert store.split("test").tolist() == [5]


def test_any_number_of_workers_and_an_interruption_give_the_same_bytes(
    layout: Path, monkeypatch: pytest.MonkeyPatch
):
    imported(layout)
    reference = bytes_of(layout.parent / "store")
    monkeypatch.setattr("aesop.data.pulpmotion.SHARD_CLIPS", 2)
    seen: list[tuple[int, int]] = []

    def interrupt(done: int, total: int) -> None:
        seen.append((done, total))
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_pulpmotion(layout, layout.parent / "two", workers=1, progress=interrupt)
    assert seen == [(2, 7), (4, 7)]
    with pytest.raises(StoreError, match="interrupted build"):
        open_store(layout.parent / "two")
    with pytest.raises(StoreError, match="other settings"):
        imported(layout, "two", canonicalise=True)
    seen.append((0, 0))
    report = import_pulpmotion(layout, layout.parent / "two", workers=2, progress=interrupt)
    assert report.kept == 7 and sorted(seen[3:])[-1] == (7, 7)
    assert bytes_of(layout.parent / "two") == reference


def test_a_resumed_import_does_not_read_again_what_is_done(
    layout: Path, monkeypatch: pytest.MonkeyPatch
):
    read: list[str] = []

    def spy(folder: Path, clip_id: str, **options: object) -> PulpClip:
        read.append(clip_id)
        if len(read) == 4:
            raise KeyboardInterrupt
        return read_clip(folder, clip_id, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("aesop.data.pulpmotion.SHARD_CLIPS", 2)
    monkeypatch.setattr("aesop.data.pulpmotion.read_clip", spy)
    with pytest.raises(KeyboardInterrupt):
        imported(layout)
    assert imported(layout).kept == 7
    assert read == [*IDS[:4], *IDS[2:]]


def test_a_canonical_import_turns_the_world_and_nothing_else(layout: Path, shots: dict[str, Shot]):
    imported(layout)
    imported(layout, "turned", canonicalise=True)
    plain, turned = (open_store(layout.parent / name) for name in ("store", "turned"))
    for row, shot in enumerate(shots.values()):
        stored = turned.shot(row)
        assert abs(float(shot.clip.motion.yaw[0])) > 1e-3
        assert float(yaw_from_features(stored.human_features)[0]) == 0.0
        np.testing.assert_array_equal(stored.tags, plain.shot(row).tags)
        views = [
            project_joints(it.camera, it.clip.motion.joints)
            for it in (turned.as_shot(row), plain.as_shot(row))
        ]
        torch.testing.assert_close(views[0].ndc, views[1].ndc, rtol=0, atol=GEOMETRY32)
        torch.testing.assert_close(views[0].depth_m, views[1].depth_m, rtol=0, atol=GEOMETRY32)


def change_array(folder: Path, part: str, change: Callable[[np.ndarray], np.ndarray]) -> None:
    path = folder / part / f"{IDS[2]}.npy"
    np.save(path, change(np.load(path)))


def put(array: np.ndarray, place: object, value: float) -> np.ndarray:
    array[place] = value  # type: ignore[call-overload]
    return array


def change_path(folder: Path, change: Callable[[np.ndarray], np.ndarray]) -> None:
    path = folder / "traj" / f"{IDS[2]}.txt"
    np.savetxt(path, change(np.loadtxt(path)), fmt="%.6e")


FLIP = np.array([1.0, 1.0, -1.0, 1.0])

DROPS: dict[str, Callable[[Path], object]] = {
    "smpl_rifke file is missing": lambda it: (it / "smpl_rifke" / f"{IDS[2]}.npy").unlink(),
    "traj file is missing": lambda it: (it / "traj" / f"{IDS[2]}.txt").unlink(),
    "intrinsics file is missing": lambda it: (it / "intrinsics" / f"{IDS[2]}.npy").unlink(),
    "smpl_rifke file cannot be read": lambda it: np.save(
        it / "smpl_rifke" / f"{IDS[2]}.npy", np.array([{}], dtype=object), allow_pickle=True
    ),
    "intrinsics file cannot be read": lambda it: (it / "intrinsics" / f"{IDS[2]}.npy").write_bytes(
        (it / "intrinsics" / f"{IDS[2]}.npy").read_bytes()[:-1]
    ),
    "traj file cannot be read": lambda it: (it / "traj" / f"{IDS[2]}.txt").write_text("x " * 12),
    "caption_cam file cannot be read": lambda it: (
        it / "caption_cam" / f"{IDS[2]}.txt"
    ).write_bytes(b"\xff\xfe"),
    "traj rows do not have twelve numbers": lambda it: change_path(it, lambda a: a[:, :11]),
    "smpl_rifke array is not frames × 199": lambda it: change_array(
        it, "smpl_rifke", lambda a: a[:, :198]
    ),
    "intrinsics array is not frames × 4": lambda it: change_array(
        it, "intrinsics", lambda a: a[:, :3]
    ),
    reasons.TOO_SHORT: lambda it: change_array(it, "smpl_rifke", lambda a: a[:1]),
    reasons.BAD_HUMAN: lambda it: change_array(
        it, "smpl_rifke", lambda a: put(a, (40, 198), np.nan)
    ),
    reasons.BAD_LENS: lambda it: change_array(it, "intrinsics", lambda a: put(a, (40, 1), np.nan)),
    reasons.BAD_PATH: lambda it: change_path(it, lambda a: put(a, (40, 3), np.inf)),
    reasons.NOT_ROTATION: lambda it: change_path(it, lambda a: put(a, (40, 0), a[40, 0] + 0.01)),
}


@pytest.mark.parametrize("reason", DROPS)
def test_an_unusable_clip_is_dropped_and_counted(layout: Path, reason: str):
    DROPS[reason](layout)
    report = imported(layout)
    assert (report.found, report.kept) == (7, 6)
    assert report.dropped == (Count(reason, 1, (IDS[2],)),)
    assert report.noted == (
        Count("listed in train but dropped", 1, (IDS[2],)),
        Count("listed in train/mixed but dropped", 1, (IDS[2],)),
        Count("listed in train/pure but dropped", 1, (IDS[2],)),
    )
    store = open_store(layout.parent / "store")
    assert store.manifest.dropped == report.dropped
    assert IDS[2] not in store.shots.texts("id")
    assert store.split("train", "pure").tolist() == [0, 1]


OTHER_DROPS: list[tuple[str, Callable[[Path], object]]] = [
    (reasons.BAD_LENS, lambda it: change_array(it, "intrinsics", lambda a: put(a, (3, 0), 0))),
    (reasons.BAD_LENS, lambda it: change_array(it, "intrinsics", lambda a: -a)),
    (reasons.BAD_LENS, lambda it: change_array(it, "intrinsics", lambda a: put(a, (3, 0), 1e-320))),
    (reasons.NOT_ROTATION, lambda it: change_path(it, lambda a: a * np.resize(FLIP, 12))),
    (reasons.BAD_PATH, lambda it: change_path(it, lambda a: put(a, (3, 3), 1e300))),
    (reasons.BAD_HUMAN, lambda it: change_array(it, "smpl_rifke", lambda a: a * np.float64(1e300))),
    (reasons.TOO_SHORT, lambda it: (it / "traj" / f"{IDS[2]}.txt").write_text("")),
]


@pytest.mark.parametrize(("reason", "damage"), OTHER_DROPS)
def test_other_ways_to_the_same_reasons(
    layout: Path, reason: str, damage: Callable[[Path], object]
):
    damage(layout)
    with pytest.raises(UnusableClipError, match=reason):
        read_clip(layout, IDS[2], canonicalise=False)


NOTES: dict[str, Callable[[Path], object]] = {
    reasons.LENGTHS_DIFFER: lambda it: change_array(it, "smpl_rifke", lambda a: a[:-2]),
    reasons.TAGS_MISSING: lambda it: (it / "cam_segments" / f"{IDS[2]}.npy").unlink(),
    reasons.NO_CAMERA_CAPTION: lambda it: (it / "caption_cam" / f"{IDS[2]}.txt").unlink(),
    reasons.NO_HUMAN_CAPTION: lambda it: (it / "caption_char" / f"{IDS[2]}.txt").write_text(" \n"),
    reasons.ASPECT_VARIES: lambda it: change_array(
        it, "intrinsics", lambda a: put(a, (7, 0), a[7, 0] * 1.02)
    ),
}


@pytest.mark.parametrize("note", NOTES)
def test_what_was_done_to_a_clip_that_stays_is_noted(layout: Path, note: str):
    NOTES[note](layout)
    report = imported(layout)
    assert report.kept == 7 and report.dropped == ()
    assert report.noted == (Count(note, 1, (IDS[2],)),)


def test_mismatched_lengths_end_together(layout: Path, shots: dict[str, Shot]):
    change_array(layout, "smpl_rifke", lambda a: a[:-2])
    clip = read_clip(layout, IDS[2], canonicalise=False)
    assert len(clip.human_features) == len(clip.camera_features) == FRAMES[2] - 2
    np.testing.assert_array_equal(clip.tags, tag_path(shots[IDS[2]].camera, 25.0)[:-2])


def test_frames_beyond_the_common_length_do_not_matter(layout: Path):
    change_array(layout, "smpl_rifke", lambda a: a[:-2])
    change_array(layout, "intrinsics", lambda a: put(a, (-1, 0), np.nan))
    change_path(layout, lambda a: put(a, (-1, 5), np.nan))
    change_array(layout, "smpl_rifke", lambda a: np.vstack([a, np.full((5, 199), np.inf)]))
    change_path(layout, lambda a: a[:-2])
    assert len(read_clip(layout, IDS[2], canonicalise=False).tags) == FRAMES[2] - 3


def test_a_long_clip_is_cut(tmp_path: Path):
    write_pulpmotion(tmp_path / "pulp", {"long": wandering_shot(307, 3)}, {})
    clip = read_clip(tmp_path / "pulp", "long", canonicalise=False)
    assert len(clip.camera_features) == 300 and len(clip.tags) == 299
    assert clip.notes == (reasons.TOO_LONG,)


@pytest.mark.parametrize("change", [lambda a: a[:-1], lambda a: a + 27, lambda a: a[:, None]])
def test_unusable_tags_are_recomputed(
    layout: Path, shots: dict[str, Shot], change: Callable[[np.ndarray], np.ndarray]
):
    change_array(layout, "cam_segments", change)
    clip = read_clip(layout, IDS[2], canonicalise=False)
    np.testing.assert_array_equal(clip.tags, tag_path(shots[IDS[2]].camera, 25.0))
    assert clip.notes == (reasons.TAGS_MISSING,)


def test_stored_tags_are_kept_even_if_ours_differ(layout: Path):
    change_array(layout, "cam_segments", lambda a: np.full_like(a, 13))
    assert set(read_clip(layout, IDS[2], canonicalise=False).tags.tolist()) == {13}


@pytest.mark.parametrize("rows", [lambda a: a[0], lambda a: a[:1]])
def test_one_lens_for_all_frames_is_understood(
    layout: Path, rows: Callable[[np.ndarray], np.ndarray]
):
    change_array(layout, "intrinsics", lambda a: np.repeat(a[:1], len(a), axis=0))
    every = read_clip(layout, IDS[2], canonicalise=False)
    change_array(layout, "intrinsics", rows)
    one = read_clip(layout, IDS[2], canonicalise=False)
    assert torch.equal(one.camera_features, every.camera_features) and one.notes == ()


def test_clip_features_are_kept_where_they_are(layout: Path):
    for part in ("caption_cam_clip/token", "caption_cam_clip/seq", "caption_char_clip/token"):
        (layout / part).mkdir(parents=True)
    token, states = np.random.default_rng(0).normal(size=(2, 5, 512)).astype(np.float32)
    np.save(layout / "caption_cam_clip/token" / f"{IDS[1]}.npy", token[:1])
    np.save(layout / "caption_char_clip/token" / f"{IDS[1]}.npy", token[2])
    np.save(layout / "caption_cam_clip/seq" / f"{IDS[1]}.npy", states)
    np.save(layout / "caption_cam_clip/seq" / f"{IDS[2]}.npy", states[:, :511])
    np.save(layout / "caption_cam_clip/seq" / f"{IDS[3]}.npy", states[None])
    np.save(layout / "caption_cam_clip/seq" / f"{IDS[4]}.npy", np.full((3, 512), np.nan))
    (layout / "caption_cam_clip/seq" / f"{IDS[5]}.npy").write_bytes(b"")
    report = imported(layout)
    assert report.noted == (Count(reasons.CLIP_UNUSABLE, 4, IDS[2:6]),)
    store = open_store(layout.parent / "store")
    np.testing.assert_array_equal(store.shots.items("clip_token", 1), token[:1])
    np.testing.assert_array_equal(store.shots.items("clip_states", 1), states)
    np.testing.assert_array_equal(store.humans.items("clip_token", 1), token[2:3])
    assert store.shots.lengths("clip_states").tolist() == [0, 5, 0, 0, 0, 0, 0]


def test_listed_clips_that_do_not_exist_and_doubly_listed_ones_are_counted(layout: Path):
    (layout / "clatr_test_split.txt").write_text(f"{IDS[0]}\nghost\n\n")
    report = imported(layout)
    assert (report.found, report.kept) == (8, 7)
    assert report.dropped == (Count("smpl_rifke file is missing", 1, ("ghost",)),)
    assert report.noted == (
        Count(LISTED_TWICE, 1, (IDS[0],)),
        Count("listed in test but dropped", 1, ("ghost",)),
        Count("listed in test/clatr but dropped", 1, ("ghost",)),
    )


def test_folders_that_are_not_the_dataset_are_refused(layout: Path, tmp_path: Path):
    with pytest.raises(StoreError, match="has no folder smpl_rifke"):
        import_pulpmotion(tmp_path / "nowhere", tmp_path / "a", workers=1)
    (tmp_path / "empty" / "smpl_rifke").mkdir(parents=True)
    with pytest.raises(StoreError, match="holds no clips"):
        import_pulpmotion(tmp_path / "empty", tmp_path / "a", workers=1)
    (layout / "odd_test_split.txt").write_text("../../secret\n")
    with pytest.raises(StoreError, match=r"odd_test_split\.txt lists '\.\./\.\./secret'"):
        imported(layout)
    (layout / "odd_test_split.txt").write_bytes(b"\xff\xff")
    with pytest.raises(StoreError, match="not a text file"):
        imported(layout)
    assert not (layout.parent / "store").exists()


def test_a_set_without_a_usable_clip_is_refused(layout: Path):
    shutil.rmtree(layout / "intrinsics")
    with pytest.raises(StoreError, match=r"7 were dropped, 7 of them because: intrinsics file is"):
        imported(layout)


def test_a_disk_that_fills_up_stops_the_import(layout: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise StoreError("The disk is full.", "Free some room.")

    monkeypatch.setattr("aesop.data.table.ArrayWriter.append", refuse)
    with pytest.raises(StoreError) as caught:
        imported(layout)
    assert (caught.value.fact, caught.value.remedy) == ("The disk is full.", "Free some room.")
    monkeypatch.undo()
    assert imported(layout).kept == 7


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory, shots: dict[str, Shot]) -> Path:
    folder = tmp_path_factory.mktemp("pulp") / "set"
    write_pulpmotion(folder, {IDS[2]: shots[IDS[2]]}, {})
    return folder


@given(
    part=st.sampled_from(
        ["smpl_rifke", "traj", "intrinsics", "cam_segments", "caption_cam", "caption_char"]
    ),
    start=st.integers(0, 3000),
    bytes_in=st.binary(max_size=40),
    cut=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_damaged_bytes_never_escape_as_another_error(
    victim: Path, part: str, start: int, bytes_in: bytes, cut: bool
):
    path = next((victim / part).iterdir())
    content = path.read_bytes()
    start = start % len(content)
    rest = b"" if cut else content[start + len(bytes_in) :]
    path.write_bytes(content[:start] + bytes_in + rest)
    try:
        clip = read_clip(victim, IDS[2], canonicalise=True)
        assert torch.isfinite(clip.human_features).all() and len(clip.tags) > 0
    except UnusableClipError as reason:
        assert str(reason)
    finally:
        path.write_bytes(content)


def test_hips_that_jump_are_kept_and_counted(layout: Path):
    path = layout / "smpl_rifke" / f"{IDS[1]}.npy"
    human = np.load(path)
    HUMAN.take(torch.from_numpy(human), "planar_velocity")[7] = 1.0  # metres in a frame
    np.save(path, human)
    report = imported(layout)
    assert report.kept == 7
    assert report.noted == (Count(reasons.TOO_FAST, 1, (IDS[1],)),)
