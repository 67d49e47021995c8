"""The camera vocabulary, measured: do taggers find what was drawn, does the operator obey, and what
do real cameras look like to the taggers.

    python runs/vocabulary.py agree --takes CMU_BVH          # results/runs/vocabulary_agree.json
    python runs/vocabulary.py operator --takes CMU_BVH       # results/runs/vocabulary_operator.json
    python runs/vocabulary.py real REAL_CAMERAS              # results/runs/vocabulary_real.json
    python runs/vocabulary.py pace REAL --takes CMU_BVH      # results/runs/vocabulary_pace.json
    python runs/vocabulary.py sheet --takes CMU_BVH -o FOLDER
    python runs/vocabulary.py drawn --takes CMU_BVH -o FOLDER    # shots as Fables draws them
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.camera_words.attributes import CameraFacts
from aesop.camera_words.fact_check import MeasuredFacts, check_facts, measure_facts
from aesop.camera_words.standing_tagger import person_curves
from aesop.camera_words.step_tagger import turning_frame
from aesop.core.errors import AesopError, ClipError
from aesop.core.hashing import dice_for
from aesop.director.facts_filming import read_request
from aesop.director.long_motion import grounded_start
from aesop.director.rule_based import Operator
from aesop.director.take_marks import checks_of
from aesop.fables.cinematographer.facts_draw import FactStyle, draw_facts
from aesop.fables.cinematographer.facts_path import drawn_camera, flaw_of_camera
from aesop.fables.cinematographer.lens import Subject, watch
from aesop.fables.takes import find_takes
from aesop.fables.vocabulary_shots import film_vocabulary
from aesop.measuring.bed import Cut, Side, bed_clip, read_bed
from aesop.metrics.framing_metrics import holding_of
from aesop.preview.sheets import contact_sheet, write_picture
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS, Clip, Provenance, cut
from aesop.scene.picture_format import AS_DECODED
from aesop.scene.rotation import matrix_from_quaternion_wxyz
from aesop.scene.shot import Shot

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
import record

from camera_pace import pace_of

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "runs"
SENTENCES = ROOT / "runs" / "vocabulary_sentences.json"
FRAMES = (50, 220)
STAYS_M = 0.5  # whoever never gets farther from where they started
RE10K_FPS = 30.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    agree = commands.add_parser("agree", help="taggers against what was drawn")
    agree.add_argument("--takes", type=Path, required=True)
    agree.add_argument("--shots", type=int, default=3000)
    agree.add_argument("--seed", type=int, default=25, help="other seeds draw other shots")
    agree.set_defaults(go=_agree)
    operator = commands.add_parser("operator", help="sixty sentences on the motions of the bed")
    operator.add_argument("--takes", type=Path, required=True)
    operator.add_argument("--side", choices=("tune", "test"), default="test")
    operator.add_argument("--films", type=int, default=0, help="0 films every motion and sentence")
    operator.set_defaults(go=_operator)
    real = commands.add_parser("real", help="what taggers find in real camera paths")
    real.add_argument("folder", type=Path)
    real.set_defaults(go=_real)
    pace = commands.add_parser("pace", help="shake, turns and eases of real and drawn cameras")
    pace.add_argument("folder", type=Path)
    pace.add_argument("--takes", type=Path, required=True)
    pace.add_argument("--shots", type=int, default=400)
    pace.add_argument("--seed", type=int, default=25)
    pace.set_defaults(go=_pace)
    drawn = commands.add_parser("drawn", help="pictures of shots as Fables draws them")
    drawn.add_argument("--takes", type=Path, required=True)
    drawn.add_argument("-o", "--out", type=Path, required=True)
    drawn.add_argument("--shots", type=int, default=200)
    drawn.add_argument("--seed", type=int, default=25)
    drawn.set_defaults(go=_drawn)
    sheet = commands.add_parser("sheet", help="pictures of the operator's answers")
    sheet.add_argument("--takes", type=Path, required=True)
    sheet.add_argument("-o", "--out", type=Path, required=True)
    sheet.add_argument("--every", type=int, default=1)
    sheet.set_defaults(go=_sheet)
    told = parser.parse_args()
    torch.set_num_threads(1)
    told.go(told)


def _clips(side: Side, takes: Path) -> list[Clip]:
    unpacked = ROOT / "build" / "bed" / takes.name.split(".")[0]
    folders = {take: path.parent for take, path in find_takes(takes, unpacked).items()}
    return [
        bed_clip(it, folders[it.source.take] if isinstance(it.source, Cut) else takes)
        for it in read_bed(ROOT / "runs" / "bed.json").of(side)
    ]


@dataclass(frozen=True, eq=False)
class _Window:
    clip: Clip
    subject: Subject
    turning: int | None


def _windows(clips: Sequence[Clip], count: int, seed: int) -> Iterator[tuple[int, _Window]]:
    """Pieces of the bed's motions; every other one of somebody who stays where they are."""
    at = tried = 0
    while at < count:
        dice = dice_for(seed, "window", str(tried))
        tried += 1
        whole = clips[int(dice.integers(len(clips)))]
        frames = min(whole.frames, int(dice.integers(*FRAMES)))
        first = int(dice.integers(0, whole.frames - frames + 1))
        clip, _ = grounded_start(cut(whole, first, first + frames))
        motion = clip.motion.to(torch.float64)
        subject = watch(motion.joints.numpy(), motion.yaw.numpy())
        if at % 2 and subject.excursion_m > STAYS_M:
            continue
        clip = replace(clip, motion=motion)
        yield at, _Window(clip, subject, turning_frame(person_curves(motion), NATIVE_FPS))
        at += 1


