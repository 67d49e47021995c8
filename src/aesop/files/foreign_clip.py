"""Clips from the skeletons of other people's files: which axis points up, which unit was meant,
which pose to calibrate on, and the motion on our skeleton. A file that holds a single cycle of a
gait, shorter than anything that can be filmed, is played several times on end."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.foreign_skeleton import (
    LIMBS,
    BodyMap,
    Mismatch,
    SourceMotion,
    is_t_pose,
    match_names,
    nearest_to_t_pose,
    stands,
)
from aesop.files.importing import Recording, check_length, native_clip
from aesop.files.joint_names import pelvis_candidates, with_fewer_prefixes
from aesop.files.retarget import Anchor, retarget, source_leg_length
from aesop.files.sides import check_sides
from aesop.files.up_axis import rest_axis, up_axis
from aesop.scene.human import Clip
from aesop.scene.rotation import geodesic_distance
from aesop.scene.skeleton import JOINT, JOINT_NAMES, world_from_rest
from aesop.scene.source import Armature, Source, UpAxis

MOST_ROUNDS = 1000
MOST_TOLD = 60  # joints that an error names
# Poses this near to each other are one: exporters round, and no eye sees the seam.
CLOSED_DEGREES = 2.0


def check_rounds(rounds: int) -> None:
    if not 1 <= rounds <= MOST_ROUNDS:
        raise FileError(
            f"A motion cannot be played {rounds} times.", f"Choose 1 to {MOST_ROUNDS} for --loop."
        )


def looped_motion(
    motion: SourceMotion, body: BodyMap, rounds: int, path: Path
) -> tuple[SourceMotion, Float[Tensor, "3"]]:
    """The motion several times on end, each round from where the one before has brought the hips;
    and how far one round brings them. Refuses a motion whose last pose is not its first."""
    joints = [joint for joint in body.joints if joint is not None]
    turns = motion.world_from_joint[:, joints].double()
    apart = float(torch.rad2deg(geodesic_distance(turns[0], turns[-1])).max())
    if apart > CLOSED_DEGREES:
        raise FileError(
            f"{path} is no cycle: its last pose is turned by {apart:.0f}° against its first.",
            "Export whole cycles, with the first pose again at the end, or leave --loop away.",
        )
    hips = motion.places[:, body.index("pelvis")]
    travel = hips[-1] - hips[0]
    places = [motion.places] + [motion.places[1:] + count * travel for count in range(1, rounds)]
    return SourceMotion(_again(motion.world_from_joint, rounds), torch.cat(places)), travel


def looped_armature(armature: Armature, travel: Float[Tensor, "3"], rounds: int) -> Armature:
    """The whole skeleton on the same way. The uppermost joints that move carry it: files may have
    no places for others."""
    offsets = _again(armature.offsets, rounds)
    rotations = _again(armature.rotations, rounds)
    moves = (armature.offsets != armature.offsets[:1]).flatten(2).any(-1).any(0).tolist()
    later = torch.arange(offsets.shape[0] - 1) // (armature.frames - 1)
    behind = torch.cat([later[:1], later])[:, None] * travel.to(offsets)
    world: list[Tensor] = []
    carried: list[bool] = []  # whether a joint or one above it has been moved on
    for joint, parent in enumerate(armature.parents):
        is_carried = parent >= 0 and carried[parent]
        if moves[joint] and not is_carried:
            step = behind if parent < 0 else (behind[:, None] @ world[parent]).squeeze(1)
            offsets[:, joint] += step
            is_carried = True
        carried.append(is_carried)
        turn = rotations[:, joint]
        world.append(turn if parent < 0 else world[parent] @ turn)
    return replace(armature, rotations=rotations, offsets=offsets)


def _again(frames: Float[Tensor, " frames *rest"], rounds: int) -> Float[Tensor, " more *rest"]:
    """All frames once, and the rounds after it without the frame that two share."""
    return torch.cat([frames, *(frames[1:] for _ in range(1, rounds))])


Units = Literal["m", "cm", "mm", "inch", "cmu"]


@dataclass(frozen=True, eq=False)
class CalibrationPose:
    """One frame of another file of the same skeleton, in which the person stands straight."""

    body: BodyMap
    pose: SourceMotion
    name: str  # which frame of which file


Calibration = Literal["rest", "first_frame"] | CalibrationPose

METRES: dict[Units, float] = {
    "m": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "inch": 0.0254,
    "cmu": 0.0254 / 0.45,  # CMU's conversion measures in 1/0.45 inch
}
USUAL_LEG_M = 0.8  # thigh and shin of an adult
# A leg may be longer or shorter than the usual one by this factor. Its square stays below 2.54, so
# that centimetres and inches cannot be mistaken for each other.
LEG_RANGE = 1.55
# A bone shorter than this share of the longest has no direction worth following.
SHORTEST_BONE = 1e-4
# Beyond these lengths, whatever the unit, numbers are not lengths of a person.
TINIEST_BODY = 1e-6

Poses = Callable[[Sequence[int]], SourceMotion]


@dataclass(frozen=True, eq=False)
class ForeignTake:
    """A tree of named joints in motion, as a file has it; parents stand before children.

    Joints are posed only when they are asked for, so that fingers and faces cost nothing.
    """

    names: tuple[str, ...]  # empty for the ends of bones, which no joint is matched with
    parents: tuple[int, ...]
    has_length: tuple[bool, ...]  # whether a joint lies apart from its parent
    fps: float
    kind: str
    motion: Poses
    rests: tuple[Poses, ...]  # likeliest first; the first that stands is taken; maybe none
    up: UpAxis | None = None  # where the file says it, or its kind knows it
    metres_per_unit: float | None = None  # where the file says it
    start_frame: int = 1  # number of the first frame in programs that import the file
    armature: Callable[[], Armature] | None = None  # the whole tree, for exports


@dataclass(frozen=True, eq=False)
class ForeignBody:
    """A body found in a tree: its motion and its rest pose, without fingers and other extras."""

    body: BodyMap
    motion: SourceMotion
    rest: SourceMotion | None

    @property
    def standing(self) -> SourceMotion | None:
        """The rest pose, if a body could stand so."""
        rest = self.rest
        return rest if rest is not None and bool(stands(rest, self.body)) else None


def foreign_clip(
    take: ForeignTake,
    path: Path,
    *,
    units: Units | None = None,
    up: UpAxis | None = None,
    calibration: Calibration | None = None,
    notes: tuple[str, ...] = (),
    loop: int | None = None,
) -> Clip:
    """The take on our skeleton at our rate, its lowest joint on the ground; a cycle is played as
    often as `loop` says."""
    source = find_body(take, path)
    armature = None if take.armature is None else take.armature()
    if loop is not None:
        frames = source.motion.frames
        check_rounds(loop)
        check_length(frames * loop, take.fps, path)
        motion, travel = looped_motion(source.motion, source.body, loop, path)
        source = replace(source, motion=motion)
        if armature is not None:
            armature = looped_armature(armature, travel, loop)
        notes += (f"the cycle of {frames} frames is played {loop} times on end",)
    known = take.up or (
        rest_axis(source.standing, source.body) if source.body.naming == "CMU" else None
    )
    axis = up or known or up_axis(source.standing, source.motion, source.body, path)
    motion, anchor, calibrated_on = _calibrated(source, calibration, path)
    leg = source_leg_length(anchor.pose, source.body)
    unit, units_note = _unit(leg, units, path)
    notes += (
        f"joint names: {source.body.naming}",
        units_note,
        f"up axis: {axis} ({'given' if up else 'known' if known else 'detected'})",
        f"calibrated on {calibrated_on}",
    )
    # A y-up world has the axes of our rest body, so the same turn stands it up.
    places = motion.places
    world_from_source = world_from_rest(places) if axis == "y" else torch.eye(3).to(places)
    turns, root, scale = retarget(motion, anchor, source.body, world_from_source, take.fps)
    notes += (f"path scaled by {scale:.6g}, our leg length over the file's",)
    stated_metres = METRES[unit] if unit is not None and units is not None else take.metres_per_unit
    came_from = Source(
        kind=take.kind,
        file=path.name,
        skeleton=source.body.naming,
        fps=take.fps,
        frames=source.motion.frames,
        start_frame=take.start_frame,
        first_frame=float(take.start_frame + source.motion.frames - motion.frames),
        up=axis,
        metres_per_unit=stated_metres or (scale if unit is None else METRES[unit]),
        scale=scale,
        clip_from_file=world_from_source,
        shift=torch.zeros(3).to(places),
        armature=armature,
    )
    of_file = came_from.in_clip(_counterparts(motion, source.body))
    recording = Recording(turns, root, take.fps, take.kind, "retargeted", notes, came_from, of_file)
    return native_clip(recording, path)


def _counterparts(motion: SourceMotion, body: BodyMap) -> Float[Tensor, "frames 22 3"]:
    """Places of our joints in the file, in its units; NaN where it has no such joint."""
    places = motion.places.new_full((motion.frames, len(JOINT_NAMES), 3), math.nan)
    for joint, counterpart in enumerate(body.joints):
        if counterpart is not None:
            places[:, joint] = motion.places[:, counterpart]
    return places


def find_body(take: ForeignTake, path: Path) -> ForeignBody:
    """Find and pose our joints' counterparts; refuse a file that lacks some of them."""
    body = _with_toes(_matched(take, path), take)
    chosen = _ancestry(take, [*body.trunk, *body.nape, *(j for j in body.joints if j is not None)])
    body = _renumbered(body, {joint: place for place, joint in enumerate(chosen)})
    motion = take.motion(chosen)
    check_bones(motion, body, path)
    check_sides(_counterparts(motion, body), path)
    rests = [rest(chosen) for rest in take.rests]
    standing = [rest for rest in rests if bool(stands(rest, body))]
    return ForeignBody(body, motion, next(iter(standing or rests), None))


