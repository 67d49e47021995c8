"""Camera paths and bodies in motion: how far two are apart, how far and how smoothly one travels,
feet that stand, bones that keep their length."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.camera_words.fact_check import measure_facts, told_facts
from aesop.camera_words.outline import dominant_tag, outline_of
from aesop.metrics.framing_metrics import framing_of
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion
from aesop.scene.movement import TAG_NAMES, tag_path
from aesop.scene.rotation import geodesic_distance
from aesop.scene.shot import Shot, ground
from aesop.scene.skeleton import JOINT, PARENTS

_MM = 1e3


def path_errors(reference: Shot, generated: Shot) -> dict[str, float]:
    """How far a camera path is from its reference, in the world that both are in: means over frames
    by the names of METRICS. Jerk needs four frames; NaN in shorter clips."""
    paths, fps = (reference.camera, generated.camera), reference.fps
    wanted, made = (path.centre.double().numpy() for path in paths)
    apart = made - wanted
    distance = np.linalg.norm(apart, axis=-1)
    turns = [path.world_from_camera.double() for path in paths]
    steps = [turn[:-1].transpose(-1, -2) @ turn[1:] for turn in turns]
    # Cameras are decoded from where their person's root is in frame 0: measured from there, a
    # decoded person's own error is left out; a given person has none.
    from_person = [
        shot.camera.centre.double() - shot.clip.motion.root[0].double()
        for shot in (reference, generated)
    ]
    return {
        "ade": float(distance.mean()),
        "fde": float(distance[-1]),
        "rotation": float(np.degrees(geodesic_distance(*turns).numpy()).mean()),
        "velocity_error": _mean_length(np.diff(apart, axis=0)) * fps * _MM,
        "rotation_velocity_error": float(np.degrees(geodesic_distance(*steps).numpy()).mean())
        * fps,
        "jerk_error": _mean_length(np.diff(apart, n=3, axis=0)) * fps**3,
        "ade_from_person": _mean_length((from_person[1] - from_person[0]).numpy()),
    }


@dataclass(frozen=True)
class Travel:
    """One path by itself."""

    path_m: float  # summed steps of the centre
    net_m: float  # from the first centre to the last
    jerk_m_s3: float  # mean third difference: what a viewer feels as unrest
    turn_acceleration_deg_s2: float  # mean change of the turn from frame to frame


def travel_of(camera: CameraPath, fps: float) -> Travel:
    """How far and how smoothly a camera goes."""
    centre, turns = camera.centre.double().numpy(), camera.world_from_camera.double()
    steps = turns[:-1].transpose(-1, -2) @ turns[1:]
    change = np.degrees(geodesic_distance(steps[:-1], steps[1:]).numpy())
    return Travel(
        path_m=float(np.linalg.norm(np.diff(centre, axis=0), axis=-1).sum()),
        net_m=float(np.linalg.norm(centre[-1] - centre[0])),
        jerk_m_s3=_mean_length(np.diff(centre, n=3, axis=0)) * fps**3,
        turn_acceleration_deg_s2=float(change.mean()) * fps**2 if len(change) else float("nan"),
    )


def _mean_length(vectors: Float[np.ndarray, "rows 3"]) -> float:
    return float(np.linalg.norm(vectors, axis=-1).mean()) if len(vectors) else float("nan")


@dataclass(frozen=True)
class FilmFacts:
    """One film: its words, and what its camera does."""

    camera_words: str
    human_words: str
    intensity: float
    frames: int
    dominant: str  # the movement that holds most of the time
    tag_shares: tuple[tuple[str, float], ...]  # of the time, the largest first
    out_share: float  # of the frames, with nobody in the picture
    travel_m: float


def dominant_movement(shot: Shot) -> int:
    """The class that holds most of the time."""
    return dominant_tag(outline_of(tag_path(shot.camera, shot.fps)))


def film_facts(shot: Shot) -> FilmFacts:
    """Tag, framing and travel of one film."""
    tags = tag_path(shot.camera, shot.fps)
    counts = Counter(tags.tolist()).most_common()
    return FilmFacts(
        camera_words=shot.camera_words,
        human_words=shot.human_words,
        intensity=shot.intensity,
        frames=shot.frames,
        dominant=TAG_NAMES[dominant_movement(shot)],
        tag_shares=tuple((TAG_NAMES[tag], count / len(tags)) for tag, count in counts),
        out_share=float(framing_of(shot).is_out.mean()),
        travel_m=float(shot.camera.travel),
    )


def facts_line(facts: FilmFacts) -> str:
    """ "push in 84 %, static 16 %; travel 1.32 m"; says so if the person leaves the picture."""
    shares = ", ".join(f"{plain_name(name)} {share:.0%}" for name, share in facts.tag_shares[:3])
    out = f"; nobody in frame {facts.out_share:.0%}" if facts.out_share > 0 else ""
    return f"{shares}; travel {facts.travel_m:.2f} m{out}"


def made_line(shot: Shot) -> str:
    """ "push in; wide to medium; travel 1.32 m": what a film's camera did, in the words of
    the vocabulary; says so if the person leaves the picture."""
    told = told_facts(measure_facts(shot.camera, shot.clip.motion, shot.fps))
    facts = film_facts(shot)
    out = f"; nobody in frame {facts.out_share:.0%}" if facts.out_share > 0 else ""
    return f"{told}; travel {facts.travel_m:.2f} m{out}"


def plain_name(tag_name: str) -> str:
    """A tag's name as one would say it: "truck left + push in"."""
    spoken = tag_name.replace("trucking", "truck").replace("boom_top", "boom up")
    return spoken.replace("boom_bottom", "boom down").replace("_", " ").replace("+", " + ")


