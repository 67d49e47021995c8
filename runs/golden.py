"""The golden set: what AESOP makes today, kept to show that it stays when code moves.

    python runs/golden.py record OUT.json
    python runs/golden.py compare BEFORE.json AFTER.json

`record` asks over thirty requests of the command line and computes data, pairs, metrics and a few
training steps; it takes about five minutes of one core, in one thread, so that the same code gives
the same bits. `compare` prints a line an item and exits with 1 if anything differs. Items need the
same machine and the same libraries: other processors round otherwise.
"""

import argparse
import contextlib
import json
import os
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

# Read when numpy and torch start their threads.
if __name__ == "__main__":
    for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[_name] = "1"

import numpy as np
from tqdm import tqdm

from golden_book import Book, compared, read_book, table, write_book
from golden_requests import (
    add_file,
    add_tensors,
    films,
    other_commands,
    people,
    run,
    shots,
    strangers,
)

if TYPE_CHECKING:
    from aesop.data.store import Store
    from aesop.scene.human import Clip
    from aesop.scene.shot import Shot

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT / ".." / "shared" / "data"

# --- Imports of AESOP: all of them, and nowhere else ----------------------------------------------


def _load_director():
    from aesop import load_director

    return load_director


def _read_shot():
    from aesop.files.shot_file import read_shot

    return read_shot


def _write_motion():
    from aesop.files.motion_files import write_motion

    return write_motion


def _synthetic():
    from aesop.fables.synthetic import ACTIONS, synthetic_motion

    return ACTIONS, synthetic_motion


def _build_mini():
    from aesop.fables.build import build_mini

    return build_mini


def _open_store():
    from aesop.data.store import open_store

    return open_store


def _store_facts():
    from aesop.data.facts import store_facts

    return store_facts


def _batches():
    from aesop.data.batches import draw_captions, epoch_batches

    return draw_captions, epoch_batches


def _reader():
    from aesop.camera_words.caption_reader import movements_in
    from aesop.camera_words.made_as_asked import made_as_asked
    from aesop.camera_words.request_reader import read_asked

    return movements_in, read_asked, made_as_asked


def _outlines():
    from aesop.camera_words.outline import SIGNS, TAG_OF, Movement, outline_of

    def reversed_outline(outline: Sequence[Movement]) -> list[Movement]:
        """Every movement of this list the other way."""
        tags = [TAG_OF[-x, -y, -z] for x, y, z in (SIGNS[move.tag] for move in outline)]
        return [replace(move, tag=tag) for move, tag in zip(outline, tags, strict=True)]

    return Movement, outline_of, reversed_outline


def _captions():
    from aesop.camera_words.grammar import camera_caption
    from aesop.camera_words.vocabulary import mirror_caption

    return camera_caption, mirror_caption


def _human_captions():
    from aesop.fables.human_facts import facts_of, factual_captions

    return facts_of, factual_captions


def _cinematographer():
    from aesop.fables.cinematographer.filming import film

    return film


def _features():
    from aesop.features.camera_features import camera_from_features, camera_to_features
    from aesop.features.human_features import human_from_features, human_to_features

    return human_to_features, human_from_features, camera_to_features, camera_from_features


def _statistics():
    from aesop.features.columns import camera_statistics, human_statistics

    return human_statistics, camera_statistics


def _tags():
    from aesop.scene.movement import tag_path

    return tag_path


def _projection():
    from aesop.scene.camera import boxes, out_of_frame, project_joints

    return project_joints, boxes, out_of_frame


def _rotations():
    from aesop.scene.rotation import (
        axis_angle_from_matrix,
        euler_from_matrix,
        matrix_from_axis_angle,
        quaternion_wxyz_from_matrix,
    )

    return (
        matrix_from_axis_angle,
        axis_angle_from_matrix,
        euler_from_matrix,
        quaternion_wxyz_from_matrix,
    )


def _flow():
    from aesop.flow.path import noise_for, sampling_times, shifted_time

    return noise_for, sampling_times, shifted_time


def _text_encoder():
    from aesop.text.encoders import text_encoder

    return text_encoder


def _evaluators():
    from aesop.evaluators.evaluator_weights import evaluators_folder, load_evaluators

    return evaluators_folder, load_evaluators


