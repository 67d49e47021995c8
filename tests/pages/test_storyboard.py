"""Storyboards and the facts on them."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.fables.synthetic import synthetic_motion
from aesop.metrics.motion_metrics import facts_line, film_facts, made_line
from aesop.pages.figures import Strip, storyboard
from aesop.preview import colours
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import Provenance
from aesop.scene.shot import Shot
from tests.tolerances import GEOMETRY64


def pushing_in(aspect: float = 16 / 9) -> Shot:
    """1.5 m nearer in three seconds, looking ahead."""
    clip = synthetic_motion("wave", 76, np.random.default_rng(3)).clip
    centre = torch.tensor([0.0, -5.0, 1.1], dtype=torch.float64).repeat(76, 1)
    camera = camera_looking_at(centre, centre + centre.new_tensor([0.0, 1.0, 0.0]), 0.7, aspect)
    centre[:, 1] += torch.linspace(0, 1.5, 76)
    return Shot(clip, replace(camera, centre=centre), Provenance("a test"), "push in", "a wave")


def test_facts_say_what_a_known_camera_does():
    facts = film_facts(pushing_in())
    assert facts.dominant == "push_in" and facts.tag_shares == (("push_in", 1.0),)
    assert facts.out_share == 0 and facts.travel_m == pytest.approx(1.5, abs=GEOMETRY64)
    assert facts_line(facts) == "push in 100%; travel 1.50 m"


def test_a_line_says_what_was_made_in_words_that_can_be_asked_for():
    """Half an orbit is no truck, and a low camera is low."""
    assert made_line(pushing_in()) == "push in; wide to full; travel 1.50 m"
    clip = synthetic_motion("wave", 101, np.random.default_rng(3)).clip
    hips = clip.motion.joints[:, 0].double().mean(0)
    angle = torch.linspace(0, np.pi, 101, dtype=torch.float64)
    beside = torch.stack([angle.cos(), angle.sin(), torch.zeros_like(angle)], -1) * 3
    low = beside + hips * hips.new_tensor([1, 1, 0]) + hips.new_tensor([0, 0, 0.5])
    camera = camera_looking_at(low, hips.expand(101, 3), 0.7, 16 / 9)
    line = made_line(Shot(clip, camera, Provenance("a test"), "orbit", "a wave"))
    assert line.startswith("arc") or line.startswith("orbit")
    assert "truck" not in line and "low" in line and "handheld" not in line


def test_facts_tell_times_of_several_movements_and_of_an_empty_picture():
    shot = pushing_in()
    turned = shot.camera.world_from_camera.clone()
    turned[:38, :, [0, 2]] *= -1  # the first half looks the other way, and so backs into the scene
    facts = film_facts(replace(shot, camera=replace(shot.camera, world_from_camera=turned)))
    assert facts.out_share == 0.5
    assert dict(facts.tag_shares) == pytest.approx({"pull_out": 38 / 75, "push_in": 37 / 75})
    assert facts_line(facts).endswith("nobody in frame 50%")


@pytest.mark.parametrize(("width", "views"), [(331, 3), (499, 5), (641, 4)])
def test_strips_fill_the_page_and_stay_on_it(width: int, views: int):
    wide, tall = pushing_in(), pushing_in(0.6)
    one = storyboard([Strip("wide", wide)], width=width, lens_views=views)
    two = storyboard([Strip("wide", wide), Strip("tall", tall)], width=width, lens_views=views)
    assert one.shape[1] == two.shape[1] == width
    assert np.array_equal(two[: len(one)], one)  # a row does not depend on those below
    drawn = np.flatnonzero(~(one == colours.screen(colours.PAPER)).all(-1).all(0))
    assert drawn[0] == width - 1 - drawn[-1] == max(width // 160, 2)