def _agree(told: argparse.Namespace) -> None:
    right: dict[str, Counter[bool]] = defaultdict(Counter)
    by_way: dict[str, dict[str, Counter[bool]]] = {
        "who stay": defaultdict(Counter), "who go": defaultdict(Counter)
    }  # fmt: skip
    confusion: dict[str, Counter[str]] = defaultdict(Counter)
    flaws: Counter[str] = Counter()
    kept = 0
    for at, window in _windows(_clips("tune", told.takes), told.shots, told.seed):
        dice = dice_for(told.seed, "shot", str(at))
        drawn = _kept_draw(window, dice, flaws)
        if drawn is None:
            continue
        kept += 1
        facts, measured = drawn
        for check in check_facts(facts, measured):
            attribute, _, value = check.asked.partition(":")
            right[attribute][check.right] += 1
            way = "who stay" if window.subject.excursion_m <= STAYS_M else "who go"
            by_way[way][attribute][check.right] += 1
            confusion[attribute][f"{value} / {value if check.right else check.got}"] += 1
    figures = {
        "shots": kept,
        "motions": "the bed's tune side, half of the windows of people who stay",
        "screened_by": "ground, body, distance, speed, framing; never by what was measured",
        "thrown_away": dict(flaws.most_common()),
        "agreement": {name: _share(counts) for name, counts in sorted(right.items())},
        "checked": {name: sum(counts.values()) for name, counts in sorted(right.items())},
        **{
            f"agreement on people {way}": {
                name: [_share(counts), sum(counts.values())]
                for name, counts in sorted(some.items())
            }
            for way, some in by_way.items()
        },
        "drawn / measured": {
            name: dict(counts.most_common()) for name, counts in sorted(confusion.items())
        },
    }
    command = "python runs/vocabulary.py agree --takes CMU_BVH"
    command += f" --shots {told.shots} --seed {told.seed}"
    _write("vocabulary_agree", command, figures)


def _kept_draw(
    window: _Window, dice: np.random.Generator, flaws: Counter[str]
) -> tuple[CameraFacts, MeasuredFacts] | None:
    """The first draw without a flaw, as a dataset keeps it."""
    for _ in range(40):
        facts = draw_facts(window.subject, FactStyle(), dice, turning=window.turning)
        for _ in range(6):
            camera = drawn_camera(window.subject, facts, 1.0, dice, turning=window.turning)
            flaw = flaw_of_camera(window.subject, facts, camera)
            if flaw is None:
                return facts, measure_facts(camera, window.clip.motion, NATIVE_FPS)
            flaws[flaw] += 1
    return None


def _share(counts: Counter[bool]) -> float:
    return round(counts[True] / sum(counts.values()), 4)


def _films(told: argparse.Namespace) -> Iterator[tuple[str, Clip, Shot | AesopError]]:
    clips = _clips(told.side, told.takes)
    pairs = [(words, clip) for clip in clips for words in _sentences()]
    if told.films:
        order = dice_for(25, "films").permutation(len(pairs))[: told.films]
        pairs = [pairs[int(at)] for at in sorted(order)]
    for words, clip in pairs:
        try:
            yield words, clip, Operator().film(clip, words, picture=AS_DECODED)
        except AesopError as error:
            yield words, clip, error


def _sentences() -> list[str]:
    return json.loads(SENTENCES.read_text(encoding="utf-8"))


