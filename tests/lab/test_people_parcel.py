"""Takes of people that travel: rounded a little, and cut into the windows that clips would give."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.fables.build import window_features as features_of_clip
from aesop.fables.people_windows import (
    PeopleWindow,
    ground_of,
    worded_segments,
)
from aesop.fables.segment_captions import read_segment_captions
from aesop.fables.segment_table import read_segments
from aesop.fables.synthetic import synthetic_motion
from aesop.fables.takes import TakeWindow
from aesop.features.columns import HUMAN, Statistics
from aesop.features.human_features import human_from_features, human_to_features
from aesop.files.shot_file import write_clip
from aesop.scene.human import Clip
from aesop.training.recipes import TrainingError
from people_parcel import (
    FOREIGN_TURN_SPREADS,
    ROUNDING,
    TravelledTakes,
    footage_of_windows,
    present,
    read_takes,
    smoothed_within,
    take_features,
    window_features,
    write_takes,
)
from tests.tolerances import GEOMETRY32

CPU = torch.device("cpu")
# Two takes of sets whose joints turn as CMU's do, and one of another set.
KINDS = {"cmu/07_01": "walk", "cmu_more/49_01": "turn", "rocketbox/f_sit_down_chair_01": "jump"}
FRAMES = (131, 97, 83)
STARTS = [0, 131, 228, 311]


@pytest.fixture(scope="module")
def clips() -> dict[str, Clip]:
    dice = np.random.default_rng(7)
    made: dict[str, Clip] = {}
    for (name, kind), frames in zip(KINDS.items(), FRAMES, strict=True):
        made[name] = synthetic_motion(kind, frames, dice).clip
    return made


@pytest.fixture(scope="module")
def takes(clips: dict[str, Clip], tmp_path_factory: pytest.TempPathFactory) -> TravelledTakes:
    folder = tmp_path_factory.mktemp("takes")
    for name, clip in clips.items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_clip(clip, folder / f"{name}.clip")
    path = folder / "takes.parcel"
    assert write_takes([*KINDS, "cmu/nobody"], folder, path) == list(KINDS)
    return read_takes(path)


def test_takes_arrive_as_they_were_up_to_the_rounding(
    takes: TravelledTakes, clips: dict[str, Clip]
):
    assert takes.names == tuple(KINDS) and takes.starts.tolist() == STARTS
    features = take_features(takes, CPU).features[0].double()
    height, places = HUMAN.span("root_height"), HUMAN.span("places")
    for name, first, stop in zip(takes.names, STARTS, STARTS[1:], strict=False):
        real = human_to_features(clips[name].motion.to(torch.float64))
        apart = (features[first:stop] - real).abs()
        # Rounded to steps, then smoothed within half a step: at most one step apart.
        assert float(apart[:, height].max()) <= ROUNDING.human_root_m + GEOMETRY32
        if not name.startswith("rocketbox"):  # whose turns are fitted anew
            # Nine joints of a chain, each off by a step, of bones up to half a metre.
            assert float(apart[:, places].max()) <= 9 * ROUNDING.joint_turn_rad * 0.5
        ground = ground_of(clips[name].motion.joints.double().numpy())
        assert np.array_equal(takes.grounds[name].is_bad, ground.is_bad)
        support_m = np.abs(takes.grounds[name].support_m - ground.support_m)
        assert support_m.max() <= 0.0051  # kept to whole centimetres


@pytest.mark.parametrize("is_mirrored", [False, True])
@pytest.mark.parametrize("name", ["cmu/07_01", "cmu_more/49_01"])
def test_a_window_of_a_take_is_the_window_of_its_clip(
    takes: TravelledTakes, clips: dict[str, Clip], name: str, is_mirrored: bool
):
    """Cut from features of the whole take on a device, or from its clip as a store does."""
    features = take_features(takes, CPU)
    row = list(KINDS).index(name)
    whole = features.features[0, STARTS[row] : STARTS[row + 1]].double()
    clip = replace(clips[name], motion=human_from_features(whole))
    window = PeopleWindow(name, 17, 70, is_mirrored, (f"{name}/00",), ("walks",))
    other = PeopleWindow(name, 3, 41, not is_mirrored, (f"{name}/00",), ("walks",))
    made = window_features(features, [other, window]).clip(1)
    expected = features_of_clip(clip, TakeWindow(17, 70, is_mirrored))
    # Single precision of features that were computed from single precision once more.
    assert float((made - expected).abs().max()) < 8 * GEOMETRY32


def test_rounded_curves_are_smoothed_within_their_rounding():
    dice = np.random.default_rng(5)
    steps = np.array([0.5, 0.01])
    smooth = np.cumsum(dice.normal(0, 0.003, (61, 2)), 0)
    rounded = np.rint(smooth / steps) * steps
    starts = np.array([0, 23, 61])
    made = smoothed_within(rounded, starts, steps)
    assert (np.abs(made - rounded) <= steps / 2 * (1 + 1e-12)).all()  # the same rounding
    assert np.abs(np.diff(made[:, 1], 3)).mean() < 0.7 * np.abs(np.diff(rounded[:, 1], 3)).mean()
    for edge in (0, 22, 23, 60):
        assert np.array_equal(made[edge], rounded[edge])


def test_only_foreign_turns_are_kept_within_what_a_codec_knows(takes: TravelledTakes):
    turns = HUMAN.span("rotations")
    plain = take_features(takes, CPU)
    spread = torch.full((HUMAN.width,), 0.01)
    known = Statistics(plain.features[0].mean(0), spread)
    tamed = take_features(takes, CPU, known)
    assert torch.equal(tamed.features[:, :228], plain.features[:, :228])
    foreign = tamed.features[:, 228:]
    off = (foreign[..., turns] - known.mean[turns]).abs().max()
    assert float(off) <= FOREIGN_TURN_SPREADS * 0.01 + GEOMETRY32
    rest = [it for it in range(HUMAN.width) if not turns.start <= it < turns.stop]
    assert torch.equal(foreign[..., rest], plain.features[:, 228:][..., rest])


def test_footage_names_its_windows_and_its_words_change_its_mark(takes: TravelledTakes):
    features = take_features(takes, CPU)
    one = PeopleWindow("cmu/07_01", 17, 70, False, ("cmu/07_01/00",), ("walks", "goes"))
    first, second = (
        footage_of_windows(features, [replace(one, captions=words)], takes.sha256)
        for words in (("walks", "goes"), ("walks",))
    )
    assert first.human_names == ("cmu_07_01_00017_053",)
    assert first.human_captions == (("walks", "goes"),)
    assert first.sha256 != second.sha256 and first.store_sha256 == second.store_sha256


def test_takes_without_words_are_refused(takes: TravelledTakes):
    every = worded_segments(read_segments(), read_segment_captions())
    some = {name: every.get(name, []) for name in KINDS}
    assert list(present(some, takes)) == list(KINDS)
    with pytest.raises(TrainingError, match="cmu_more/49_01"):
        present({name: rows for name, rows in some.items() if "more" not in name}, takes)


def test_another_body_is_not_packed(clips: dict[str, Clip], tmp_path: Path):
    clip = clips["cmu/07_01"]
    tall = replace(clip, motion=replace(clip.motion, joints=clip.motion.joints * 1.1))
    (tmp_path / "cmu").mkdir()
    write_clip(tall, tmp_path / "cmu/07_01.clip")
    with pytest.raises(TrainingError, match="skeleton"):
        write_takes(["cmu/07_01"], tmp_path, tmp_path / "takes.parcel")
