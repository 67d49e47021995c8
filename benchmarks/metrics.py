"""How fast all metrics are, and how they move when shots are spoilt in known ways.

python benchmarks/metrics.py speed --data STORE        # results/benchmarks/metrics_speed.json
python benchmarks/metrics.py sensitivity --data STORE  # results/benchmarks/metrics_sensitivity.json
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from record import write_result

from aesop.data.store import open_store
from aesop.evaluators.evaluator_weights import Evaluators, evaluators_folder, load_evaluators
from aesop.measuring.cases import Bench, Cases, build_bench, judge, read_cases
from aesop.metrics.judging import (
    Verdict,
    compare,
    judge_cameras,
    judge_motions,
    judge_paths,
    judge_people,
    observe,
)
from aesop.metrics.metric_book import METRICS
from aesop.scene.rotation import matrix_from_axis_angle
from aesop.scene.shot import Shot
from aesop.text.encoders import default_cache_folder, text_encoder

PAPER_CLIPS = 4053
PAPER_WIDTH = 256  # of the published evaluators' embeddings; ours are narrower
DOC = Path(__file__).resolve().parents[1] / "docs" / "metrics.md"
SHOWN = ("fdc", "clatr", "f1", "camera_recall", "r_fpd", "out", "ade", "rotation", "jerk",
         "fd_tmr", "tmr", "human_recall", "foot_slide")  # fmt: skip

Spoil = Callable[[Sequence[Shot], np.random.Generator], list[Shot]]


def speed(cases: Cases, judges: Evaluators) -> dict[str, object]:
    """All metrics of as many clips as the paper tests, once shots and embeddings exist."""
    shots = (cases.references * (1 + PAPER_CLIPS // len(cases.cases)))[:PAPER_CLIPS]
    dice = np.random.default_rng(1)
    made = shaken(shots, dice)
    told = {
        name: dice.normal(size=(PAPER_CLIPS, PAPER_WIDTH)) for name in ("words", "first", "second")
    }
    targets = [case.target_tags for case in cases.cases]
    targets = (targets * (1 + PAPER_CLIPS // len(targets)))[:PAPER_CLIPS]
    times: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Verdict]) -> Verdict:
        start = time.perf_counter()
        found = work()
        times[name] = round(time.perf_counter() - start, 2)
        return found

    def cameras() -> Verdict:
        seen, spoilt = observe(shots, told["first"]), observe(made, told["second"])
        return judge_cameras(seen, spoilt, targets, told["words"])

    def errors() -> Verdict:
        compared = compare(shots, made)
        return judge_paths(compared) + judge_motions(compared, np.arange(PAPER_CLIPS))

    def people() -> Verdict:
        slides = np.zeros(PAPER_CLIPS)
        return judge_people(told["first"], told["second"], told["words"], slides)

    timed("cameras: tags, framing, Fréchet, PRDC, intervals", cameras)
    timed("errors against the reference", errors)
    timed("people: Fréchet, PRDC, intervals", people)
    start = time.perf_counter()
    judges.cameras.embed_shots(shots[:512])
    embedding = (time.perf_counter() - start) / 512
    return {
        "clips": PAPER_CLIPS,
        "frames": sum(shot.frames for shot in shots),
        "threads": torch.get_num_threads(),
        "seconds": times,
        "seconds_in_all": round(sum(times.values()), 1),
        "embedding_ms_a_shot": round(1000 * embedding, 2),
    }


def shaken(shots: Sequence[Shot], dice: np.random.Generator) -> list[Shot]:
    """White noise of 2 cm on every centre and of 1° on every rotation."""

    def one(shot: Shot) -> Shot:
        camera = shot.camera
        shift = torch.from_numpy(dice.normal(0, 0.02, camera.centre.shape)).to(camera.centre)
        turn = matrix_from_axis_angle(
            torch.from_numpy(dice.normal(0, np.radians(1.0), camera.centre.shape))
        )
        return replace(
            shot,
            camera=replace(
                camera,
                centre=camera.centre + shift,
                world_from_camera=camera.world_from_camera @ turn.to(camera.centre),
            ),
        )

    return [one(shot) for shot in shots]


def late(shots: Sequence[Shot], dice: np.random.Generator) -> list[Shot]:
    """The camera starts a second late: its first pose is held for 25 frames, its end is cut."""

    def one(shot: Shot) -> Shot:
        camera = shot.camera
        frames = torch.arange(shot.frames).sub(25).clamp_min(0)
        return replace(
            shot,
            camera=replace(
                camera,
                centre=camera.centre[frames],
                world_from_camera=camera.world_from_camera[frames],
                fov_vertical=camera.fov_vertical[frames],
            ),
        )

    return [one(shot) for shot in shots]


def trucked_back(shots: Sequence[Shot], dice: np.random.Generator) -> list[Shot]:
    """Every step along the camera's own right goes left and the other way round."""

    def one(shot: Shot) -> Shot:
        camera = shot.camera
        right = camera.world_from_camera[:-1, :, 0]
        steps = camera.centre.diff(dim=0)
        along = (steps * right).sum(-1, keepdim=True)
        way = (steps - 2 * along * right).cumsum(0)
        centre = torch.cat([camera.centre[:1], camera.centre[:1] + way])
        return replace(shot, camera=replace(camera, centre=centre))

    return [one(shot) for shot in shots]