def _distributions():
    from aesop.metrics.embedding_metrics import chunked_prdc, fit_gaussian, frechet_distance, prdc

    return fit_gaussian, frechet_distance, prdc, chunked_prdc


def _movement_metrics():
    from aesop.metrics.intensity_scan import intensity_facts
    from aesop.metrics.movement_metrics import clip_tables, direction_accuracy, movement_f1

    return clip_tables, movement_f1, direction_accuracy, intensity_facts


def _film_metrics():
    from aesop.metrics.framing_metrics import holding_of
    from aesop.metrics.motion_metrics import body_facts
    from aesop.metrics.movement_metrics import company_of, makes_arc, makes_tags, swept_deg

    return holding_of, company_of, makes_tags, makes_arc, swept_deg, body_facts


def _judging():
    from aesop.metrics.embedding_metrics import retrieval, same_labels
    from aesop.metrics.judging import compare, judge_cameras, judge_motions, judge_paths, observe

    return observe, compare, judge_cameras, judge_paths, judge_motions, retrieval, same_labels


def _pairs():
    from aesop.pairs.pair_files import read_plan
    from aesop.training.batch_order import pairs_on_footage
    from aesop.training.footage import read_footage

    return read_plan, read_footage, pairs_on_footage


def _training():
    from aesop.training.loop import Conduct
    from aesop.training.phases import train
    from aesop.training.recipe_book import all_recipes
    from aesop.training.recipes import with_steps
    from aesop.training.run_folder import Material

    return Conduct, Material, train, all_recipes, with_steps


# --- Nothing below imports AESOP ------------------------------------------------------------------


Step = Callable[[], None]
SENTENCES = (
    "The camera pushes in.", "the camera dollies in slowly on her face", "pull out",
    "The camera trucks left.", "truck right, then push in", "boom up", "crane down to the floor",
    "The camera is static.", "the shot stays still", "arc left", "orbit around him clockwise",
    "The camera circles the person counter-clockwise.", "follow the person", "lead the person",
    "the camera walks beside the woman", "the camera backs away in front of the dancer",
    "keep up with the runner from behind", "The camera rises and pulls back.",
    "first it moves to the left, and finally it stops", "after pushing in, the camera booms up",
    "the camera pans right", "tilt up", "zoom in", "Dutch angle, handheld",
    "while the person walks to the right, the camera moves to the left",
    "the camera slides towards the ground", "go up, then down", "a slow dolly shot",
    "steadicam shot behind the actor", "The camera moves forward and to the right.",
    "the camera starts close and retreats", "close-up", "wide establishing shot", "whip pan",
    "be", "colourless green ideas sleep furiously", "!!!", "42", "in out in out",
    "the camera does not move", "Please let the camera drift backwards, then rise.",
    "die Kamera f\u00e4hrt nach links",
)  # fmt: skip


def motions(book: Book) -> None:
    """Synthetic motions as files in this folder, each in another format."""
    _, synthetic_motion = _synthetic()
    write_motion = _write_motion()
    files = {
        "walk.clip": ("walk", 90), "wave.clip": ("wave", 75), "turn.bvh": ("turn", 70),
        "jump.npz": ("jump", 60), "sit.npy": ("sit", 80), "walk_curve.clip": ("walk_curve", 100),
        "short.clip": ("walk", 30), "long.clip": ("walk_curve", 420),
    }  # fmt: skip
    for seed, (name, (action, frames)) in enumerate(files.items()):
        made = synthetic_motion(action, frames, np.random.default_rng(seed))
        write_motion(made.clip, Path(name))
        book.add_numbers(f"synthetic {name}", made.clip.motion)
        book.add_text(f"synthetic {name}: captions", "\n".join(made.captions))
        add_file(book, f"synthetic {name}: file", Path(name))


def _clips() -> "dict[str, Clip]":
    actions, synthetic_motion = _synthetic()
    return {
        name: synthetic_motion(name, 80, np.random.default_rng(at)).clip
        for at, name in enumerate(actions)
    }