def _matched(take: ForeignTake, path: Path) -> BodyMap:
    people = _bodies(take)
    if isinstance(people, Mismatch):
        names = [name for name in take.names if name]
        raise FileError(
            f"{path} has no joint that AESOP recognises as {', '.join(people.unmatched)} "
            f"(closest naming: {people.naming}); {_told_joints(names)}.",
            "Rename the joints as Mixamo, Bandai-Namco or SMPL do.",
        )
    if len(people) > 1:
        hips = ", ".join(take.names[person.index("pelvis")] for person in people)
        raise FileError(
            f"{path} holds {len(people)} people (their hips: {hips}).",
            "Export one skeleton to a file.",
        )
    return people[0]


def _told_joints(names: Sequence[str]) -> str:
    """The names for an error, cut where faces and clothes have hundreds."""
    if not names:
        return "none of its joints has a name"
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
    return f"its joints are {', '.join(name[:40] for name in names[:MOST_TOLD])}{more}"


def _bodies(take: ForeignTake) -> list[BodyMap] | Mismatch:
    """All bodies of a file; where none hangs on hips that are called so, the one by other words."""
    if people := _people(take):
        return people
    body = match_names(take.names, take.parents)
    if isinstance(body, BodyMap):
        return [body]
    for names in with_fewer_prefixes(take.names):
        if people := _people(replace(take, names=tuple(names))):
            return people
    return body


