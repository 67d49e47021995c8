"""The gates of direction pairs: source, geometry, framing and effect, leakage, reconstruction."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aesop.pairs.gates import GateList, Verdicts
from aesop.pairs.pair_recipe import DirectionGates, EventRule
from aesop.pairs.shot_arrays import (
    Cameras,
    ClipFloat,
    Film,
    FrameBool,
    FrameFloat,
    FramePoints,
    JointBool,
    JointViews,
    aimed,
    blind_frames,
    ratio,
    sight,
    visible_share,
)
from aesop.pairs.transforms import Events, at, coordinate, distance, net
from aesop.scene.human import NATIVE_FPS
from aesop.scene.movement import camera_velocity, smooth_tags, tag_velocity

# Gates that the reflection satisfies whatever the source: they guard the construction itself. (A
# Dolly's response and direction fail only where the reflected way would cross the person.)
NEVER_FAIL = ("aim unchanged", "lens unchanged", "Truck keeps its height", "Truck response")


def source_verdicts(film: Film, events: Events, gates: DirectionGates, rule: EventRule) -> Verdicts:
    """Whether the source holds one long, steady event."""
    along = coordinate(film, film.cameras, events)
    steps = np.where(events.steps(film.frames), np.diff(along, axis=1), 0.0)
    change = net(along, events)
    frames = events.last - events.first
    counted = np.maximum(frames, 1)
    same = (np.sign(steps) == np.sign(change)[:, None]) & (steps != 0)
    path = np.abs(steps).sum(-1)
    truck = events.is_truck
    start = at(distance(film, film.cameras), events.first)
    screen = GateList(len(change))
    screen.at_least("Truck axis is level", events.level, rule.level_axis, truck)
    screen.at_least("event length", frames + 1.0, float(gates.event_frames))
    screen.at_least("same sign", same.sum(-1) / counted, gates.same_sign)
    screen.at_least("net of path", ratio(np.abs(change), path), gates.net_of_path)
    screen.at_least("Truck displacement", np.abs(change), gates.truck_m, truck)
    least = np.maximum(gates.dolly_m, gates.dolly_of_distance * start)
    screen.at_least("Dolly displacement", np.abs(change), least, ~truck)
    if gates.sign_is_tag:
        agrees = np.sign(change) == events.signs
        screen.holds("sign agrees with tag", agrees, np.sign(change) * events.signs)
    return screen.verdicts


BothViews = tuple[JointViews, JointViews]  # of the original and of the opposite


def views_of_both(film: Film, original: Cameras, opposite: Cameras) -> BothViews:
    """How both members frame the person."""
    turned = aimed(film, original)
    shared = opposite.world_from_camera is original.world_from_camera
    return (
        sight(film, original, turned),
        sight(film, opposite, turned if shared else aimed(film, opposite)),
    )


@dataclass(frozen=True, eq=False)
class Effect:
    """What a viewer sees of the change of direction: peaks within the event."""

    shift: ClipFloat  # of the person's place, in widths of the image
    angle_deg: ClipFloat  # of the place from which the person is seen
    growth: ClipFloat  # of the person's height in the image

    def score(self, events: Events, gates: DirectionGates) -> ClipFloat:
        """The paper's V: one or more is visible."""
        truck = np.maximum(self.shift / gates.truck_shift, self.angle_deg / gates.truck_angle_deg)
        return np.where(events.is_truck, truck, self.growth / gates.dolly_growth)


def effect(
    film: Film, events: Events, original: Cameras, opposite: Cameras, views: BothViews
) -> Effect:
    """Compare the two members frame by frame."""
    inside = events.inside(film.frames)
    first, second = (view.boxes for view in views)
    growth = (second.height / first.height - 1).abs().numpy()
    # The image runs from −1 to 1: half of a length there is a share of the image.
    shift = ((second.centre - first.centre)[..., 0] / 2).abs().numpy()
    azimuths = [
        np.arctan2(line[..., 1], line[..., 0])
        for line in (original.centre - film.root, opposite.centre - film.root)
    ]
    turn = np.abs(np.remainder(azimuths[1] - azimuths[0] + np.pi, 2 * np.pi) - np.pi)
    return Effect(_peak(shift, inside), np.degrees(_peak(turn, inside)), _peak(growth, inside))


