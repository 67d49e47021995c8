"""Small motions that do one thing each, on our skeleton: what tests of actions are tried on."""

import math
from collections.abc import Callable

import numpy as np
import torch

from aesop.fables.synthetic import Leg, ease, posed, standing, synthetic_motion, wander
from aesop.scene.human import HumanMotion, grounded, pose_motion
from aesop.scene.rotation import about_axis
from aesop.scene.skeleton import JOINT

FRAMES = 83
LEFT, RIGHT = 0, 1
SHARE = torch.linspace(0, 1, FRAMES, dtype=torch.float64)
SECONDS = torch.arange(FRAMES, dtype=torch.float64) / 25


def reversed_in_time(motion: HumanMotion) -> HumanMotion:
    return motion.part(torch.arange(motion.frames - 1, -1, -1))


def joined(first: HumanMotion, second: HumanMotion) -> HumanMotion:
    """One after the other, the second where the first ends."""
    shift = (first.joints[-1, 0] - second.joints[0, 0]) * torch.tensor([1.0, 1.0, 0.0])
    joints = torch.cat([first.joints, second.joints + shift.to(second.joints)])
    return HumanMotion(torch.cat([first.rotations, second.rotations]), joints)


def bump(start: float, stop: float, rise: float = 0.15) -> torch.Tensor:
    """Up from 0 to 1, held, and down again."""
    return ease((SHARE - start) / rise) * ease((stop - SHARE) / rise)


def _towards(arms: torch.Tensor, side: int, way: tuple[float, float, float], much: torch.Tensor):
    """Swing an arm from where it hangs; `way` is out from the body, to its back, up."""
    sign = 1.0 if side == LEFT else -1.0
    goal = torch.tensor([sign * way[0], way[1], way[2]], dtype=torch.float64)
    arms[:, side] += much[:, None] * (goal - arms[:, side])


def arm(side: int, way: tuple[float, float, float], much: torch.Tensor) -> HumanMotion:
    body = standing(FRAMES)
    _towards(body.upper_arms, side, way, much)
    _towards(body.forearms, side, way, much)
    return posed(body)


def raises_arm(side: int) -> HumanMotion:
    return arm(side, (0.2, -0.1, 1.0), bump(0.2, 0.8))


def punches(side: int) -> HumanMotion:
    """From the chest, straight ahead and back within half a second."""
    body = standing(FRAMES)
    guard, out = torch.ones(FRAMES, dtype=torch.float64), bump(0.4, 0.55, 0.07)
    for which in (LEFT, RIGHT):
        _towards(body.upper_arms, which, (0.25, 0.1, -1.0), guard)
        _towards(body.forearms, which, (-0.3, -0.7, 0.7), guard)
    _towards(body.upper_arms, side, (0.0, -1.0, 0.0), out)
    _towards(body.forearms, side, (0.0, -1.0, 0.0), out)
    return posed(body)


def points(side: int) -> HumanMotion:
    return arm(side, (0.0, -1.0, 0.0), bump(0.1, 0.9))


def waves(side: int) -> HumanMotion:
    for seed in range(16):  # the action draws its hand
        made = synthetic_motion("wave", FRAMES, np.random.default_rng(seed))
        if ("left", "right")[side] in made.captions[0]:
            return made.clip.motion
    raise AssertionError("sixteen draws of one hand")


def waves_both() -> HumanMotion:
    """Each arm of those who wave with it, on one body."""
    left, right = waves(LEFT), waves(RIGHT)
    rotations = left.rotations.clone()
    for name in ("shoulder", "elbow", "wrist"):
        joint = JOINT[f"right_{name}"]
        rotations[:, joint] = right.rotations[:, joint]
    return pose_motion(rotations, left.root)


def both_arms() -> HumanMotion:
    body = standing(FRAMES)
    for side in (LEFT, RIGHT):
        for arms in (body.upper_arms, body.forearms):
            _towards(arms, side, (0.2, -0.1, 1.0), bump(0.2, 0.8))
    return posed(body)


def claps() -> HumanMotion:
    body = standing(FRAMES)
    held = torch.ones(FRAMES, dtype=torch.float64)
    open_ = 0.25 * torch.sin(2 * math.pi * 2.5 * SECONDS) ** 2
    for side, sign in ((LEFT, 1.0), (RIGHT, -1.0)):
        _towards(body.upper_arms, side, (0.1, -0.3, -1.0), held)
        _towards(body.forearms, side, (-0.55, -1.0, 0.2), held)
        body.forearms[:, side, 0] += sign * open_
    return posed(body)


def kicks(side: int) -> HumanMotion:
    body = standing(FRAMES)
    up = bump(0.35, 0.7)
    body.ankles[:, side, 1] -= 0.6 * up
    body.ankles[:, side, 2] += 0.55 * up
    return posed(body)


def balances(side: int) -> HumanMotion:
    body = standing(FRAMES)
    body.ankles[:, side, 2] += 0.3 * bump(0.1, 0.95)
    return posed(body)


def hops(side: int) -> HumanMotion:
    body = standing(FRAMES)
    fly = 0.12 * torch.sin(2 * math.pi * SECONDS).clamp_min(0)
    body.pelvis[:, 2] += fly
    body.ankles[..., 2] += fly[:, None]
    body.ankles[:, 1 - side, 2] += 0.25
    return posed(body)


def jumps(times: int = 1, forward_m: float = 0.0) -> HumanMotion:
    body = standing(FRAMES)
    fly, way = torch.zeros(FRAMES, dtype=torch.float64), torch.zeros(FRAMES, dtype=torch.float64)
    for number in range(times):
        middle, half = (number + 0.5) / times, 0.24 * 25 / FRAMES
        fly += (1 - ((SHARE - middle) / half) ** 2).clamp_min(0) * 0.25
        way += ease((SHARE - middle + half) / (2 * half)) * forward_m
    for height in (body.pelvis[:, 2], body.ankles[:, LEFT, 2], body.ankles[:, RIGHT, 2]):
        height += fly
    for ahead in (body.pelvis[:, 1], body.ankles[:, LEFT, 1], body.ankles[:, RIGHT, 1]):
        ahead -= way
    return posed(body)


