"""Bad requests are refused with a fact and a remedy before anything is sampled."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import jaxtyping
import numpy as np
import pytest
import torch

from aesop.core.errors import AesopError
from aesop.director import sampling
from aesop.director.director import Director, load_director
from aesop.director.requests import FilmRequest, RequestError, check_preset
from aesop.director.rule_based import Operator
from aesop.director.trained_parts import ENVIRONMENT, ship, weights_folder
from aesop.models.phase_table import PartName
from aesop.models.weights import flat_name, part_file
from aesop.scene.human import Clip, HumanMotion, cut
from aesop.scene.intensity_curve import IntensityCurve
from tests.director.makers import PUSH_IN, WALK, director_of, save_cast, walking

CLIP = walking(61)


def broken(clip_joint: float) -> HumanMotion:
    joints = CLIP.motion.joints.clone()
    joints[7, 3, 1] = clip_joint
    return HumanMotion(CLIP.motion.rotations, joints)


@pytest.fixture
def idle(director: Director, monkeypatch: pytest.MonkeyPatch) -> Director:
    """A director who may not sample."""

    def never(*_: object) -> None:
        raise AssertionError("sampled before checking")

    monkeypatch.setattr(sampling, "sample_latents", never)
    monkeypatch.setattr(sampling, "sample_latents", never)
    return director


@pytest.mark.parametrize("intensity", [0.0, 2.0, -1.0, float("nan"), float("inf")])
def test_impossible_intensities(idle: Director, intensity: float):
    with pytest.raises(AesopError, match="intensity"):
        idle.film(CLIP, PUSH_IN, intensity=intensity)
    with pytest.raises(AesopError, match="intensity"):
        idle.shoot(WALK, PUSH_IN, 2.0, intensity=intensity)


def test_a_curve_may_be_given_as_a_command_reads_it(director: Director):
    text = "0:0.5 2:1.5"
    curve = IntensityCurve.from_text(text)
    for who in (director, Operator()):
        for written, meant in ((text, curve), ("1.3", 1.3)):
            first, second = (who.film(CLIP, PUSH_IN, one, seed=3) for one in (written, meant))
            assert torch.equal(first.camera.centre, second.camera.centre)
            assert first.intensity == second.intensity
        (swept,) = who.sweep(CLIP, PUSH_IN, [text], seed=3)
        assert swept.intensity_curve == curve
        with pytest.raises(AesopError, match="no number") as refused:
            who.film(CLIP, PUSH_IN, "much")
        assert "seconds:value" in refused.value.remedy
    with pytest.raises(AesopError, match="Choose one of them"):
        director.film(CLIP, PUSH_IN, text, travel_m=1.0)


@pytest.mark.parametrize("wrong", [1.5, "7", float("nan"), [3]])
def test_numbers_of_another_kind(idle: Director, wrong: Any):
    """Scripts are not checked by types; requests are."""
    jaxtyping.config.update("jaxtyping_disable", True)
    with pytest.raises(RequestError, match=r"The seed .* is no whole number"):
        idle.film(CLIP, PUSH_IN, seed=wrong)
    with pytest.raises(RequestError, match=r"The seed .* is no whole number"):
        Operator().film(CLIP, PUSH_IN, seed=wrong)
    with pytest.raises(RequestError, match=r"The seed .* is no whole number"):
        idle.act(WALK, 2.0, seed=wrong)
    with pytest.raises(RequestError, match=r"The intensity .* is no number"):
        idle.film(CLIP, PUSH_IN, intensity=[0.5, 1.5])  # pyright: ignore[reportArgumentType]


def test_numbers_of_numpy_are_numbers(idle: Director):
    jaxtyping.config.update("jaxtyping_disable", True)
    FilmRequest(CLIP, PUSH_IN, np.float32(1.25), np.int64(3)).check()  # pyright: ignore


def test_unusual_intensities_are_met_with_a_warning(
    director: Director, caplog: pytest.LogCaptureFixture
):
    with caplog.at_level(logging.WARNING):
        director.film(CLIP, PUSH_IN, intensity=1.5)
        assert not caplog.records
        director.film(CLIP, PUSH_IN, intensity=1.51)
    assert "1.51" in caplog.text


def test_many_requests_are_warned_of_once_for_every_unusual_intensity(
    director: Director, caplog: pytest.LogCaptureFixture
):
    asked = (1.7, 0.4, 1.0, 1.7, 0.4)
    with caplog.at_level(logging.WARNING):
        director.film_many([FilmRequest(CLIP, PUSH_IN, it) for it in asked])
    told = [record.getMessage() for record in caplog.records]
    assert [text.split()[1] for text in told] == ["0.4", "1.7"]


@pytest.mark.parametrize("words", ["", "   ", "…!", "\udcff"])
def test_words_that_say_nothing(idle: Director, words: str):
    with pytest.raises(AesopError, match="words"):
        idle.film(CLIP, words)
    with pytest.raises(AesopError, match="words"):
        idle.act(words, 2.0)
    with pytest.raises(AesopError, match="words"):
        idle.shoot(WALK, words, 2.0)


@pytest.mark.parametrize("seconds", [0.0, 0.5, 12.5, -3.0, float("nan"), float("inf")])
def test_impossible_lengths(idle: Director, seconds: float):
    with pytest.raises(AesopError, match="1 to 12 seconds"):
        idle.act(WALK, seconds)


@pytest.mark.parametrize(
    ("clip", "told"),
    [
        (cut(CLIP, 0, 11), "0.44 s"),
        (replace(CLIP, fps=30.0), "30 frames per second"),
        (replace(CLIP, motion=broken(float("nan"))), "not finite"),
        (replace(CLIP, motion=HumanMotion(torch.zeros(0, 22, 3, 3), torch.zeros(0, 22, 3))), "no"),
    ],
)
def test_impossible_clips(idle: Director, clip: Clip, told: str):
    with pytest.raises(AesopError, match=told):
        idle.film(clip, PUSH_IN)


def test_numbers_out_of_range(idle: Director):
    for request in (
        FilmRequest(CLIP, PUSH_IN, guidance=-0.1),
        FilmRequest(CLIP, PUSH_IN, guidance=float("nan")),
        FilmRequest(CLIP, PUSH_IN, seed=-1),
        FilmRequest(CLIP, PUSH_IN, take=-1),
    ):
        with pytest.raises(AesopError):
            idle.film_many([FilmRequest(CLIP, PUSH_IN), request])
    with pytest.raises(AesopError, match="preset"):
        check_preset("slow")
    with pytest.raises(AesopError, match="takes"):
        idle.film_takes(CLIP, PUSH_IN, 0)


def test_missing_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(AesopError, match="no folder"):
        load_director(tmp_path / "nowhere")
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    save_cast(tmp_path)
    assert weights_folder() == tmp_path
    (tmp_path / flat_name("camera-flow")).unlink()
    with pytest.raises(AesopError, match="no camera-flow"):
        director_of(tmp_path).film(CLIP, PUSH_IN)
    assert director_of(tmp_path).act(WALK, 1.2).frames == 30  # a person needs no camera


@pytest.mark.parametrize("part", ["human-codec", "camera-codec", "camera-flow"])
def test_damaged_weights(tmp_path: Path, part: PartName, monkeypatch: pytest.MonkeyPatch):
    save_cast(tmp_path)
    path = tmp_path / flat_name(part)
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(bytes(content))
    monkeypatch.setattr(sampling, "sample_latents", None)
    with pytest.raises(AesopError, match="not as it was written"):
        director_of(tmp_path).film(CLIP, PUSH_IN)


def test_the_last_finished_phase_of_a_run_is_taken(cast: Path, tmp_path: Path):
    phases = ("human-codec", "camera-codec", "human-flow", "camera-flow", "camera-flow-dpa")
    for phase in phases:
        (tmp_path / phase).mkdir()
        part = "camera-flow" if phase.startswith("camera-flow") else phase
        source = cast / f"{part.replace('-', '_')}.safetensors"
        (tmp_path / phase / "weights.safetensors").write_bytes(source.read_bytes())
    assert part_file(tmp_path, "camera-flow") == tmp_path / "camera-flow-dpa/weights.safetensors"
    assert director_of(tmp_path).film(CLIP, PUSH_IN).frames == 61


def test_shipped_weights_are_half_the_size_and_answer_alike(cast: Path, tmp_path: Path):
    whole, half = director_of(cast), tmp_path / "base"
    files = ship(whole.parts, half)
    assert [path.name for path in files] == sorted(path.name for path in cast.iterdir())
    sizes = [sum(path.stat().st_size for path in folder.iterdir()) for folder in (half, cast)]
    assert sizes[0] < 0.75 * sizes[1]  # cards and statistics keep their size
    shots = [director_of(folder).film(CLIP, PUSH_IN) for folder in (cast, half)]
    apart = shots[0].camera.centre - shots[1].camera.centre
    assert 0 < float(apart.abs().max()) < 0.1 * float(shots[0].camera.travel)