def _peak(values: FrameFloat, inside: FrameBool) -> ClipFloat:
    """Largest value within; frames without a person in front of the lens show nothing."""
    return np.where(inside & np.isfinite(values), values, 0.0).max(axis=1)


def geometry_verdicts(
    film: Film, events: Events, opposite: Cameras, gates: DirectionGates
) -> Verdicts:
    """Whether the target is the reflection it should be, and not inside the person."""
    original, truck = film.cameras, events.is_truck
    inside, mask = events.inside(film.frames), film.mask
    near, far = distance(film, original), distance(film, opposite)
    change = net(coordinate(film, original, events), events)
    back = net(coordinate(film, opposite, events), events)
    response = np.divide(np.abs(back), np.abs(change), out=np.zeros_like(back), where=change != 0)
    aim = np.abs(opposite.world_from_camera - original.world_from_camera).max((-1, -2))
    lens = np.abs(opposite.tan_half_fov - original.tan_half_fov).max(-1)
    rise = np.abs(opposite.centre[..., 2] - original.centre[..., 2])
    radial = np.abs(np.divide(far, near, out=np.ones_like(far), where=near > 0) - 1)
    angle = _angle_deg(original.centre - film.root, opposite.centre - film.root)
    nearest = np.where(mask, far, np.inf).min(axis=1)
    screen = GateList(len(change))
    screen.holds("distance to the person", nearest > gates.nearest_m, nearest)
    screen.between("Truck response", response, gates.response, truck)
    screen.between("Dolly response", response, gates.response, ~truck)
    screen.at_most("aim unchanged", np.where(mask, aim, 0).max(1), gates.rotation_change)
    screen.at_most("lens unchanged", np.where(mask, lens, 0).max(1), gates.lens_change)
    highest = np.where(mask, rise, 0).max(1)
    screen.at_most("Truck keeps its height", highest, gates.truck_vertical_m, truck)
    widest = np.where(inside, radial, 0).max(1)
    screen.at_most("Truck keeps its distance", widest, gates.truck_radial, truck)
    turned = np.where(inside, angle, 0).max(1)
    screen.at_most("Dolly keeps its direction", turned, gates.dolly_direction_deg, ~truck)
    return screen.verdicts


def _angle_deg(first: FramePoints, second: FramePoints) -> FrameFloat:
    # By atan2: arccos cannot tell angles this small from zero.
    sine = np.linalg.norm(np.cross(first, second), axis=-1)
    return np.degrees(np.arctan2(sine, (first * second).sum(-1)))


def framing_verdicts(
    film: Film, visible: Sequence[JointBool], gates: DirectionGates, when: str = ""
) -> Verdicts:
    """Whether original and opposite keep the person in view. `when` tells apart raw and decoded
    gates."""
    first, second = (visible_share(joints, film) for joints in visible)
    blind = np.maximum(*(blind_frames(joints, film) for joints in visible))
    screen = GateList(len(blind))
    screen.at_most(f"{when}no frame without the person", blind, 0.0)
    screen.at_least(f"{when}visible", np.minimum(first, second), gates.visible)
    screen.at_most(f"{when}rise of the share out of view", first - second, gates.out_rise)
    return screen.verdicts


def effect_verdicts(events: Events, change: Effect, gates: DirectionGates) -> Verdicts:
    """Whether a viewer sees the change of direction."""
    truck, score = events.is_truck, change.score(events, gates)
    screen = GateList(len(score))
    screen.at_least("Truck is visible", score, 1.0, truck)
    screen.at_least("Dolly is visible", score, 1.0, ~truck)
    return screen.verdicts


