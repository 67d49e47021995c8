"""Movement-caption F1, sign accuracy on original and reversed words, and whether one film does
what its words ask for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64, Integer

from aesop.camera_words.outline import SIGNS, dominant_tag, outline_of
from aesop.metrics.metric_book import MetricError, require_same_count
from aesop.scene.camera import CameraPath
from aesop.scene.curves import smoothed
from aesop.scene.human import HumanMotion
from aesop.scene.movement import CLASSES, signs_from_tag, tag_path

# A movement of several counts if it holds this share of the film; together they hold half of it.
STEP_SHARE, STEPS_SHARE = 0.1, 0.5
# A person goes somewhere who gets this far, this fast on average; steps slower than that are rests.
GOES_M, GOES_MPS = 1.5, 0.25
# Who goes with the person goes along at least half of the person's way, within 60° of it.
ALONG_SHARE, ALONG_COSINE = 0.5, 0.5
# Leaders stand in front within 60° of where the person goes, followers not within 45° of it.
LEADS_WITHIN_DEG, FOLLOWS_BEYOND_DEG = 60.0, 45.0
ARC_DEG = 10.0  # swept around the person, the least that looks like an arc
_WAY_SIGMA_FRAMES = 9.0  # steps and bobbing of a walk vanish, turns and stops stay


@dataclass(frozen=True)
class MovementF1:
    """Shares of 1. Macro is over the classes that occur in either."""

    weighted: float
    macro: float


def clip_tables(
    targets: Sequence[Integer[np.ndarray, " _"]], shown: Sequence[Integer[np.ndarray, " _"]]
) -> Int64[np.ndarray, "clips 27 27"]:
    """How often each class (rows: asked for, columns: shown) met which, in every clip."""
    require_same_count("clips with target and with shown classes", len(targets), len(shown))
    if not targets:
        raise MetricError("There are no clips to compare.", "Give at least one.")
    return np.stack([_clip_table(*pair) for pair in zip(targets, shown, strict=True)])


def _clip_table(
    target: Integer[np.ndarray, " transitions"], shown: Integer[np.ndarray, " shown"]
) -> Int64[np.ndarray, "27 27"]:
    if len(target) != len(shown):
        raise MetricError(
            f"A clip has {len(shown)} transitions but {len(target)} target classes.",
            "Target classes are one fewer than frames.",
        )
    met = target.astype(np.int64) * CLASSES + shown.astype(np.int64)
    return np.bincount(met, minlength=CLASSES**2).reshape(CLASSES, CLASSES)


def movement_f1(
    table: Int64[np.ndarray, "27 27"] | Float64[np.ndarray, "27 27"],
) -> MovementF1:
    """From a table summed over clips (weights, where clips are drawn again, may be fractional)."""
    f1, asked, occurs = _class_f1(table[None].astype(np.float64))
    return MovementF1(
        weighted=float((f1 * asked).sum() / asked.sum()), macro=float(f1[occurs].mean())
    )


def weighted_f1(tables: Float64[np.ndarray, "times 27 27"]) -> Float64[np.ndarray, " times"]:
    """The weighted F1 of many tables at once."""
    f1, asked, _ = _class_f1(tables)
    return (f1 * asked).sum(1) / asked.sum(1)


def _class_f1(
    tables: Float64[np.ndarray, "times 27 27"],
) -> tuple[
    Float64[np.ndarray, "times 27"], Float64[np.ndarray, "times 27"], Bool[np.ndarray, "times 27"]
]:
    """F1 of every class, how often it was asked for, and whether it occurs at all."""
    right = np.diagonal(tables, axis1=1, axis2=2)
    asked, shown = tables.sum(2), tables.sum(1)
    occurs = (asked + shown) > 0
    return np.where(occurs, 2 * right / np.where(occurs, asked + shown, 1), 0.0), asked, occurs


def clip_direction_accuracy(
    reference: Integer[np.ndarray, " transitions"],
    generated: Integer[np.ndarray, " generated"],
    *,
    is_reversed: bool,
) -> float:
    """Share of the reference's moving axes and transitions on which the generated path moves the
    same way (the other way, for reversed words). Standing still there is wrong. NaN if the
    reference never moves."""
    if len(reference) != len(generated):
        raise MetricError(
            f"Two paths of {len(reference)} and {len(generated)} transitions are compared.",
            "Generate as many frames as the reference has.",
        )
    wanted = signs_from_tag(reference.astype(np.int64)) * (-1 if is_reversed else 1)
    shown = signs_from_tag(generated.astype(np.int64))
    active = wanted != 0
    return float((shown == wanted)[active].mean()) if active.any() else float("nan")


def is_active(tags: Integer[np.ndarray, " transitions"]) -> bool:
    """Whether a path moves along any axis at any time."""
    return bool(np.any(tags))


@dataclass(frozen=True, eq=False)
class DirectionAccuracy:
    """Shares of 1 per clip, over the clips with movement and a reversed caption."""

    original: Float64[np.ndarray, " clips"]
    reversed: Float64[np.ndarray, " clips"]

    @property
    def combined(self) -> Float64[np.ndarray, " clips"]:
        return (self.original + self.reversed) / 2


def direction_accuracy(
    references: Sequence[Integer[np.ndarray, " _"]],
    original: Sequence[Integer[np.ndarray, " _"]],
    reverse: Sequence[Integer[np.ndarray, " _"]],
) -> DirectionAccuracy:
    """Both arms on the same clips, every one of them with movement in its reference."""
    for paths in (original, reverse):
        require_same_count("reference and generated paths", len(references), len(paths))
    if not references or not all(map(is_active, references)):
        raise MetricError(
            "Direction is judged on clips whose reference moves.", "Leave out the static ones."
        )

    def arm(paths: Sequence[np.ndarray], is_reversed: bool) -> Float64[np.ndarray, " clips"]:
        pairs = zip(references, paths, strict=True)
        return np.array([clip_direction_accuracy(*pair, is_reversed=is_reversed) for pair in pairs])

    return DirectionAccuracy(arm(original, False), arm(reverse, True))


def has_reverse(captions: Sequence[str], reversed_captions: Sequence[str]) -> bool:
    """Whether a clip's reversed words say anything else than its own."""
    if not captions or not reversed_captions or not reversed_captions[0]:
        return False
    return captions[0] != reversed_captions[0]


