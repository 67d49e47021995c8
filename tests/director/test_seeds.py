"""The seed of a request that names none: whose it is, and what has no say in it."""

from dataclasses import replace

import torch

from aesop.director.director import Director
from aesop.director.requests import (
    OWN_SEEDS,
    ActRequest,
    FilmRequest,
    ShootRequest,
    seed_of_motion,
    seed_of_words,
)
from aesop.scene.human import HumanMotion, shifted, turned
from tests.director.makers import PUSH_IN, TRUCK, WALK, WAVE, walking
from tests.director.test_laws import apart, same_camera, same_motion


def test_a_seed_belongs_to_motion_and_words():
    clips = [walking(frames, seed) for frames in (61, 67) for seed in (2, 3, 5)]
    seeds = [FilmRequest(clip, words).noise_seed for clip in clips for words in (PUSH_IN, TRUCK)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < OWN_SEEDS for seed in seeds)


def test_a_seed_is_the_same_on_every_machine():
    """Written down: a hash that changed would change every film that names no seed."""
    assert seed_of_words("the camera pushes in", 61) == 745222
    assert seed_of_words("a", "b") != seed_of_words("b", "a")


def test_sampling_has_no_say_in_a_seed():
    first = FilmRequest(walking(61), PUSH_IN)
    for other in (
        replace(first, intensity=0.7),
        replace(first, guidance=3.0),
        replace(first, take=2),
        replace(first, clip=replace(first.clip, name="another")),
    ):
        assert other.noise_seed == first.noise_seed
    assert replace(first, seed=0).noise_seed == 0


def test_a_motion_elsewhere_or_in_other_digits_has_the_same_seed(dice: torch.Generator):
    for seed in range(7):
        clip = walking(61, seed)
        for yaw, offset in ((2.1, (3.0, -7.0, 0.4)), (-1.3, (40.0, 0.1, -2.0))):
            motion = shifted(turned(clip.motion, torch.tensor(yaw)), torch.tensor(offset))
            # What float32 loses at 40 m is more than what two processors differ by.
            noisy = motion.joints + 1e-6 * torch.randn(motion.joints.shape, generator=dice)
            elsewhere = replace(clip, motion=HumanMotion(motion.rotations, noisy))
            assert seed_of_motion(elsewhere, PUSH_IN) == seed_of_motion(clip, PUSH_IN)


def test_no_camera_reaches_the_seed_of_a_person():
    shoots = [
        ShootRequest(WALK, PUSH_IN, 2.0),
        ShootRequest(WALK, TRUCK, 2.0, intensity=0.6, guidance=3.0, camera_seed=4, take=1),
    ]
    alone = ActRequest(WALK, 2.0)
    assert {it.acted.noise_seed for it in shoots} == {alone.noise_seed}
    assert ActRequest(WAVE, 2.0).noise_seed != alone.noise_seed
    assert ActRequest(WALK, 2.4).noise_seed != alone.noise_seed
    assert [it.noise_seed for it in shoots] == [seed_of_words(WALK, PUSH_IN), 4]
    assert ShootRequest(WALK, PUSH_IN, 2.0, seed=3).noise_seed == 3


def test_the_seed_that_was_used_is_noted_and_repeats_the_answer(director: Director):
    clip = walking(61)
    shot = director.film(clip, PUSH_IN, finish="as-sampled")
    seed = FilmRequest(clip, PUSH_IN).noise_seed
    assert f"seed {seed}, take 0" in shot.provenance.notes
    again = director.film(clip, PUSH_IN, seed=seed, finish="as-sampled")
    assert same_camera(shot.camera, again.camera)
    acted = director.act(WALK, 1.4)
    (note,) = [it for it in acted.provenance.notes if it.startswith("seed ")]
    assert note == f"seed {ActRequest(WALK, 1.4).noise_seed}, take 0"
    repeated = director.act(WALK, 1.4, seed=ActRequest(WALK, 1.4).noise_seed)
    assert same_motion(acted.motion, repeated.motion)
    shoot = director.shoot(WALK, PUSH_IN, 1.4)
    assert same_motion(acted.motion, shoot.clip.motion)
    assert apart(shoot.camera, director.shoot(WALK, PUSH_IN, 1.4).camera) == 0
