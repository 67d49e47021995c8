"""What makes cameras of long motion turn away: the path that one window hands to the next, or the
decoding of what the network says there? Every combination of the two, on the same noise.

    python benchmarks/long_motion.py --takes CMU_BVH_FOLDER [--sentences 4]

Windows hand on the path as the paper decodes it or as it is decoded consistently; what they film is
then shown by either decoding. Motions over 12 s of the bed's tune side, first takes, seed 0.
"""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that spin slow each other down

import torch
from record import ROOT, write_result

from aesop.director.decoding import Decoding
from aesop.director.director import load_director
from aesop.director.long_motion import LongFilm
from aesop.director.requests import FilmRequest
from aesop.director.sampling import CameraCondition, encode_people, film_people, tokens_of
from aesop.director.trained_parts import Parts
from aesop.flow.path import noise_for
from aesop.flow.solvers import PRESETS
from aesop.measuring.bed import bed_clip, read_bed
from aesop.metrics.framing_metrics import seen_joints
from aesop.scene.camera import CameraPath
from aesop.scene.human import MAX_FRAMES, Clip
from aesop.scene.skeleton import JOINT

DECODINGS: tuple[Decoding, ...] = ("paper", "consistent")
SENTENCES = ("push_in", "truck_left", "static", "arc_left", "pull_out", "follow")
HANDED = slice(0, 48)  # of a window: the frames whose tokens are held exactly


@dataclass(frozen=True)
class Kept:
    """How one film holds the person in its first window and after it."""

    handed: Decoding
    shown: Decoding
    empty_first: float
    empty_after: float
    handed_miss_deg: float  # between the optical axis and the neck, in what was handed on


def films(parts: Parts, clip: Clip, condition: CameraCondition) -> list[Kept]:
    """One request, four ways."""
    kept: list[Kept] = []
    for handed in DECODINGS:
        chain: dict[Decoding, LongFilm] = {way: LongFilm(clip, condition) for way in DECODINGS}
        lead, misses = chain[handed], list[float]()
        for number in range(len(lead.windows)):
            person = encode_people(parts, [lead.window(number)[0].motion])
            asked = lead.condition(parts, number)
            if number:
                misses.append(_handed_miss(lead, number))
            for shown, film in chain.items():
                camera = film_people(parts, person, [asked], PRESETS["fast"], shown)[0]
                film.add(camera, number)
        for shown, film in chain.items():
            first, after = _empty(film.camera, clip)
            kept.append(Kept(handed, shown, first, after, sum(misses) / len(misses)))
    return kept


def _handed_miss(film: LongFilm, number: int) -> float:
    start = film.windows[number].start
    path: CameraPath = film._path  # pyright: ignore[reportPrivateUsage, reportAssignmentType]
    frames = slice(start + HANDED.start, start + HANDED.stop)
    neck = film.clip.motion.joints[frames, JOINT["neck"]]
    away = torch.nn.functional.normalize(neck - path.centre[frames], dim=-1)
    forward = path.world_from_camera[frames, :, 2]
    return float(torch.rad2deg(torch.acos((away * forward).sum(-1).clamp(-1, 1))).mean())


def _empty(camera: CameraPath, clip: Clip) -> tuple[float, float]:
    visible = seen_joints(camera, clip.motion).visible.any(-1)
    nobody = (~visible).double()
    return float(nobody[:MAX_FRAMES].mean()), float(nobody[MAX_FRAMES:].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--takes", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=4)
    args = parser.parse_args()
    bed = read_bed(ROOT / "runs" / "bed.json")
    parts = load_director().parts
    rows: list[Kept] = []
    count = 0
    for motion in bed.of("tune"):
        clip = bed_clip(motion, args.takes)
        if clip.frames <= MAX_FRAMES:
            continue
        for name in SENTENCES[: args.sentences]:
            words = bed.sentence(name).words
            request = FilmRequest(clip, words, seed=0)
            shape = (tokens_of(clip.frames), parts.camera_flow.network.shape.latent)
            noise = noise_for(request.noise_seed, 0, shape, stream="camera")
            text = parts.encoder.encode_each([words])[0]
            rows += films(parts, clip, CameraCondition(text, 1.0, request.guidance, noise))
            count += 1
            print(motion.name, name, rows[-4:], flush=True)
    table = {f"handed {h}, shown {s}": _mean(rows, h, s) for h in DECODINGS for s in DECODINGS}
    figures: dict[str, object] = {"films": count, "ways": table}
    print(table)
    command = f"python benchmarks/long_motion.py --takes CMU_BVH --sentences {args.sentences}"
    print(write_result("long_motion", command, figures))


def _mean(rows: list[Kept], handed: Decoding, shown: Decoding) -> dict[str, float]:
    some = [row for row in rows if (row.handed, row.shown) == (handed, shown)]
    return {
        "empty in the first window, %": round(100 * _average([r.empty_first for r in some]), 2),
        "empty after it, %": round(100 * _average([r.empty_after for r in some]), 2),
        "handed path misses the neck by, deg": round(
            _average([r.handed_miss_deg for r in some]), 1
        ),
    }


def _average(values: list[float]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    main()
