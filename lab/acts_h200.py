"""Probe people from words on a lent machine, where two shared cores would take an hour.

Here, an encoder of all words that are asked for is packed, with the takes of test performers:

    python lab/acts_h200.py pack CLIPS parcel

There, several processes share the GPU. Weights are compared on the sentences that may choose, and
the best of them is judged by the others:

    python3 lab/acts_h200.py probe --parcel parcel --out "$OUT/acts.json" \\
        --weights shipped=src/aesop/weights/base --weights new=FOLDER --chooser FILE
    python3 lab/acts_h200.py match --parcel parcel --out "$OUT/match.json" \\
        --weights new=FOLDER --tmr FILE

What comes back is for looking at; results that are kept are made by `aesop measure acts`.
"""

import argparse
import json
import logging
import multiprocessing
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import base_h200 as lent

if TYPE_CHECKING:
    from aesop.director.requests import ActRequest
    from aesop.measuring.acts import ProbeSet
    from aesop.scene.human import HumanMotion

TAKES_FILE = "test.parcel"
SEED = 0  # of people who are matched with real ones


@dataclass(frozen=True)
class Way:
    """Whose weights act, how hard they follow the words, and who chooses among takes, if anybody
    does."""

    name: str
    folder: Path
    guidance: float
    chooser: Path | None


@dataclass(frozen=True)
class Asked:
    """What one process acts: words, seconds, seed."""

    way: Way
    encoder: Path
    people: tuple[tuple[str, float, int], ...]
    actions: tuple[str, ...]  # tests to apply; none where the motions are wanted


def acted(task: Asked) -> "list[bool] | list[tuple[object, object]]":
    """Whether everybody passes their test, or the motions as arrays."""
    import torch

    from aesop.director.requests import ActRequest
    from aesop.metrics.action_tests import does

    torch.set_num_threads(1)
    requests = [
        ActRequest(words, seconds, seed, None, task.way.guidance)
        for words, seconds, seed in task.people
    ]
    motions = people_of(task.way, task.encoder, requests)
    if task.actions:
        return [does(action, it) for action, it in zip(task.actions, motions, strict=True)]
    return [(it.rotations.numpy(), it.joints.numpy()) for it in motions]


def people_of(way: Way, encoder: Path, requests: "Sequence[ActRequest]") -> "list[HumanMotion]":
    import torch

    from aesop.director.director import Director
    from aesop.director.protocols import SHIPPED
    from aesop.director.trained_parts import Parts
    from aesop.measuring.cases import SHORTEST_MEASURED_SECONDS
    from travelling import TravellingMiniLM

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    words = TravellingMiniLM(encoder, torch.device("cpu"))
    parts = Parts(way.folder, device, words, chooser=way.chooser)
    how = SHIPPED if way.chooser else SHIPPED.with_first_people
    director = Director(parts, people=how.people, shortest_seconds=SHORTEST_MEASURED_SECONDS)
    return [clip.motion.to(torch.device("cpu")) for clip in director.act_many(list(requests))]


def shared_out(tasks: Sequence[Asked], processes: int) -> list[list[object]]:
    """Every task in as many parts as there are processes; answers in the order asked."""
    parts: list[tuple[int, list[int], Asked]] = []
    for number, task in enumerate(tasks):
        for first in range(processes):
            mine = list(range(first, len(task.people), processes))
            people = tuple(task.people[it] for it in mine)
            actions = tuple(task.actions[it] for it in mine) if task.actions else ()
            if mine:
                parts.append((number, mine, replace(task, people=people, actions=actions)))
    answers: list[list[object]] = [[None] * len(task.people) for task in tasks]
    with multiprocessing.get_context("spawn").Pool(processes, lent.make_importable) as pool:
        made = pool.map(acted, [task for _, _, task in parts], chunksize=1)
    for (number, places, _), some in zip(parts, made, strict=True):
        for place, one in zip(places, some, strict=True):
            answers[number][place] = one
    return answers


