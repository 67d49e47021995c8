"""What the weights that come with AESOP do, on motions that our own code makes."""

import numpy as np
import pytest

from aesop.director.clearance import CLEARANCE_M
from aesop.director.director import load_director
from aesop.director.requests import FilmRequest
from aesop.fables.synthetic import synthetic_motion
from aesop.metrics.motion_metrics import film_facts, plain_name
from aesop.scene.shot import Shot
from tests.tolerances import GEOMETRY32

ACTIONS = ("walk", "jump", "sit")
FRAMES = 97
MOVEMENTS = {
    "push in": "The camera pushes in on the person.",
    "pull out": "The camera pulls out from the person.",
    "truck left": "The camera trucks left.",
    "boom up": "The camera booms up.",
    "boom down": "The camera booms down.",
}
INTENSITIES = (0.5, 1.0, 1.5)
Films = dict[tuple[str, str], list[Shot]]


@pytest.fixture(scope="module")
def films() -> Films:
    director = load_director()
    clips = {it: synthetic_motion(it, FRAMES, np.random.default_rng(13)).clip for it in ACTIONS}
    asked = [(action, movement) for action in ACTIONS for movement in MOVEMENTS]
    requests = [
        FilmRequest(clips[action], MOVEMENTS[movement], intensity, seed=3)
        for action, movement in asked
        for intensity in INTENSITIES
    ]
    made = director.film_many(requests)
    count = len(INTENSITIES)
    return {key: made[count * at : count * (at + 1)] for at, key in enumerate(asked)}


def test_cameras_do_what_words_ask_for(films: Films):
    right = [
        plain_name(film_facts(shot).dominant) == movement
        for (_, movement), shots in films.items()
        for shot in shots
    ]
    assert np.mean(right) >= 0.95


def test_travel_follows_intensity(films: Films):
    travel = np.array([[float(shot.camera.travel) for shot in shots] for shots in films.values()])
    assert (np.diff(travel, axis=1) > 0).all()
    weak, plain, strong = travel.mean(0)
    assert weak <= 0.55 * plain and strong >= 1.3 * plain


def test_another_intensity_is_the_same_shot(films: Films):
    """It begins near to where it begins at one."""
    starts = np.array([[shot.camera.centre[0].numpy() for shot in it] for it in films.values()])
    apart = np.linalg.norm(starts - starts[:, 1:2], axis=-1)
    assert apart.mean() < 0.2


def test_no_camera_is_below_the_floor_and_few_frames_are_empty(films: Films):
    shots = [shot for some in films.values() for shot in some]
    for shot in shots:
        floor = float(shot.clip.motion.joints[..., 2].min())
        assert float(shot.camera.centre[:, 2].min()) >= floor + CLEARANCE_M - GEOMETRY32
    assert np.mean([film_facts(shot).out_share for shot in shots]) < 0.02