def _sample_shots(store: "Store", count: int) -> "list[Shot]":
    rows = store.split("test")
    return [store.as_shot(int(row)) for row in rows[:: max(1, len(rows) // count)][:count]]


def data_items(book: Book) -> list[Step]:
    """Stores, captions, readers, tags, features."""
    return [
        lambda: mini_store(book),
        lambda: fables_of_takes(book),
        lambda: store_contents(book),
        lambda: camera_words(book),
        lambda: human_words(book),
        lambda: cinematographer(book),
        lambda: features(book),
        lambda: geometry(book),
    ]


def mini_store(book: Book) -> None:
    """Fables from synthetic motion."""
    manifest = _build_mini()(Path("mini"))
    _add_manifest(book, "mini store", Path("mini"))
    book.add_numbers("mini store: splits", manifest.splits, manifest.dropped, manifest.noted)
    book.add_text("mini store: stats", run("data", "stats", "mini"))


def _add_manifest(book: Book, name: str, folder: Path) -> None:
    """The content of a store; which code made it is left out."""
    store = _open_store()(folder)
    store.verify()
    book.add_text(f"{name}: content", store.manifest.content_sha256)
    files = {it.relative_to(folder).as_posix(): it for it in folder.rglob("*") if it.is_file()}
    for path in sorted(files):
        if not path.endswith("manifest.json"):
            book.add_bytes(f"{name}: {path}", files[path].read_bytes())


def fables_of_takes(book: Book) -> None:
    """Fables from a few captured takes."""
    source = SHARED / "cmu" / "bvh30.tar.xz"
    if not source.is_file():
        book.add_skipped("fables of takes", f"{source.name} of CMU is not beside this clone")
        return
    folder = Path("takes")
    folder.mkdir()
    with tarfile.open(source) as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                (folder / Path(member.name).name).write_bytes(content.read())
            if len(list(folder.iterdir())) == 8:
                break
    run("data", "build", "fables", "fables", "--takes", "takes", "--clips", "24", "--workers", "1")
    _add_manifest(book, "fables of takes", Path("fables"))


def store_contents(book: Book) -> None:
    """Facts, shots, batches and statistics of the mini store."""
    store = _open_store()(Path("mini"))
    for split in store.splits:
        rows = store.split(split.name, split.kind)
        book.add_numbers(f"store facts {split}", _store_facts()(store, rows))
    rows = store.split("train")
    for row in rows[:: len(rows) // 4].tolist():
        book.add_numbers(f"store shot {row}", store.shot(row))
    draw_captions, epoch_batches = _batches()
    book.add_numbers("store captions drawn", draw_captions(store, seed=3, epoch=1))
    first, *_ = epoch_batches(store, rows, 5, seed=3, epoch=1)
    book.add_numbers("store batch", first)
    human_statistics, camera_statistics = _statistics()
    book.add_numbers("statistics human", human_statistics(store.human_features(rows)))
    book.add_numbers("statistics camera", camera_statistics(store.camera_features(rows)))


def camera_words(book: Book) -> None:
    """The reader on sentences, the grammar on outlines, and both words reversed and mirrored."""
    movements_in, read_asked, _ = _reader()
    read = {it: movements_in(it) for it in SENTENCES}
    book.add_text("reader movements", "\n".join(f"{tags} {it}" for it, tags in read.items()))
    wishes = {it: read_asked(it) for it in SENTENCES}
    said = [f"{None if wish is None else wish.text} | {it}" for it, wish in wishes.items()]
    book.add_text("reader wishes", "\n".join(said))
    movement, _, reversed_outline = _outlines()
    camera_caption, mirror_caption = _captions()
    dice = np.random.default_rng(5)
    captions: list[str] = []
    for tag in range(27):
        outline = [movement(tag, 0, 40), movement((7 * tag + 1) % 27, 40, 90, "arc")]
        for moves in (outline[:1], outline, reversed_outline(outline)):
            pair = camera_caption(moves, dice)
            captions += [pair.caption, pair.reversed_caption, mirror_caption(pair.caption)]
    book.add_text("captions of outlines", "\n".join(captions))
    book.add_text("captions read back", "\n".join(str(movements_in(it)) for it in captions))


def human_words(book: Book) -> None:
    """What is certain about a motion, and how it is said."""
    facts_of, factual_captions = _human_captions()
    lines: list[str] = []
    for name, clip in _clips().items():
        joints, yaw = clip.motion.joints.numpy(), clip.motion.yaw.numpy()
        said = factual_captions(joints, yaw, np.random.default_rng(1))
        lines.append(f"{name}: {facts_of(joints, yaw)}; {said}")
    book.add_text("human captions", "\n".join(lines))


def cinematographer(book: Book) -> None:
    """The procedural cinematographer of Fables."""
    for at, (name, clip) in enumerate(_clips().items()):
        joints, yaw = clip.motion.joints.numpy(), clip.motion.yaw.numpy()
        shot = _cinematographer()(joints, yaw, np.random.default_rng(at))
        book.add_numbers(f"cinematographer {name}", shot.camera)


def features(book: Book) -> None:
    """Features and round trips."""
    to_human, from_human, to_camera, from_camera = _features()
    for at, shot in enumerate(_sample_shots(_open_store()(Path("mini")), 3)):
        motion, camera = shot.clip.motion, shot.camera
        human, filmed = to_human(motion), to_camera(camera, motion.root)
        book.add_numbers(f"features human {at}", human, from_human(human))
        book.add_numbers(f"features camera {at}", filmed, from_camera(filmed, motion.root[0]))


def geometry(book: Book) -> None:
    """Tags, outlines, projection, rotations, noise, times."""
    _, outline_of, _ = _outlines()
    project_joints, boxes, out_of_frame = _projection()
    for at, shot in enumerate(_sample_shots(_open_store()(Path("mini")), 5)):
        tags = _tags()(shot.camera, shot.fps)
        book.add_numbers(f"tags {at}", tags, outline_of(tags))
        seen = project_joints(shot.camera, shot.clip.motion.joints)
        book.add_numbers(f"projection {at}", seen, boxes(seen), out_of_frame(seen))
    noise_for, sampling_times, shifted_time = _flow()
    noise = noise_for(7, 2, (11, 3), stream="camera")
    book.add_numbers("noise", noise, sampling_times(13), shifted_time(noise.abs().sigmoid()))
    to_matrix, to_axis_angle, to_euler, to_quaternion = _rotations()
    matrix = to_matrix(noise)
    turned = to_axis_angle(matrix), to_euler(matrix, "zxy"), to_quaternion(matrix)
    book.add_numbers("rotations", matrix, *turned)


def network_items(book: Book) -> list[Step]:
    """Words, codecs and evaluators with the weights that come along."""
    return [lambda: texts(book), lambda: codecs(book), lambda: evaluators(book)]


def texts(book: Book) -> None:
    for at, read in enumerate(_text_encoder()("minilm").encode_each(SENTENCES[:5])):
        book.add_numbers(f"text {at}", read)


def codecs(book: Book) -> None:
    """Latents of three shots, and what is decoded from them."""
    import torch

    parts = _load_director()().parts
    human, camera = parts.human_codec.network, parts.camera_codec.network
    to_human, _, to_camera, _ = _features()
    for at, shot in enumerate(_sample_shots(_open_store()(Path("mini")), 3)):
        person = to_human(shot.clip.motion).float()[None]
        filmed = to_camera(shot.camera, shot.clip.motion.root).float()[None]
        mask = torch.ones(person.shape[:2], dtype=torch.bool)
        with torch.no_grad():
            latents = human.to_latents(person, mask), camera.to_latents(filmed, mask)
            raw = human.whitening.inverse(latents[0], mask[:, ::4])
            decoded = (
                human.from_latents(latents[0], mask),
                camera.from_latents(latents[1], raw, mask),
            )
        book.add_numbers(f"codec latents {at}", latents)
        book.add_numbers(f"codec decoded {at}", decoded)


def evaluators(book: Book) -> None:
    """Embeddings of shots and words, and the metrics of the paper on them."""
    evaluators_folder, load_evaluators = _evaluators()
    judges = load_evaluators(evaluators_folder(), _text_encoder()("minilm"))
    shots = _sample_shots(_open_store()(Path("mini")), 24)
    moved = [_drifting(shot) for shot in shots]
    words = judges.cameras.embed_words([it.camera_words for it in shots])
    embedded = [judges.cameras.embed_shots(it) for it in (shots, moved)]
    book.add_numbers("evaluator cameras", *embedded)
    book.add_numbers("evaluator camera words", words)
    book.add_numbers("evaluator people", judges.people.embed_shots(shots))
    book.add_numbers("evaluator human words", judges.people.embed_words(SENTENCES[:4]))
    observe, compare, judge_cameras, judge_paths, judge_motions, retrieval, same = _judging()
    seen = [observe(*it) for it in zip((shots, moved), embedded, strict=True)]
    book.add_numbers("judged cameras", judge_cameras(seen[0], seen[1], seen[0].tags, words))
    errors = compare(shots, moved)
    book.add_numbers("judged paths", judge_paths(errors))
    book.add_numbers("judged motions", judge_motions(errors, np.arange(len(shots))))
    captions = [it.camera_words for it in shots]
    found = retrieval(embedded[0], words, same(captions, captions))
    book.add_numbers("retrieval", found)


def _drifting(shot: "Shot") -> "Shot":
    """The same shot with a fixed drift added to its camera."""
    camera = shot.camera
    frames = camera.centre.new_tensor(np.arange(camera.frames))[:, None]
    drift = frames * camera.centre.new_tensor([0.004, -0.002, 0.001])
    return replace(shot, camera=replace(camera, centre=camera.centre + drift))


def metric_items(book: Book) -> list[Step]:
    return [
        lambda: distributions(book),
        lambda: movement_metrics(book),
        lambda: film_metrics(book),
        lambda: measured(book),
    ]


def distributions(book: Book) -> None:
    """Fr\u00e9chet distance and PRDC on seeded vectors."""
    fit_gaussian, frechet_distance, prdc, chunked_prdc = _distributions()
    dice = np.random.default_rng(11)
    real, made = dice.normal(size=(130, 7)), dice.normal(0.2, 1.1, size=(130, 7))
    fitted = fit_gaussian(real), fit_gaussian(made)
    book.add_numbers("gaussians", fitted)
    book.add_numbers("frechet", frechet_distance(*fitted))
    book.add_numbers("prdc", prdc(real, made), chunked_prdc(real, made))


def movement_metrics(book: Book) -> None:
    """F1, direction and intensity on seeded paths."""
    clip_tables, movement_f1, direction_accuracy, intensity_facts = _movement_metrics()
    dice = np.random.default_rng(12)
    asked = [dice.integers(0, 27, size) for size in (31, 47, 53)]
    shown = [np.where(dice.random(len(it)) < 0.6, it, 9) for it in asked]
    book.add_numbers("f1", movement_f1(clip_tables(asked, shown).sum(0)))
    book.add_numbers("direction", direction_accuracy(asked, shown, shown[:1] + asked[1:]))
    path = np.sort(dice.random((13, 11)), axis=1) + dice.normal(0, 0.01, (13, 11))
    net = path * dice.random((13, 1))
    book.add_numbers("intensity scan", intensity_facts(path, net, net[:, 5], path[:, 5]))


def film_metrics(book: Book) -> None:
    """Holding, obeying and bodies of films that were made above."""
    holding_of, company_of, makes_tags, makes_arc, swept_deg, body_facts = _film_metrics()
    _, read_asked, made_as_asked = _reader()
    for name in ("push_in", "follow", "lead", "arc", "operator_arc", "long_operator", "two_steps"):
        shot = _read_shot()(Path(f"film_{name}.shot"))
        camera, motion, fps = shot.camera, shot.clip.motion, shot.fps
        book.add_numbers(f"holding {name}", holding_of(camera, motion, fps))
        flags = makes_tags(camera, fps, [1]), makes_arc(camera, motion, fps, 9)
        company = company_of(camera, motion, fps)
        book.add_numbers(f"obeying {name}", flags, company, swept_deg(camera, motion))
        wish = read_asked(shot.camera_words)
        assert wish is not None
        book.add_numbers(f"wish {name}", made_as_asked(wish, camera, motion, fps))
        book.add_numbers(f"body {name}", body_facts(motion, fps))


def measured(book: Book) -> None:
    """`aesop measure` on a few shots of the mini store; code, machine and times are left out."""
    asked = {
        "film": ("run", "--seeds", "0", "--preset", "fast"),
        "film finished": ("run", "--seeds", "0", "--preset", "fast", "--finish", "hand"),
        "codec": ("run", "--task", "codec"),
        "direction": ("direction", "--seeds", "0", "--preset", "fast"),
    }
    for name, (command, *flags) in asked.items():
        folder = Path("measured") / name.replace(" ", "_")
        few = ("--data", "mini", "--split", "test/pure", "--at-most", "5")
        run("measure", command, *few, *flags, "-o", str(folder), "--cache", "generated")
        for path in sorted(folder.rglob("*.json")):
            found = json.loads(path.read_text(encoding="utf-8"))
            file = "_".join(path.relative_to(folder).parts)
            book.add_numbers(f"measured {name}: {file}", *_metrics_in(found))


def _metrics_in(found: object) -> Iterator[object]:
    """Names, values, counts and intervals of all metrics, wherever they stand in a result."""
    match found:
        case {"metric": metric, "mean": mean, **rest}:
            yield [metric, mean, rest.get("count"), rest.get("interval")]
        case dict():
            for key in sorted(found):
                yield from _metrics_in(found[key])
        case list():
            for item in found:
                yield from _metrics_in(item)
        case _:
            return


def training_items(book: Book) -> list[Step]:
    return [lambda: pairs(book), lambda: training(book)]


def pairs(book: Book) -> None:
    """Direction and intensity pairs of the mini store, without and with reconstructions."""
    weights = str(_load_director()().parts.folder)
    for name, codec in (("pairs", ()), ("pairs_decoded", ("--codec", weights))):
        for kind in ("direction", "intensity"):
            given = ("pairs", "build", kind, name, "--data", "mini", "--workers", "1", *codec)
            book.add_text(f"{name} {kind}: said", run(*given))
            found = json.loads((Path(name) / f"{kind}.json").read_text(encoding="utf-8"))
            book.add_numbers(f"{name} {kind}", found)
        book.add_text(f"{name} report", run("pairs", "report", name))
    read_plan, read_footage, pairs_on_footage = _pairs()
    footage = read_footage(_open_store()(Path("mini")), 16)
    made = pairs_on_footage(read_plan(Path("pairs")), footage[0]).pairs
    book.add_numbers("training pairs", made)


def training(book: Book) -> None:
    """Three steps of every phase of the tiny recipe: losses, validation, weights."""
    import torch

    conduct, materials, train, all_recipes, with_steps = _training()
    read_plan, read_footage, pairs_on_footage = _pairs()
    footage = read_footage(_open_store()(Path("mini")), 16)
    made = pairs_on_footage(read_plan(Path("pairs")), footage[0])
    material = materials(*footage, _text_encoder()("minilm"), made)
    recipes = [with_steps(it, 3) for it in all_recipes("tiny")]
    recipes = [replace(it, watch=replace(it.watch, log_every=1)) for it in recipes]
    results = train(recipes, material, Path("run"), conduct(), torch.device("cpu"))
    assert len(results) == len(recipes)
    for at, result in enumerate(results, start=1):
        lines = (result.weights.parent / "log.jsonl").read_text(encoding="utf-8").splitlines()
        losses = [_losses(json.loads(line)) for line in lines]
        book.add_numbers(f"training phase {at}: losses", losses)
        add_tensors(book, f"training phase {at}: weights", result.weights)


def _losses(line: dict[str, object]) -> list[object]:
    """What a line of the journal measures, without what depends on the machine."""
    return [it for name, it in line.items() if "second" not in name]


def steps_of(book: Book) -> list[Step]:
    """Everything, in an order in which later steps find the files of earlier ones."""
    return [
        lambda: motions(book),
        *films(book),
        *shots(book),
        *people(book),
        *other_commands(book),
        *strangers(book, SHARED),
        *data_items(book),
        *network_items(book),
        *metric_items(book),
        *training_items(book),
    ]


def record(path: Path) -> None:
    """Compute everything in a folder of its own, and write the book."""
    import torch

    torch.set_num_threads(1)
    book, target = Book(), path.resolve()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for step in tqdm(steps_of(book), desc="golden", file=sys.stderr):
            step()
    write_book(book, target)
    kinds = [item.kind for item in book.items.values()]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))
    sys.stderr.write(f"{len(kinds)} items: {counts}\n")
    sys.stdout.write(f"{path}\n")


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("record").add_argument("out", type=Path)
    both = commands.add_parser("compare")
    both.add_argument("before", type=Path)
    both.add_argument("after", type=Path)
    asked = parser.parse_args(args)
    if asked.command == "record":
        record(asked.out)
        return
    lines = compared(read_book(asked.before), read_book(asked.after))
    sys.stdout.write(table(lines) + "\n")
    sys.exit(int(any(line.what for line in lines)))


if __name__ == "__main__":
    main()