def probed(
    ways: Sequence[Way], name: "ProbeSet", seeds: int, encoder: Path, processes: int
) -> list[dict[str, object]]:
    """The first take and the best one of every way."""
    import numpy as np

    from aesop.measuring.action_labels import training_counts
    from aesop.measuring.acts import CORE, RARE_BELOW, UNSURE, probe_sentences

    sentences = probe_sentences(name)
    people = tuple((it.words, it.seconds, seed) for it in sentences for seed in range(seeds))
    actions = tuple(it.action for it in sentences for _ in range(seeds))
    both = [replace(way, chooser=None) for way in ways]
    both += [way for way in ways if way.chooser is not None]
    tasks = [Asked(way, encoder, people, actions) for way in both]
    counts, rows = training_counts(), list[dict[str, object]]()
    for way, right in zip(both, shared_out(tasks, processes), strict=True):
        shares = np.array(right, float).reshape(len(sentences), seeds).mean(1)
        named = np.array([it.action for it in sentences])
        by_action = {
            action: float(shares[named == action].mean())
            for action in dict.fromkeys(named.tolist())
        }
        often = [
            share
            for share, it in zip(shares.tolist(), sentences, strict=True)
            if counts[it.action] >= RARE_BELOW and it.action not in UNSURE
        ]
        row: dict[str, object] = {
            "weights": way.name,
            "guidance": way.guidance,
            "takes": "best take" if way.chooser else "first take",
            "set": name,
            "right": float(shares.mean()),
            "right_frequent": float(np.mean(often)),
            "core": {action: share for action, share in by_action.items() if action in CORE},
            "actions": by_action,
        }
        rows.append(row)
        lent.say(
            f"{name}: {way.name}, guidance {way.guidance:g}, {row['takes']}: "
            f"{shares.mean():.1%}, frequent {np.mean(often):.1%}"
        )
    return rows


def probe(args: argparse.Namespace) -> None:
    """All weights and guidances on the choosing sentences, the best of them on the others."""
    encoder = args.parcel / lent.ENCODER_FILE
    ways = [
        Way(name, Path(folder), guidance, args.chooser)
        for name, _, folder in (it.partition("=") for it in args.weights)
        for guidance in args.guidance
    ]
    rows = probed(ways, "choosing", args.choosing_seeds, encoder, args.processes)
    args.out.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    first = [row for row in rows if row["takes"] == "first take"]
    best = max(first, key=lambda row: float(str(row["right_frequent"])))
    chosen = [
        way for way in ways if (way.name, way.guidance) == (best["weights"], best["guidance"])
    ]
    lent.say(f"chosen: {best['weights']} with guidance {best['guidance']}")
    if args.judge:
        rows += probed(chosen, "judging", args.seeds, encoder, args.processes)
        args.out.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def match(args: argparse.Namespace) -> None:
    """People from the captions of test segments beside the real ones, by the evaluator that
    measures; first takes."""
    import torch

    from aesop.evaluators.evaluator_weights import load_evaluator
    from aesop.measuring.matched_people import matched
    from aesop.scene.human import HumanMotion
    from travelling import TravellingMiniLM

    encoder = args.parcel / lent.ENCODER_FILE
    words, seconds, real, takes = real_people(args.parcel / TAKES_FILE, args.at_most)
    people = tuple((text, length, SEED) for text, length in zip(words, seconds, strict=True))
    judge = load_evaluator(args.tmr, TravellingMiniLM(encoder, torch.device("cpu")))
    found: dict[str, object] = {}
    for name, _, folder in (it.partition("=") for it in args.weights):
        task = Asked(Way(name, Path(folder), args.guidance[0], None), encoder, people, ())
        (answers,) = shared_out([task], args.processes)
        made = [
            HumanMotion(*(torch.from_numpy(it) for it in one))  # pyright: ignore[reportGeneralTypeIssues]
            for one in answers
        ]
        found[name] = asdict(matched(judge, words, real, made, takes))
        lent.say(f"{name}: {json.dumps(found[name])}")
        args.out.write_text(json.dumps(found, indent=1), encoding="utf-8")