def _people(take: ForeignTake) -> list[BodyMap]:
    """Every whole body that hangs on hips of its own; props and other trees are left out."""
    people: list[BodyMap] = []
    taken: set[int] = set()
    for hips in pelvis_candidates(take.names):
        branch = _branch(take, hips)
        if hips in taken:
            continue
        rows = {joint: row for row, joint in enumerate(branch)}
        body = match_names(
            [take.names[joint] for joint in branch],
            [rows.get(take.parents[joint], -1) for joint in branch],
        )
        if isinstance(body, BodyMap):
            taken.update(branch)
            people.append(_renumbered(body, dict(enumerate(branch))))
    return people


def _branch(take: ForeignTake, top: int) -> list[int]:
    """A joint and all below it."""
    branch = {top}
    for joint, parent in enumerate(take.parents):
        if parent in branch:
            branch.add(joint)
    return sorted(branch)


def _with_toes(body: BodyMap, take: ForeignTake) -> BodyMap:
    """Ends of the feet stand in for toes that have no joint or sit on the ankle."""
    joints = list(body.joints)
    for side in ("left", "right"):
        ankle, toes = body.index(f"{side}_ankle"), joints[JOINT[f"{side}_foot"]]
        ends = [
            k
            for k, (name, parent) in enumerate(zip(take.names, take.parents, strict=True))
            if parent == ankle and not name
        ]
        candidates = [toes, *ends] if toes is not None else ends
        far = [k for k in candidates if take.has_length[k]]
        joints[JOINT[f"{side}_foot"]] = far[0] if far else None
    return replace(body, joints=tuple(joints))