def crouches() -> HumanMotion:
    body = standing(FRAMES)
    down = bump(0.2, 0.9)
    body.pelvis[:, 2] -= 0.38 * down
    body.pelvis[:, 1] += 0.1 * down
    body.lean.add_(0.6 * down)
    return posed(body)


def sits_down() -> HumanMotion:
    for seed in range(16):  # the action draws whether it sits down or gets up
        motion = synthetic_motion("sit", FRAMES, np.random.default_rng(seed)).clip.motion
        if motion.root[-1, 2] < motion.root[0, 2]:
            return motion
    raise AssertionError("sixteen draws in a row got up")


def lies_down() -> HumanMotion:
    """Falls backward like a plank."""
    motion = synthetic_motion("stand", FRAMES, np.random.default_rng(3)).clip.motion
    tip = about_axis(-math.pi / 2 * ease((SHARE - 0.2) / 0.5), "x").to(motion.joints)
    rotations = motion.rotations.clone()
    rotations[:, 0] = tip @ rotations[:, 0]
    return grounded(HumanMotion(rotations, motion.joints @ tip.mT))


def bows() -> HumanMotion:
    body = standing(FRAMES)
    body.lean.add_(math.radians(60) * bump(0.2, 0.8))
    return posed(body)


def picks_up() -> HumanMotion:
    body = standing(FRAMES)
    down = bump(0.2, 0.8)
    body.pelvis[:, 2] -= 0.3 * down
    body.pelvis[:, 1] += 0.15 * down
    body.lean.add_(math.radians(75) * down)
    return posed(body)


def looks_around() -> HumanMotion:
    """The head turns left, then right, by 45° each; nothing else does."""
    motion = synthetic_motion("stand", FRAMES, np.random.default_rng(3)).clip.motion
    turn = math.radians(45) * torch.sin(2 * math.pi * SHARE)
    rotations = motion.rotations.clone()
    rotations[:, JOINT["head"]] = about_axis(turn, "y").to(rotations) @ rotations[:, JOINT["head"]]
    return HumanMotion(rotations, motion.joints)


def steps_up() -> HumanMotion:
    """Forward onto a box of 30 cm."""
    motion = wander([Leg(3.3, 0.8)])
    high = motion.joints[:, :1, 1] < motion.joints[:, :1, 1].mean()
    joints = motion.joints.clone()
    joints[..., 2] += 0.3 * high
    return HumanMotion(motion.rotations, joints)


def stands() -> HumanMotion:
    return synthetic_motion("stand", FRAMES, np.random.default_rng(3)).clip.motion


# Who does what; left and right in pairs.
ACTING: dict[str, Callable[[], HumanMotion]] = {
    "walk forward": lambda: wander([Leg(3.3, 1.1)]),
    "walk backward": lambda: wander([Leg(3.3, 0.8, aside_deg=180.0)]),
    "sidestep left": lambda: wander([Leg(3.3, 0.6, aside_deg=90.0)]),
    "sidestep right": lambda: wander([Leg(3.3, 0.6, aside_deg=-90.0)]),
    "walk in a circle": lambda: wander([Leg(5.0, 1.0, turn_deg=300.0)]),
    "run": lambda: wander([Leg(3.3, 3.1)]),
    "turn left": lambda: wander([Leg(3.3, 0.0, turn_deg=90.0)]),
    "turn right": lambda: wander([Leg(3.3, 0.0, turn_deg=-90.0)]),
    "turn around": lambda: wander([Leg(3.3, 0.0, turn_deg=180.0)]),
    "spin": lambda: wander([Leg(3.3, 0.0, turn_deg=360.0)]),
    "sit down": sits_down,
    "stand up": lambda: reversed_in_time(sits_down()),
    "lie down": lies_down,
    "get up": lambda: reversed_in_time(lies_down()),
    "crouch": crouches,
    "jump up": jumps,
    "jump forward": lambda: jumps(1, 0.8),
    "jump several times": lambda: jumps(3),
    "hop on the left leg": lambda: hops(LEFT),
    "hop on the right leg": lambda: hops(RIGHT),
    "raise the left arm": lambda: raises_arm(LEFT),
    "raise the right arm": lambda: raises_arm(RIGHT),
    "raise both arms": both_arms,
    "wave with the left hand": lambda: waves(LEFT),
    "wave with the right hand": lambda: waves(RIGHT),
    "clap": claps,
    "punch with the left hand": lambda: punches(LEFT),
    "punch with the right hand": lambda: punches(RIGHT),
    "point": lambda: points(RIGHT),
    "kick with the left leg": lambda: kicks(LEFT),
    "kick with the right leg": lambda: kicks(RIGHT),
    "balance on one leg": lambda: balances(LEFT),
    "bow": bows,
    "pick up": picks_up,
    "look around": looks_around,
    "step up": steps_up,
    "step down": lambda: reversed_in_time(steps_up()),
    "stand still": stands,
    "walk, then sit down": lambda: joined(wander([Leg(2.6, 1.0), Leg(0.6, 0.0)]), sits_down()),
    "stand up, then walk": lambda: joined(
        reversed_in_time(sits_down()), wander([Leg(0.6, 0.0), Leg(2.6, 1.0)])
    ),
    "turn around, then walk": lambda: wander([Leg(2.2, 0.0, turn_deg=180.0), Leg(2.2, 1.0)]),
}