def real_people(
    path: Path, at_most: int | None
) -> "tuple[list[str], list[float], list[HumanMotion], list[str]]":
    """Words, length, motion and take of every captioned test segment that arrived, or of some."""
    import numpy as np
    import torch

    from aesop.director.requests import LONGEST_SECONDS
    from aesop.features.human_features import human_from_features
    from aesop.measuring.cases import SHORTEST_MEASURED_SECONDS
    from aesop.scene.human import NATIVE_FPS, HumanMotion
    from people_footage import worded_takes
    from people_parcel import present, read_takes, take_features

    travelled = read_takes(path)
    features = take_features(travelled, torch.device("cpu")).features[0]
    worded = present(worded_takes(), travelled)
    words, seconds, motions, names = list[str](), list[float](), list[HumanMotion](), list[str]()
    for name, start, stop in zip(
        travelled.names, travelled.starts[:-1], travelled.starts[1:], strict=True
    ):
        whole = human_from_features(features[start:stop].double())
        for row in worded[name]:
            length = min(max(row.segment.seconds, SHORTEST_MEASURED_SECONDS), LONGEST_SECONDS)
            part = slice(row.first, row.first + round(length * NATIVE_FPS))
            motion = HumanMotion(whole.rotations[part], whole.joints[part])
            if motion.frames == part.stop - part.start:
                words.append(row.words.caption.sentences[0])
                seconds.append(length)
                motions.append(motion.to(torch.float32))
                names.append(name)
    kept = range(len(words))
    if at_most is not None and at_most < len(words):
        kept = np.linspace(0, len(words) - 1, at_most).astype(int).tolist()
    return (
        [words[it] for it in kept],
        [seconds[it] for it in kept],
        [motions[it] for it in kept],
        [names[it] for it in kept],
    )


def pack(args: argparse.Namespace) -> None:
    """The takes of test performers, and an encoder of all words: of the probe, of captions, and of
    what `people_h200.py` may say in training, so that one encoder serves both."""
    from aesop.fables.motion_sets import read_set_takes
    from aesop.fables.people_windows import takes_of_split
    from aesop.measuring.acts import probe_sentences
    from people_footage import LONGEST_TEXT_WORDS, vocabulary, worded_takes
    from people_parcel import write_takes
    from travelling import write_travelling_encoder

    args.parcel.mkdir(parents=True, exist_ok=True)
    worded = worded_takes()
    mine = sorted(takes_of_split(read_set_takes(), "test") & worded.keys())[:: args.every]
    found = write_takes(mine, args.clips, args.parcel / TAKES_FILE)
    texts = sorted(vocabulary([row for rows in worded.values() for row in rows]))
    for name in ("judging", "choosing"):
        texts += [it.words for it in probe_sentences(name)]
    texts.append(" ".join(["walks"] * LONGEST_TEXT_WORDS))
    write_travelling_encoder(texts, args.parcel / lent.ENCODER_FILE, all_words=True)
    lent.say(f"{len(found)} takes")
    lent.say_sizes(args.parcel)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("clips", type=Path, help="folder of SET/TAKE.clip")
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--every", type=int, default=1, help="one take in so many, to try it")
    for name in ("probe", "match"):
        measuring = verbs.add_parser(name)
        measuring.add_argument("--parcel", type=Path, required=True)
        measuring.add_argument("--out", type=Path, required=True)
        measuring.add_argument("--weights", action="append", required=True, help="NAME=FOLDER")
        measuring.add_argument("--guidance", type=float, nargs="+", default=[4.0])
        measuring.add_argument("--processes", type=int, default=14)
        if name == "probe":
            measuring.add_argument("--chooser", type=Path, help="who chooses among takes")
            measuring.add_argument("--choosing-seeds", type=int, default=4)
            measuring.add_argument("--seeds", type=int, default=8)
            measuring.add_argument("--judge", action="store_true", help="the best of them too")
        else:
            measuring.add_argument("--tmr", type=Path, required=True, help="who measures")
            measuring.add_argument("--at-most", type=int, help="segments, evenly spaced")
    return parser.parse_args()


def main() -> None:
    args = read_arguments()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    lent.make_importable()
    {"pack": pack, "probe": probe, "match": match}[args.verb](args)


if __name__ == "__main__":
    main()