def _ancestry(take: ForeignTake, joints: Sequence[int]) -> list[int]:
    """These joints and all above them, parents first."""
    kept: set[int] = set()
    for joint in joints:
        while joint >= 0 and joint not in kept:
            kept.add(joint)
            joint = take.parents[joint]
    return sorted(kept)


def _renumbered(body: BodyMap, place: dict[int, int]) -> BodyMap:
    return BodyMap(
        body.naming,
        tuple(None if joint is None else place[joint] for joint in body.joints),
        tuple(place[joint] for joint in body.trunk),
        tuple(place[joint] for joint in body.nape),
    )


def check_bones(motion: SourceMotion, body: BodyMap, path: Path) -> None:
    """Refuse a body in which two ends of a bone coincide: it points nowhere."""
    lines = [("left_hip", "right_hip"), ("left_shoulder", "right_shoulder"), ("pelvis", "head")]
    lines += [
        (JOINT_NAMES[upper], JOINT_NAMES[lower])
        for upper, lower in LIMBS
        if body.joints[lower] is not None
    ]
    lengths = torch.stack(
        [torch.linalg.vector_norm(motion.bone(body, *line), dim=-1) for line in lines]
    )
    longest = float(lengths.max())
    if longest > 0 and not TINIEST_BODY < longest < 1 / TINIEST_BODY:
        raise FileError(
            f"{path} has a body whose longest bone measures {longest:.3g}.",
            "Export it in metres, centimetres, millimetres or inches.",
        )
    collapsed = lengths <= SHORTEST_BONE * longest
    if bool(collapsed.any()):
        line, frame = (int(index) for index in collapsed.nonzero()[0])
        raise FileError(
            f"In frame {frame} of {path} the joints for {lines[line][0]} and {lines[line][1]} "
            "are in one place.",
            "Export the skeleton with its offsets, every frame filled.",
        )


def _calibrated(
    source: ForeignBody, calibration: Calibration | None, path: Path
) -> tuple[SourceMotion, Anchor, str]:
    """The motion without its calibration pose, that pose, and which one it is."""
    motion, body = source.motion, source.body
    if isinstance(calibration, CalibrationPose):
        if calibration.body != body:
            raise FileError(
                f"{path} has another skeleton than {calibration.name}.",
                "Calibrate a file on a frame of its own set.",
            )
        return motion, Anchor(calibration.pose, True), calibration.name
    first = motion.part(slice(1))
    if calibration is None and body.naming == "CMU" and bool(is_t_pose(first, body)):
        calibration = "first_frame"
    if calibration == "first_frame":
        if motion.frames < 3:
            raise FileError(
                f"{path} has {motion.frames - 1} frame of motion after its calibration pose.",
                "Export more of the motion.",
            )
        after = motion.part(slice(1, None))
        return after, Anchor(first, True), "the first frame, which is dropped"
    rest = source.rest if calibration == "rest" else source.standing
    if rest is not None:
        check_bones(rest, body, path)
        return motion, Anchor(rest, True), "the rest pose"
    frame = nearest_to_t_pose(motion, body)
    anchor = Anchor(motion.part(slice(frame, frame + 1)), False)
    return motion, anchor, f"frame {frame}, since the rest pose does not stand"


def _unit(leg: float, units: Units | None, path: Path) -> tuple[Units | None, str]:
    """The unit, given or detected, and a note. It only needs to be known, not applied: the path is
    scaled by leg lengths."""
    if units is not None:
        if not _is_leg(leg * METRES[units], slack=2.0):
            raise FileError(
                f"{path} has legs of {leg * METRES[units]:.3g} m if its unit is {units}.",
                "Give the true unit, or none to have it detected.",
            )
        return units, f"units: {units} (given)"
    likely = min(METRES, key=lambda unit: abs(math.log(leg * METRES[unit] / USUAL_LEG_M)))
    if _is_leg(leg * METRES[likely]):
        return likely, f"units: {likely} (detected)"
    return None, f"units: unknown, legs of {leg:.4g}"


def _is_leg(metres: float, slack: float = 1.0) -> bool:
    return abs(math.log(metres / USUAL_LEG_M)) < math.log(LEG_RANGE * slack)