def leakage_verdicts(
    film: Film, events: Events, opposite: Cameras, gates: DirectionGates
) -> Verdicts | None:
    """The gates that the paper's table lacks: the target moves as its words say, and not more
    besides than the source does."""
    screen = GateList(len(events.tags))
    if gates.retags_as_opposite:
        share = retag_share(film, events, opposite)
        screen.at_least("target's tag is the opposite", share, 1.0)
    if gates.residual_ratio is not None:
        before = residual_mps(film, events, film.cameras)
        after = residual_mps(film, events, opposite)
        growth = np.divide(after, before, out=np.ones_like(after), where=before > 0)
        growth[(before == 0) & (after > 0)] = np.inf
        screen.at_most("speed off the event", growth, gates.residual_ratio)
    return screen.verdicts if screen.names else None


def retag_share(film: Film, events: Events, cameras: Cameras) -> ClipFloat:
    """Share of the event's transitions that the tagger calls the opposite movement."""
    tags = tag_velocity(camera_velocity(cameras.world_from_camera, cameras.centre, NATIVE_FPS))
    shares = np.empty(len(tags))
    bounds = zip(events.first, events.last, events.opposite_tags, film.lengths, strict=True)
    for clip, (first, last, wanted, frames) in enumerate(bounds):
        smooth = smooth_tags(tags[clip, : frames - 1])
        shares[clip] = (smooth[first:last] == wanted).mean() if last > first else 0.0
    return shares


def residual_mps(film: Film, events: Events, cameras: Cameras) -> ClipFloat:
    """Mean speed across the event's direction: off a Truck's axis, or around the person."""
    line = film.cameras.centre - film.root
    far = np.linalg.norm(line, axis=-1, keepdims=True)
    radius = np.divide(line, far, out=np.zeros_like(line), where=far > 0)
    along = np.where(events.is_truck[:, None, None], events.axis[:, None], radius)[:, :-1]
    steps = np.diff(cameras.centre, axis=1)
    across = steps - (steps * along).sum(-1, keepdims=True) * along
    speeds = np.where(events.steps(film.frames), np.linalg.norm(across, axis=-1), 0.0)
    return speeds.sum(1) / np.maximum(events.last - events.first, 1) * NATIVE_FPS


@dataclass(frozen=True, eq=False)
class DecodedPair:
    """Both members after encoding and decoding, and how far their features are off."""

    original: Cameras
    opposite: Cameras
    original_mse: ClipFloat
    opposite_mse: ClipFloat


def decoded_verdicts(
    film: Film, events: Events, opposite: Cameras, decoded: DecodedPair, gates: DirectionGates
) -> tuple[Verdicts, ...]:
    """Whether the codec keeps the pair: fidelity, direction, response, framing, effect."""
    worse = np.maximum(decoded.original_mse, decoded.opposite_mse)
    screen = GateList(len(worse))
    screen.at_most("feature error", worse, gates.feature_mse)
    pairs = (
        ("original", film.cameras, decoded.original),
        ("opposite", opposite, decoded.opposite),
    )
    for name, raw_cameras, cameras in pairs:
        raw = net(coordinate(film, raw_cameras, events), events)
        kept = net(coordinate(film, cameras, events), events)
        response = np.divide(kept, raw, out=np.zeros_like(raw), where=raw != 0)
        screen.holds(f"decoded direction of the {name}", np.sign(kept) == np.sign(raw), response)
        gate = f"decoded response of the {name}"
        screen.between(gate, np.abs(response), gates.decoded_response)
    views = views_of_both(film, decoded.original, decoded.opposite)
    framing = framing_verdicts(film, [view.visible for view in views], gates, "decoded: ")
    raw_views = views_of_both(film, film.cameras, opposite)
    raw_score = effect(film, events, film.cameras, opposite, raw_views).score(events, gates)
    score = effect(film, events, decoded.original, decoded.opposite, views).score(events, gates)
    last = GateList(len(worse))
    last.at_least("decoded effect", score, gates.decoded_effect)
    last.at_least("effect kept", ratio(score, raw_score), gates.kept_effect)
    return screen.verdicts, framing, last.verdicts
