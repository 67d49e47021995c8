"""Which axis of a file points up: the one its rest pose stands along, the one the person stands
along most of the time, or the one that has a floor."""

from dataclasses import dataclass
from pathlib import Path

from aesop.core.errors import FileError
from aesop.files.foreign_skeleton import BodyMap, SourceMotion, uprightness
from aesop.files.retarget import source_leg_length
from aesop.scene.skeleton import JOINT
from aesop.scene.source import UpAxis

# Uprightness of a body along an axis. Walking gives 0.9, sitting 0.65, crawling 0.6 forwards.
SURELY_UP, PROBABLY_UP = 0.8, 0.5
# How much more a body must stand along one of two axes that both have a floor.
CLEARLY_MORE = 0.3
# What people rest on while they crawl, crouch, sit and lie.
_RESTING = ("wrist", "knee", "ankle", "foot")
# In lengths of a leg: how far the lowest joint may leave the floor in nine frames of ten, and how
# near to it a second of those that people rest on must be. Chosen on ACCAD's takes; on 420 of CMU's
# a floor decided 66 times and was right each time (docs/log.md).
STEADY, NEAR, OFTEN = 0.12, 0.2, 0.9
# How far from 0 a floor may lie that was measured to be at 0.
AT_ZERO = 0.05


def up_axis(rest: SourceMotion | None, motion: SourceMotion, body: BodyMap, path: Path) -> UpAxis:
    """The axis that points up; refuses a file that does not show it.

    Where a standing rest pose and an upright motion disagree nothing in the file can decide: a
    swimmer and a walker exported with another axis up look the same.
    """
    at_rest = None if rest is None else _stood_along(rest, body, PROBABLY_UP)
    moving = _stood_along(motion, body, SURELY_UP)
    if at_rest is None:
        moving = (
            _with_floor(motion, body) if moving is None else _unless_lying(moving, motion, body)
        )
    if at_rest is not None:
        _refuse_upside_down(motion, body, at_rest, path)
    if at_rest is None and moving is None:
        _refuse_other_axes(motion, body, path)
        raise FileError(
            f"{path} does not show which axis points up: neither how the body stands nor its floor "
            "decides between y and z.",
            "Give the axis with --up y or --up z.",
        )
    if at_rest and moving and at_rest != moving:
        raise FileError(
            f"{path} has a rest pose that stands along {at_rest} and a motion along {moving}.",
            f"Give the axis that points up: --up {moving}, or --up {at_rest} if the person lies "
            "down.",
        )
    return at_rest or moving or "y"


def rest_axis(rest: SourceMotion | None, body: BodyMap) -> UpAxis:
    """The axis of CMU's skeleton, whatever its takes do on it: that of a rest pose that stands. The
    public conversion has y; programs that import it and export it again may have z."""
    along = None if rest is None else _stood_along(rest, body, PROBABLY_UP)
    return along or "y"


def _refuse_upside_down(motion: SourceMotion, body: BodyMap, axis: UpAxis, path: Path) -> None:
    """Refuse a motion that stands on its head where the rest pose stands on its feet."""
    if float(uprightness(motion, body)["xyz".index(axis)]) < -SURELY_UP:
        raise FileError(
            f"{path} has a rest pose that stands along +{axis} and a motion along -{axis}.",
            f"Export it with the {axis} axis up, or give --up {axis} for a handstand.",
        )


def _refuse_other_axes(motion: SourceMotion, body: BodyMap, path: Path) -> None:
    """Refuse somebody who stands along an axis that can be up in no file of ours: naming y or z
    would only stand them on their heads or lay them down."""
    along = uprightness(motion, body)
    axis = int(along.abs().argmax())
    name = ("-" if along[axis] < 0 else "+") + "xyz"[axis]
    if float(along[axis].abs()) > SURELY_UP and name not in ("+y", "+z"):
        raise FileError(
            f"{path} has a person who stands along {name}.", "Export it with the y or z axis up."
        )


def _stood_along(motion: SourceMotion, body: BodyMap, least: float) -> UpAxis | None:
    _, y, z = uprightness(motion, body).tolist()
    if max(y, z) < least:
        return None
    return "y" if y > z else "z"


@dataclass(frozen=True)
class FloorEvidence:
    """How much a plane across an axis is a floor: how far the lowest joint strays from it, how
    often a second joint that people rest on is near, and where it is. In lengths of a leg."""

    strays: float
    supported: float
    level: float

    @property
    def is_one(self) -> bool:
        return self.strays < STEADY and self.supported >= OFTEN


def _unless_lying(axis: UpAxis, motion: SourceMotion, body: BodyMap) -> UpAxis | None:
    """The axis, unless somebody who lies stretched out along it would look the same: hardly moving,
    with a floor across the other axis that lies at 0, as floors do, while this one's does not."""
    other: UpAxis = "z" if axis == "y" else "y"
    here, there = (_floor(motion, body, "xyz".index(name)) for name in (axis, other))
    lies = there.is_one and abs(there.level) < AT_ZERO and abs(here.level) > 2 * AT_ZERO
    return None if lies else axis


def _with_floor(motion: SourceMotion, body: BodyMap) -> UpAxis | None:
    """The axis along which a person who does not stand up is held by a floor."""
    axes: tuple[UpAxis, UpAxis] = ("y", "z")
    floors: dict[UpAxis, FloorEvidence] = {
        axis: _floor(motion, body, "xyz".index(axis)) for axis in axes
    }
    floored: list[UpAxis] = [axis for axis in axes if floors[axis].is_one]
    _, along_y, along_z = uprightness(motion, body).tolist()
    likelier: UpAxis = "y" if along_y > along_z else "z"
    other: UpAxis = "z" if likelier == "y" else "y"
    match len(floored):
        case 1:
            return floored[0]
        case 0:  # climbers and jumpers; swimmers seem to stand where they do not
            is_up = max(along_y, along_z) >= PROBABLY_UP
            is_steadier = 2 * floors[likelier].strays < floors[other].strays
            return likelier if is_up and is_steadier else None
        case _:
            return likelier if abs(along_y - along_z) > CLEARLY_MORE else None


def _floor(motion: SourceMotion, body: BodyMap, axis: int) -> FloorEvidence:
    found = [joint for joint in body.joints if joint is not None]
    names = [f"{side}_{part}" for side in ("left", "right") for part in _RESTING]
    resting = [joint for name in names if (joint := body.joints[JOINT[name]]) is not None]
    heights = motion.places[..., axis] / source_leg_length(motion.part(slice(1)), body)
    lowest = heights[:, found].amin(1)
    floor = lowest.median()
    second = heights[:, resting].sort(dim=1).values[:, 1] - floor
    return FloorEvidence(
        strays=float((lowest - floor).abs().quantile(0.9)),
        supported=float((second < NEAR).double().mean()),
        level=float(floor),
    )
