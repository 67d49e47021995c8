"""Camera paths: how far two are apart, how far one travels, how smoothly, and what one did in
plain numbers."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from aesop.camera_words.outline import dominant_tag, outline_of
from aesop.metrics.framing_metrics import framing_of
from aesop.scene.camera import CameraPath
from aesop.scene.movement import TAG_NAMES, tag_path
from aesop.scene.rotation import geodesic_distance
from aesop.scene.shot import Shot

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


def plain_name(tag_name: str) -> str:
    """A tag's name as one would say it: "truck left + push in"."""
    spoken = tag_name.replace("trucking", "truck").replace("boom_top", "boom up")
    return spoken.replace("boom_bottom", "boom down").replace("_", " ").replace("+", " + ")