# A foot this low should stand; real toes swing 3 to 8 cm above the ground.
LOW_M = 0.03
# A low foot that goes faster than this slides.
SLIDING_MPS = 0.3
_TOES = [JOINT["left_foot"], JOINT["right_foot"]]
_FEET = [*_TOES, JOINT["left_ankle"], JOINT["right_ankle"]]


@dataclass(frozen=True)
class BodyFacts:
    """One motion. Shares are of its frames; NaN where no foot is ever low, or it is too short."""

    slide_mps: float  # mean speed along the ground of low toes
    sliding_share: float  # of the transitions with a low toe: it goes faster than SLIDING_MPS
    jerk_mps3: float  # mean third derivative of the joints' places
    float_m: float  # mean height of the lower toe over the lowest it ever is
    bone_spread: float  # largest relative change of a bone's length


def body_facts(motion: HumanMotion, fps: float) -> BodyFacts:
    """Facts of one motion that stands on the ground at z = 0."""
    joints = motion.joints.double()
    toes = joints[:, _TOES]
    low = (toes[:-1, :, 2] < LOW_M) & (toes[1:, :, 2] < LOW_M)
    speed = torch.linalg.vector_norm(ground(toes).diff(dim=0), dim=-1) * fps
    jerk = joints.diff(n=3, dim=0).norm(dim=-1) * fps**3
    lower = joints[:, _FEET, 2].amin(-1)
    bones = torch.linalg.vector_norm(joints[:, 1:] - joints[:, list(PARENTS[1:])], dim=-1)
    return BodyFacts(
        slide_mps=_mean(speed[low]),
        sliding_share=_mean((speed[low] > SLIDING_MPS).double()),
        jerk_mps3=_mean(jerk),
        float_m=float((lower - lower.min()).mean()),
        bone_spread=float(((bones.amax(0) - bones.amin(0)) / bones.mean(0)).max()),
    )


def _mean(values: Tensor) -> float:
    return float(values.mean()) if values.numel() else float("nan")


def motion_errors(reference: HumanMotion, generated: HumanMotion) -> dict[str, float]:
    """How far a motion is from its reference, in the world that both are in: metres, means over
    frames, by the names of METRICS. Aligned: root translation removed, heading kept."""
    wanted, made = reference.joints.double().numpy(), generated.joints.double().numpy()
    aligned = (made - made[:, :1]) - (wanted - wanted[:, :1])
    root = np.linalg.norm(made[:, 0] - wanted[:, 0], axis=-1)
    return {
        "global_mpjpe": float(np.linalg.norm(made - wanted, axis=-1).mean()),
        "aligned_mpjpe": float(np.linalg.norm(aligned, axis=-1).mean()),
        "root_ade": float(root.mean()),
        "root_fde": float(root[-1]),
    }


def foot_slide_m_s(motion: HumanMotion, fps: float) -> float:
    """Mean speed along the ground of toes that stand on it before and after a transition; NaN if
    none ever does."""
    toes = motion.joints[:, _TOES].double()
    low = (toes[..., 2] < LOW_M).numpy()
    stands = low[:-1] & low[1:]
    speed = np.linalg.norm(ground(toes).diff(dim=0).numpy(), axis=-1) * fps
    return float(speed[stands].mean()) if stands.any() else float("nan")