def _operator(told: argparse.Namespace) -> None:
    right: dict[str, Counter[bool]] = defaultdict(Counter)
    by_words: dict[str, Counter[bool]] = defaultdict(Counter)
    misses: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    held: list[tuple[float, float, float, float]] = []
    for words, clip, shot in _films(told):
        if isinstance(shot, AesopError):
            refused[shot.fact] += 1
            continue
        facts = read_request(words).facts
        holding = holding_of(shot.camera, clip.motion, clip.fps)
        held.append(
            (holding.empty_share, holding.head_share, holding.nearest_m, holding.fastest_turn_dps)
        )
        for check in checks_of(facts, shot.camera, clip):
            right[check.asked.partition(":")[0]][check.right] += 1
            by_words[words][check.right] += 1
            if not check.right:
                misses[f"{check.asked} / {check.got}"] += 1
    table = np.array(held)
    total = sum(right.values(), Counter[bool]())
    figures = {
        "side": told.side,
        "films": len(held),
        "asked_values": sum(total.values()),
        "measured_back": _share(total),
        "by_attribute": {name: _share(counts) for name, counts in sorted(right.items())},
        "empty_frames": round(float(table[:, 0].mean()), 5),
        "head_in_picture": round(float(table[:, 1].mean()), 4),
        "films_that_lose_the_person": int((table[:, 0] >= 0.1).sum()),
        "nearer_than_0.4_m": int((table[:, 2] < 0.4).sum()),
        "over_90_dps": int((table[:, 3] > 90).sum()),
        "refused": dict(refused.most_common()),
        "by_sentence": {
            words: _share(by_words[words]) for words in _sentences() if words in by_words
        },
        "asked / got": dict(misses.most_common(60)),
    }
    command = f"python runs/vocabulary.py operator --takes CMU_BVH --side {told.side}"
    command += f" --films {told.films}" if told.films else ""
    _write(f"vocabulary_operator_{told.side}", command, figures)


def _real(told: argparse.Namespace) -> None:
    people = [_human_vid(path) for path in sorted(told.folder.glob("*.txt"))]
    figures: dict[str, object] = {
        "human_vid": _tagged(people, NATIVE_FPS),
        "re10k": _tagged(_re10k(told.folder / "re10k.npz"), RE10K_FPS),
    }
    _write("vocabulary_real", "python runs/vocabulary.py real REAL_CAMERAS", figures)


def _pace(told: argparse.Namespace) -> None:
    drawn: dict[str, list[CameraPath]] = defaultdict(list)
    whips: list[CameraPath] = []
    for _, shot, facts in _drawn_shots(told.takes, told.shots, told.seed):
        drawn[str(facts.grip)].append(shot)
        if any("whip-pan" in step.turns for step in facts.steps):
            whips.append(shot)
    calm = [one for some in drawn.values() for one in some if not any(one is it for it in whips)]
    figures: dict[str, object] = {
        "human_vid": asdict(pace_of([_human_vid(it) for it in sorted(told.folder.glob("*.txt"))])),
        "re10k": asdict(pace_of(_re10k(told.folder / "re10k.npz"), RE10K_FPS)),
        "drawn": asdict(pace_of([one for some in drawn.values() for one in some])),
        "drawn, without whip pans": asdict(pace_of(calm)),
        **{f"drawn, {grip}": asdict(pace_of(some)) for grip, some in sorted(drawn.items())},
    }
    command = "python runs/vocabulary.py pace REAL_CAMERAS --takes CMU_BVH"
    command += f" --shots {told.shots} --seed {told.seed}"
    _write("vocabulary_pace", command, figures)


def _drawn_shots(
    takes: Path, count: int, seed: int
) -> Iterator[tuple[_Window, CameraPath, CameraFacts]]:
    """Shots of the bed's tune side, as Fables draws them."""
    for at, window in _windows(_clips("tune", takes), count, seed):
        dice = dice_for(seed, "shot", str(at))
        try:
            shot = film_vocabulary(window.clip.motion, FactStyle(), dice)
        except ClipError:
            continue
        yield window, shot.camera, shot.told


def _drawn(told: argparse.Namespace) -> None:
    told.out.mkdir(parents=True, exist_ok=True)
    shots = _drawn_shots(told.takes, told.shots, told.seed)
    for at, (window, camera, facts) in enumerate(shots):
        shot = Shot(replace(window.clip, motion=window.clip.motion.to(torch.float32)), camera,
                    Provenance("drawn"), camera_words=facts.text)  # fmt: skip
        path = told.out / f"{at:03d}.png"
        write_picture(contact_sheet(shot), path)
        sys.stdout.write(f"{path}: {window.clip.name}: {facts.text}\n")