def makes_tags(camera: CameraPath, fps: float, asked: Sequence[int]) -> bool:
    """One class: it holds most of the time. Several: each holds a while, in this order, and
    together they hold at least half of the film."""
    outline = outline_of(tag_path(camera, fps))
    if len(asked) == 1:
        return dominant_tag(outline) == asked[0]
    transitions = outline[-1].stop
    held = sum(move.stop - move.first for move in outline if move.tag in asked)
    made = [move.tag for move in outline if move.stop - move.first >= STEP_SHARE * transitions]
    return _in_order(asked, made) and held >= STEPS_SHARE * transitions


def _in_order(asked: Sequence[int], made: Sequence[int]) -> bool:
    left = iter(made)
    return all(tag in left for tag in asked)


@dataclass(frozen=True)
class Company:
    """How a camera goes with a person who goes somewhere."""

    travel_share: float  # travel of the camera over the person's way
    along_share: float  # the camera's steps along the person's direction, over the person's way
    cosine: float  # between the steps of both, weighted by the person's
    ahead_deg: float  # median angle at the person, from where they go to the camera

    @property
    def follows(self) -> bool:
        """Goes along behind or beside the person."""
        return self._goes_along and self.ahead_deg >= FOLLOWS_BEYOND_DEG

    @property
    def leads(self) -> bool:
        """Goes along in front of the person."""
        return self._goes_along and self.ahead_deg <= LEADS_WITHIN_DEG

    @property
    def _goes_along(self) -> bool:
        return self.along_share >= ALONG_SHARE and self.cosine >= ALONG_COSINE


def company_of(camera: CameraPath, motion: HumanMotion, fps: float) -> Company | None:
    """None for a person who stays: there is nobody to follow."""
    root, centre = _ground_way(motion), camera.centre.double().numpy()[:, :2]
    steps, own = np.diff(root, axis=0), np.diff(centre, axis=0)
    length = np.linalg.norm(steps, axis=-1)
    way = float(length.sum())
    if way < GOES_M or way < GOES_MPS * len(steps) / fps:
        return None
    going: Bool[np.ndarray, " transitions"] = length * fps > GOES_MPS
    direction = steps[going] / length[going][:, None]
    along = (own[going] * direction).sum(-1)
    own_length = np.linalg.norm(own[going], axis=-1)
    moves = own_length > 0
    weights = length[going] / length[going].sum()
    cosines = np.divide(along, own_length, out=np.zeros_like(along), where=moves)
    towards = (centre - root)[:-1][going]
    ahead = (towards * direction).sum(-1) / np.maximum(np.linalg.norm(towards, axis=-1), 1e-9)
    return Company(
        travel_share=float(camera.travel) / way,
        along_share=float(along.sum()) / way,
        cosine=float((weights * cosines).sum()),
        ahead_deg=float(np.median(np.degrees(np.arccos(np.clip(ahead, -1, 1))))),
    )


def makes_arc(camera: CameraPath, motion: HumanMotion, fps: float, asked: int) -> bool:
    """Whether the camera moves to the asked side for most of the time and its own way leads around
    the person to that side. What the person's way adds or takes away does not count: somebody who
    walks past a camera that stands still is no arc."""
    dominant = dominant_tag(outline_of(tag_path(camera, fps)))
    side = SIGNS[asked][0]
    return SIGNS[dominant][0] == side and swept_deg(camera, motion) * side >= ARC_DEG


def swept_deg(camera: CameraPath, motion: HumanMotion) -> float:
    """Angle about the vertical that the camera's own steps sweep around where the person is at the
    time; from above, a camera that looks at them and goes to its right goes anticlockwise, which
    is positive."""
    centre, root = camera.centre.double().numpy()[:, :2], _ground_way(motion)
    before, after = centre[:-1] - root[:-1], centre[1:] - root[:-1]
    sine = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return float(np.degrees(np.arctan2(sine, (before * after).sum(-1)).sum()))


def _ground_way(motion: HumanMotion) -> Float64[np.ndarray, "frames 2"]:
    return smoothed(motion.root.double().numpy()[:, :2], _WAY_SIGMA_FRAMES)
