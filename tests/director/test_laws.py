"""Laws of the director: who depends on what, to the last bit."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.director.director import Director
from aesop.director.finish import Finish
from aesop.director.requests import SWEEP, ActRequest, FilmRequest, ShootRequest
from aesop.flow.path import noise_for
from aesop.flow.solvers import PRESETS
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion, shifted, turned
from aesop.scene.shot import Placement, Shot, place_camera
from tests.director.makers import PUSH_IN, TRUCK, WALK, WAVE, director_of, walking
from tests.tolerances import FILMED32, GEOMETRY64


def same_motion(first: HumanMotion, second: HumanMotion) -> bool:
    return torch.equal(first.joints, second.joints) and torch.equal(
        first.rotations, second.rotations
    )


def same_camera(first: CameraPath, second: CameraPath) -> bool:
    return (
        torch.equal(first.centre, second.centre)
        and torch.equal(first.world_from_camera, second.world_from_camera)
        and torch.equal(first.fov_vertical, second.fov_vertical)
        and first.aspect == second.aspect
    )


def apart(first: CameraPath, second: CameraPath) -> float:
    """Largest difference of any number of two paths."""
    pairs = (
        (first.centre, second.centre),
        (first.world_from_camera, second.world_from_camera),
        (first.fov_vertical, second.fov_vertical),
    )
    return max(float((a - b).abs().max()) for a, b in pairs)


def test_nothing_about_the_camera_reaches_the_person(director: Director):
    alone = director.act(WALK, 2.36, seed=5).motion
    shots = [
        director.shoot(WALK, PUSH_IN, 2.36, seed=5),
        director.shoot(WALK, TRUCK, 2.36, seed=5),
        director.shoot(WALK, PUSH_IN, 2.36, seed=5, intensity=0.6),
        director.shoot(WALK, PUSH_IN, 2.36, seed=5, camera_seed=17),
        director.shoot(WALK, PUSH_IN, 2.36, seed=5, guidance=3.0),
        director.shoot(WALK, PUSH_IN, 2.36, seed=5, guidance=1.0),
        director.shoot(WALK, PUSH_IN, 2.36, seed=5, preset="reference"),
    ]
    assert all(same_motion(alone, shot.clip.motion) for shot in shots)
    cameras = [shot.camera for shot in shots]
    assert not any(same_camera(cameras[0], other) for other in cameras[1:])


def test_words_and_seed_decide_the_person(director: Director):
    first = director.act(WALK, 2.36, seed=5).motion
    assert same_motion(first, director.act(WALK, 2.36, seed=5).motion)
    assert not same_motion(first, director.act(WALK, 2.36, seed=6).motion)
    assert not same_motion(first, director.act(WAVE, 2.36, seed=5).motion)
    takes = director.act_many([ActRequest(WALK, 2.36, 5, take) for take in (0, 1)])
    assert not same_motion(takes[0].motion, takes[1].motion)


def test_new_people_stand_on_the_ground_at_the_origin(director: Director):
    motion = director.act(WALK, 2.36, seed=5).motion
    assert motion.frames == 59
    assert float(motion.joints[..., 2].min()) == 0
    assert torch.equal(motion.root[0, :2], torch.zeros(2))


def test_the_motion_given_comes_back_untouched(director: Director):
    clip = walking(61)
    before = clip.motion.joints.clone(), clip.motion.rotations.clone()
    shot = director.film(clip, PUSH_IN)
    assert shot.clip is clip
    assert torch.equal(shot.clip.motion.joints, before[0])
    assert torch.equal(shot.clip.motion.rotations, before[1])


def test_the_camera_of_a_person_depends_on_everything_asked(director: Director):
    clip = walking(61)
    first = director.film(clip, PUSH_IN, finish="as-sampled")
    assert same_camera(first.camera, director.film(clip, PUSH_IN, finish="as-sampled").camera)
    others = [
        director.film(clip, TRUCK, finish="as-sampled"),
        director.film(clip, PUSH_IN, intensity=1.3, finish="as-sampled"),
        director.film(clip, PUSH_IN, seed=1, finish="as-sampled"),
        director.film(clip, PUSH_IN, guidance=2.0, finish="as-sampled"),
        director.film(clip, PUSH_IN, preset="reference", finish="as-sampled"),
        director.film(walking(61, seed=3), PUSH_IN, finish="as-sampled"),
        *director.film_takes(clip, PUSH_IN, 3, finish="as-sampled")[1:],
    ]
    assert all(apart(first.camera, other.camera) > FILMED32 for other in others)


@pytest.mark.parametrize("finish", ["as-sampled", "consistent"])
def test_without_a_choice_the_first_take_is_the_film(director: Director, finish: Finish):
    clip = walking(61)
    takes = director.film_takes(clip, PUSH_IN, 3, seed=4, finish=finish)
    film = director.film(clip, PUSH_IN, seed=4, finish=finish)
    assert apart(takes[0].camera, film.camera) < FILMED32


def moved(shot: Shot, placement: Placement) -> CameraPath:
    return place_camera(shot.camera, placement)


@pytest.mark.parametrize("frames", [61, 413])
def test_turning_and_moving_the_person_turns_and_moves_the_camera(director: Director, frames: int):
    clip = walking(frames)
    still = director.film(clip, PUSH_IN)
    placement = Placement(torch.tensor(2.1), torch.tensor([3.0, -7.0, 0.4]))
    motion = shifted(turned(clip.motion, placement.yaw), placement.offset)
    elsewhere = director.film(replace(clip, motion=motion), PUSH_IN)
    # Untrained cameras of long motion stray by hundreds of metres; networks answer in float32.
    farthest = float(still.camera.centre.abs().max())
    assert apart(elsewhere.camera, moved(still, placement)) < FILMED32 * max(farthest / 10, 1.0)


def test_an_answer_does_not_depend_on_what_else_is_asked(director: Director):
    requests = [
        FilmRequest(walking(29 + 13 * row), PUSH_IN if row % 2 else TRUCK, 0.7 + 0.1 * row, row)
        for row in range(5)
    ]
    requests.append(replace(requests[2], guidance=1.0))
    together = Director(director.parts, largest_batch=len(requests)).film_many(requests)
    backwards = Director(director.parts, largest_batch=3).film_many(requests[::-1])[::-1]
    for request, shot, again in zip(requests, together, backwards, strict=True):
        (alone,) = director.film_many([request])
        assert apart(alone.camera, shot.camera) < FILMED32
        assert apart(alone.camera, again.camera) < FILMED32


def test_people_do_not_depend_on_what_else_is_asked(director: Director):
    requests = [ShootRequest(WALK, PUSH_IN, 1.2 + 0.2 * row, seed=row) for row in range(5)]
    everyone = Director(director.parts, largest_batch=len(requests))
    for request, shot in zip(requests, everyone.shoot_many(requests), strict=True):
        (alone,) = director.shoot_many([request])
        assert (alone.clip.motion.joints - shot.clip.motion.joints).abs().max() < FILMED32
        assert apart(alone.camera, shot.camera) < FILMED32


def test_longer_noise_begins_with_the_shorter():
    short = noise_for(3, 1, (7, 5), stream="camera")
    assert torch.equal(noise_for(3, 1, (11, 5), stream="camera")[:7], short)


def test_intensity_acts_through_its_embedding_alone(cast: Path):
    director = director_of(cast)
    flow = director.parts.camera_flow.network
    assert flow.intensity is not None
    clip = walking(61)
    alive = [director.film(clip, PUSH_IN, it, finish="as-sampled") for it in (0.5, 1.0, 1.5)]
    assert apart(alive[0].camera, alive[1].camera) > FILMED32
    flow.intensity.second.weight.zero_()
    shots = [director.film(clip, PUSH_IN, it, finish="as-sampled") for it in SWEEP]
    assert len(shots) == 11 and all(same_camera(shots[0].camera, it.camera) for it in shots)
    # Rows of one batch may be added up in different orders where many threads share them.
    swept = director.sweep(clip, PUSH_IN, finish="as-sampled")
    assert all(apart(swept[0].camera, shot.camera) < FILMED32 for shot in swept)
    assert apart(alive[1].camera, shots[0].camera) == 0  # at 1 it never said anything


def test_a_sweep_shares_its_noise(director: Director):
    clip = walking(61)
    for shot in director.sweep(clip, PUSH_IN, intensities=(0.5, 1.0, 1.4)):
        alone = director.film(clip, PUSH_IN, intensity=shot.intensity)
        assert apart(alone.camera, shot.camera) < FILMED32


def test_the_first_centre_is_anchored_to_the_person_given(director: Director):
    """Decoded features place the camera relative to the root that was supplied."""
    clip = walking(61)
    higher = replace(clip, motion=shifted(clip.motion, torch.tensor([0.0, 0.0, 0.25])))
    low, high = director.film(clip, PUSH_IN).camera, director.film(higher, PUSH_IN).camera
    lifted = high.centre - low.centre
    assert (lifted - torch.tensor([0.0, 0.0, 0.25])).abs().max() < FILMED32


def test_reference_is_the_papers_sampler():
    reference = PRESETS["reference"]
    assert (reference.method, reference.steps, reference.shift) == ("euler", 50, 5.0)
    u = 1 - torch.arange(51, dtype=torch.float64) / 50
    assert torch.allclose(reference.times, 5 * u / (1 + 4 * u), atol=GEOMETRY64)
    assert 3 * PRESETS["fast"].calls <= reference.calls