def _human_vid(path: Path) -> CameraPath:
    """Frame, place, quaternion xyzw, and columns that nobody documents. The world's axes are the
    first camera's, which is taken to be level."""
    rows = torch.from_numpy(np.loadtxt(path))
    rotation = matrix_from_quaternion_wxyz(rows[:, [7, 4, 5, 6]])
    lens = torch.full((len(rows),), 0.7).double()
    return _to_size(CameraPath(rotation, rows[:, 1:4], lens, 1.8), rotation[0], NATIVE_FPS)


def _re10k(path: Path) -> list[CameraPath]:
    with np.load(path) as file:
        start, rotation = file["start"], torch.from_numpy(file["rotation"]).double()
        centre, fov = torch.from_numpy(file["centre"]).double(), file["vfov"]
        time = file["time"]
    whole = matrix_from_quaternion_wxyz(rotation[:, [3, 0, 1, 2]])
    paths: list[CameraPath] = []
    for at in range(len(fov)):
        part = slice(int(start[at]), int(start[at + 1]))
        if not _is_even(time[part], centre[part].numpy()):
            continue
        lens = torch.full((part.stop - part.start,), float(fov[at])).double().deg2rad()
        # Its worlds hang nearly straight, y down: horizons are real ones.
        straight = torch.eye(3).double()
        camera = CameraPath(whole[part], centre[part], lens, 16 / 9)
        paths.append(_to_size(camera, straight, RE10K_FPS))
    return paths


def _is_even(time: Float[np.ndarray, " frames"], centre: Float[np.ndarray, "frames 3"]) -> bool:
    """Whether a clip has one pose every thirtieth of a second, and none far from its neighbours."""
    steps = np.linalg.norm(np.diff(centre, axis=0), axis=-1)
    jumps = steps.max() > 10 * np.median(steps)
    return not jumps and bool((np.abs(np.diff(time) * RE10K_FPS - 1) < 0.2).all())


def _to_size(camera: CameraPath, level_camera: Tensor, fps: float) -> CameraPath:
    """Turned so that the up of a level camera is up. Scale is open: a path is scaled so that its
    median speed is a slow dolly's, which leaves shares and turns as they are."""
    level = torch.tensor([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]]).double() @ level_camera.T
    centre = (camera.centre - camera.centre[0]) @ level.T
    speed = torch.linalg.vector_norm(centre.diff(dim=0), dim=-1) * fps
    scale = 0.35 / max(float(speed.median()), 1e-9) if float(speed.median()) > 1e-4 else 1.0
    return CameraPath(
        level @ camera.world_from_camera, scale * centre, camera.fov_vertical, camera.aspect
    )


def _tagged(paths: Sequence[CameraPath], fps: float) -> dict[str, object]:
    found = [measure_facts(one, None, fps) for one in paths]
    values = Counter(name for one in found for step in one.steps for name in step.step.names)
    shake = np.quantile([one.standing.shake_deg for one in found], (0.1, 0.25, 0.5, 0.75, 0.9))
    return {
        "paths": len(paths),
        "frames": sum(one.frames for one in paths),
        "grips": dict(Counter(one.standing.grip for one in found).most_common()),
        "dutch": sum(one.standing.dutch for one in found),
        "steps": dict(Counter(len(one.steps) for one in found)),
        "values": dict(values.most_common()),
        "shake_deg_p10_25_50_75_90": np.round(shake, 4).tolist(),
    }


def _sheet(told: argparse.Namespace) -> None:
    told.out.mkdir(parents=True, exist_ok=True)
    clips = _clips("tune", told.takes)
    for at, words in enumerate(_sentences()[:: told.every]):
        clip = clips[int(dice_for(25, "sheet", str(at)).integers(len(clips)))]
        clip = cut(clip, 0, min(clip.frames, 200))
        shot = Operator().film(clip, words, picture=AS_DECODED)
        path = told.out / f"{at:02d}.png"
        write_picture(contact_sheet(shot), path)
        sys.stdout.write(f"{path}: {clip.name}: {words}\n")


def _write(name: str, command: str, figures: dict[str, object]) -> None:
    record.RESULTS = RESULTS
    path = record.write_result(name, command, figures)
    sys.stderr.write(f"{path}\n")


if __name__ == "__main__":
    main()