def exchanged(shots: Sequence[Shot], dice: np.random.Generator) -> list[Shot]:
    """Every shot gets the path of another, cut or held to its length, before its own person: the
    same as shuffled captions, with references in place."""
    order = dice.permutation(len(shots))
    found: list[Shot] = []
    for shot, other in zip(shots, (shots[place] for place in order.tolist()), strict=True):
        frames = torch.arange(shot.frames).clamp_max(other.frames - 1)
        camera = other.camera
        found.append(
            replace(
                shot,
                camera=replace(
                    camera,
                    centre=camera.centre[frames],
                    world_from_camera=camera.world_from_camera[frames],
                    fov_vertical=camera.fov_vertical[frames],
                ),
            )
        )
    return found


def frozen(shots: Sequence[Shot], dice: np.random.Generator) -> list[Shot]:
    """The camera never leaves its first pose."""

    def one(shot: Shot) -> Shot:
        camera, still = shot.camera, torch.zeros(shot.frames, dtype=torch.int64)
        return replace(
            shot,
            camera=replace(
                camera,
                centre=camera.centre[still],
                world_from_camera=camera.world_from_camera[still],
            ),
        )

    return [one(shot) for shot in shots]


def trembling(shots: Sequence[Shot], dice: np.random.Generator) -> list[Shot]:
    """White noise of 2 cm on every joint."""

    def one(shot: Shot) -> Shot:
        motion = shot.clip.motion
        noise = torch.from_numpy(dice.normal(0, 0.02, motion.joints.shape)).to(motion.joints)
        joints = motion.joints + noise
        return replace(shot, clip=replace(shot.clip, motion=replace(motion, joints=joints)))

    return [one(shot) for shot in shots]


def skating(shots: Sequence[Shot], dice: np.random.Generator) -> list[Shot]:
    """The person is carried sideways at half a metre a second."""

    def one(shot: Shot) -> Shot:
        motion = shot.clip.motion
        way = torch.arange(shot.frames)[:, None, None] / shot.fps * 0.5
        joints = motion.joints + way.to(motion.joints) * motion.joints.new_tensor([1.0, 0, 0])
        return replace(shot, clip=replace(shot.clip, motion=replace(motion, joints=joints)))

    return [one(shot) for shot in shots]


SPOILS: dict[str, Spoil] = {
    "nothing": lambda shots, dice: list(shots),
    "noise on the camera, 2 cm and 1°": shaken,
    "camera one second late": late,
    "trucks mirrored": trucked_back,
    "paths exchanged (shuffled captions)": exchanged,
    "camera frozen": frozen,
    "noise on the joints, 2 cm": trembling,
    "person skating at 0.5 m/s": skating,
}


def sensitivity(bench: Bench) -> dict[str, object]:
    """Every metric after every way of spoiling."""
    rows: dict[str, dict[str, float | None]] = {}
    for name, spoil in SPOILS.items():
        spoilt = spoil(bench.cases.references, np.random.default_rng(7))
        verdict = judge(bench, spoilt, "codec")
        rows[name] = {metric: verdict.value(metric) for metric in SHOWN}
    return {
        "dataset": bench.cases.dataset,
        "data_sha256": bench.cases.data_sha256,
        "split": bench.cases.split,
        "clips": len(bench.cases.cases),
        "windows": len(bench.cases.windows),
        "clatr": bench.evaluators.cameras.identity,
        "tmr": bench.evaluators.people.identity,
        "values": rows,
    }


def sensitivity_table(found: dict[str, object]) -> str:
    """As Markdown, the numbers that moved by more than a hundredth of themselves in bold."""
    values = found["values"]
    assert isinstance(values, dict)
    base = values["nothing"]
    heads = [METRICS[name].title for name in SHOWN]
    lines = [f"| spoilt by | {' | '.join(heads)} |", "|---" + "|---:" * len(heads) + "|"]
    for name, row in values.items():
        cells: list[str] = []
        for metric in SHOWN:
            value, unspoilt = row[metric], base[metric]
            if value is None or unspoilt is None:
                cells.append("–")
                continue
            digits = METRICS[metric].digits
            text = f"{round(value, digits) + 0.0:.{digits}f}"
            moved = abs(value - unspoilt) > 0.01 * max(abs(unspoilt), 10.0**-digits)
            cells.append(f"**{text}**" if moved and abs(value - unspoilt) > 10.0**-digits else text)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def put_into_doc(table: str, found: dict[str, object]) -> None:
    """Replace what stands between the marks in docs/metrics.md."""
    begin, end = "<!-- sensitivity -->", "<!-- /sensitivity -->"
    text = DOC.read_text(encoding="utf-8")
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    told = (
        f"{found['dataset']} {found['split']}, {found['clips']} clips of {found['windows']} "
        "windows; "
        f"evaluators `{str(found['clatr'])[:12]}`, `{str(found['tmr'])[:12]}`."
    )
    DOC.write_text(f"{head}{begin}\n{told}\n\n{table}\n{end}{tail}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("speed", "sensitivity"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", default="test/pure")
    parser.add_argument("--evaluators", type=Path)
    parser.add_argument("--at-most", type=int)
    args = parser.parse_args()
    torch.set_num_threads(1)  # small tensors: a second thread only waits (docs/log.md)
    encoder = text_encoder("minilm", default_cache_folder())
    judges = load_evaluators(evaluators_folder(args.evaluators), encoder)
    cases = read_cases(open_store(args.data), args.split, args.at_most)
    command = f"python benchmarks/metrics.py {args.what} --data STORE --split {args.split}"
    command += f" --at-most {args.at_most}" if args.at_most else ""
    if args.what == "speed":
        found = speed(cases, judges)
        print(found)
    else:
        found = sensitivity(build_bench(cases, judges))
        table = sensitivity_table(found)
        print(table)
        put_into_doc(table, found)
    print(write_result(f"metrics_{args.what}", command, found))


if __name__ == "__main__":
    main()
