"""Golden requests: film, shoot, act, sweep, batches, exports, checks and refusals.

They go through the command line and the names that `import aesop` gives, which stay where they are.
Everything runs in the current folder, with relative names, so that messages hold no other path.
"""

import contextlib
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

from safetensors import safe_open

import aesop
from aesop.cli import main as command_line
from golden_book import Book

# By name: motion, words, flags, and further outputs beside the .shot.
FILMS: dict[str, tuple[str, str, str]] = {
    "push_in": ("walk.clip", "The camera pushes in on the person.", ""),
    "truck_left": ("wave.clip", "the camera trucks to the left, keeping the person in frame", ""),
    "arc": ("turn.bvh", "The camera arcs around the person to the right.", ""),
    "boom_up": ("jump.npz", "boom up", ""),
    "static": ("sit.npy", "The camera is static.", ""),
    "follow": ("walk.clip", "the camera follows the person from behind", ""),
    "lead": ("walk_curve.clip", "the camera backs away in front of the person", ""),
    "two_steps": ("walk.clip", "the camera pulls out, then trucks left", ""),
    "nonsense": ("wave.clip", "something beautiful happens in blue", ""),
    "weaker": ("walk.clip", "The camera pulls out.", "--intensity 0.5"),
    "stronger": ("walk.clip", "The camera pulls out.", "--intensity 1.5"),
    "unusual": ("wave.clip", "The camera pulls out.", "--intensity 1.8 --first-take"),
    "guided": ("walk.clip", "The camera trucks right.", "--guidance 3 --seed 5"),
    "takes": ("wave.clip", "the camera booms down", "--takes 3"),
    "takes_as_sampled": ("walk.clip", "the camera pans", "--takes 2 --as-sampled"),
    "first_take": ("walk.clip", "The camera pushes in on the person.", "--first-take"),
    "as_sampled": ("walk.clip", "The camera pushes in on the person.", "--as-sampled"),
    "operator": ("walk.clip", "the camera pulls out", "--method operator"),
    "operator_arc": ("wave.clip", "arc left", "--method operator --intensity 1.4 --seed 3"),
    "operator_follow": ("walk.clip", "follow the person", "--method operator --takes 2"),
    "auto": ("walk.clip", "the camera trucks left", "--method auto"),
    "auto_as_sampled": ("walk_curve.clip", "push in", "--method auto --as-sampled"),
    "reference": ("short.clip", "The camera pushes in.", "--preset reference --first-take"),
    "fast": ("short.clip", "The camera pushes in.", "--preset fast"),
    "long": ("long.clip", "the camera trucks right", ""),
    "long_as_sampled": ("long.clip", "the camera trucks right", "--as-sampled"),
    "long_operator": ("long.clip", "the camera leads the person", "--method operator"),
    "again": ("film_push_in.shot", "the camera booms up", "--first-take"),
}
SHOTS: dict[str, tuple[str, str, str]] = {
    "plain": ("a person walks forward", "the camera pulls out", "--seconds 3"),
    "seeded": ("a person waves", "truck left", "--seconds 2 --seed 4 --camera-seed 9"),
    "takes": ("a person jumps up", "the camera pushes in", "--seconds 2 --takes 2"),
    "guided": ("a person bows", "boom up", "--seconds 2 --human-guidance 1 --guidance 2"),
    "operator": ("a person turns around", "the camera arcs right", "--seconds 3 --method operator"),
    "auto": ("a person runs forward", "the camera follows", "--seconds 3 --method auto"),
    "as_sampled": ("a person sits down", "static shot", "--seconds 2 --as-sampled"),
    "reference": ("a person claps", "push in", "--seconds 1.5 --preset reference --first-take"),
}
PEOPLE: dict[str, tuple[str, str]] = {
    "plain": ("a person walks in a circle", "--seconds 3"),
    "seeded": ("a person kicks with the right leg", "--seconds 2 --seed 7"),
    "takes": ("a person dances", "--seconds 2 --takes 2"),
    "guided": ("a person throws a ball", "--seconds 2 --human-guidance 1"),
}
FINISHES = ("as-sampled", "consistent", "best-take", "hand")
BATCHES = {
    "film": "motion,words,intensity,seed,takes,output\n"
    "walk.clip,the camera pushes in,0.8,,,batch_a.shot\n"
    'wave.clip,"trucks left, then stops",,3,2,batch_b.shot;batch_b.json\n'
    "turn.bvh,boom up,1.2,,,batch_c.shot\n",
    "shoot": "human_words,camera_words,seconds,camera_seed,output\n"
    "a person waves,the camera pushes in,2,,batch_d.shot\n"
    "a person jumps,the camera booms up,1.5,6,batch_e.shot\n",
    "act": "words,seconds,seed,output\n"
    "a person waves,2,,batch_f.clip\n"
    "a person bows,1.5,2,batch_g.bvh\n",
}
REFUSED = {
    "no motion": ("film", "nobody.bvh", "push in", "-o", "a.shot"),
    "no words": ("film", "walk.clip", "...", "-o", "a.shot"),
    "intensity": ("film", "walk.clip", "push in", "--intensity", "2.5", "-o", "a.shot"),
    "suffix": ("film", "walk.clip", "push in", "-o", "a.xyz"),
    "operator words": ("film", "walk.clip", "be", "--method", "operator", "-o", "a.shot"),
    "seconds": ("shoot", "a person waves", "push in", "--seconds", "40", "-o", "a.shot"),
    "command": ("movie",),
}  # fmt: skip
EXPORTS = (".glb", ".usda", ".bvh", ".json", ".csv", ".py", ".png")
CLIP_EXPORTS = (".bvh", ".npz", ".npy", ".glb", ".usda", ".png")
ARCHIVES = {
    "cmu": "bvh/20_03.bvh",
    "accad_male1": "bvh/Male1_A13_Skipping.bvh",
    "rocketbox": "bvh/f_cheer_01.bvh",
}
STRANGERS = ("humanml3d_012314_joints.npy", "humanml3d_012314_263.npy")


def run(*words: str, code: int = 0) -> str:
    """What a command says, on stdout and then on stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            command_line(list(words))
            ended = 0
        except SystemExit as end:
            ended = end.code
    assert ended == code, f"{words} ended with {ended}: {err.getvalue()}"
    return out.getvalue() + err.getvalue()


def add_file(book: Book, name: str, path: Path) -> None:
    """Tensors, words and numbers of our own files; other files byte for byte."""
    if path.suffix not in (".shot", ".clip"):
        book.add_bytes(name, path.read_bytes())
        return
    with safe_open(path, framework="np") as file:
        entries = file.metadata()
    add_tensors(book, name, path, dict(sorted(entries.items())))


def add_tensors(book: Book, name: str, path: Path, *others: object) -> None:
    """The tensors of a file, and what else belongs to them."""
    with safe_open(path, framework="np") as file:
        book.add_numbers(name, {key: file.get_tensor(key) for key in sorted(file.keys())}, *others)


def add_written(book: Book, name: str, said: str, before: set[Path]) -> None:
    """What a command said, and every file that it wrote."""
    book.add_text(f"{name}: said", said)
    for path in sorted(set(Path().iterdir()) - before):
        if path.suffix != ".done":  # ledgers hold times of files
            add_file(book, f"{name}: {path.name}", path)


def ask(book: Book, name: str, *words: str) -> None:
    """One command and all that comes of it."""
    before = set(Path().iterdir())
    add_written(book, name, run(*words), before)


def films(book: Book) -> list[Callable[[], None]]:
    def asked(name: str) -> Callable[[], None]:
        motion, words, flags = FILMS[name]
        given = ("film", motion, words, *flags.split(), "-o", f"film_{name}.shot")
        return lambda: ask(book, f"film {name}", *given)

    return [asked(name) for name in FILMS]


def shots(book: Book) -> list[Callable[[], None]]:
    def asked(name: str) -> Callable[[], None]:
        human, camera, flags = SHOTS[name]
        given = ("shoot", human, camera, *flags.split(), "-o", f"shoot_{name}.shot")
        return lambda: ask(book, f"shoot {name}", *given)

    return [asked(name) for name in SHOTS]


def people(book: Book) -> list[Callable[[], None]]:
    def asked(name: str) -> Callable[[], None]:
        words, flags = PEOPLE[name]
        given = ("act", words, *flags.split(), "-o", f"act_{name}.clip")
        return lambda: ask(book, f"act {name}", *given)

    return [asked(name) for name in PEOPLE]


def other_commands(book: Book) -> list[Callable[[], None]]:
    """Sweeps, batches, exports, pictures, checks, conversions and refusals."""
    return [
        lambda: ask(
            book, "sweep", "sweep", "walk.clip", "the camera pulls out", "--intensities",
            "0.5", "1.0", "1.5", "-o", "sweep.shot", "-o", "sweep.png",
        ),
        lambda: ask(
            book, "sweep operator", "sweep", "wave.clip", "arc left", "--method", "operator",
            "--intensities", "0.6", "1.0", "--json", "-o", "swept.shot",
        ),
        *(lambda kind=kind: batch(book, kind) for kind in BATCHES),
        lambda: exports(book),
        lambda: finishes(book),
        lambda: in_python(book),
        lambda: checks(book),
        lambda: refusals(book),
    ]  # fmt: skip


def batch(book: Book, kind: str) -> None:
    """A file of requests; started again, it goes on."""
    Path(f"{kind}.csv").write_text(BATCHES[kind], encoding="utf-8")
    ask(book, f"batch {kind}", kind, "--batch", f"{kind}.csv")
    book.add_text(f"batch {kind} again", run(kind, "--batch", f"{kind}.csv"))


def exports(book: Book) -> None:
    """Every suffix of a shot and of a clip."""
    names = [f"export{suffix}" for suffix in EXPORTS]
    outputs = [word for name in names for word in ("-o", name)]
    ask(book, "exports", "film", "wave.clip", "push in", "--first-take", "--json", *outputs)
    names = [f"acted{suffix}" for suffix in CLIP_EXPORTS]
    outputs = [word for name in names for word in ("-o", name)]
    ask(book, "exports act", "act", "a person waves", "--seconds", "1.5", *outputs)
    ask(book, "preview shot", "preview", "film_push_in.shot", "-o", "preview.png")
    ask(book, "preview clip", "preview", "walk.clip", "-o", "preview_clip.png")
    for suffix in (".bvh", ".npz", ".npy"):
        ask(book, f"convert {suffix}", "convert", "walk_curve.clip", f"converted{suffix}")
        ask(book, f"convert {suffix} back", "convert", f"converted{suffix}", f"back{suffix}.clip")


def finishes(book: Book) -> None:
    """Every way to finish a camera."""
    director = aesop.load_director()
    clip = aesop.read_motion("walk_curve.clip")
    for finish in FINISHES:
        shot = director.film(clip, "the camera trucks left", seed=2, finish=finish)
        book.add_numbers(f"finish {finish}", shot)
    scene = director.shoot("a person waves", "the camera pulls out", 2.0, finish="best-take")
    book.add_numbers("finish of a shoot", scene)


def in_python(book: Book) -> None:
    """What `import aesop` gives."""
    director, operator = aesop.load_director(), aesop.Operator()
    clip = aesop.read_motion("jump.npz")
    book.add_numbers("python motion", clip)
    book.add_numbers("python takes", director.film_takes(clip, "pull out", 2, seed=1))
    book.add_numbers("python sweep", director.sweep(clip, "boom up", (0.7, 1.0), seed=1))
    book.add_numbers("python operator", operator.sweep(clip, "boom up", (0.7, 1.0), seed=1))
    book.add_numbers("python act", director.act("a person jumps", 1.5, seed=3))
    shot = operator.film(clip, "truck left")
    aesop.write_export(shot, "python.glb")
    add_file(book, "python export", Path("python.glb"))


def checks(book: Book) -> None:
    for name in (
        "walk.clip",
        "turn.bvh",
        "long.clip",
        "film_two_steps.shot",
        "film_takes_take1.shot",
    ):
        book.add_text(f"check {name}", run("check", name))
        said = json.loads(run("check", name, "--json"))
        book.add_numbers(f"check --json {name}", said)


def refusals(book: Book) -> None:
    """Mistakes that a user can mend."""
    for name, words in REFUSED.items():
        code = 2 if name == "command" else 1
        book.add_text(f"refused {name}", run(*words, code=code))


def strangers(book: Book, shared: Path) -> list[Callable[[], None]]:
    """Motions of other people; skipped where they do not lie beside the clone."""

    def filmed(name: str, source: Path, target: Path) -> None:
        if not source.is_file():
            book.add_skipped(f"stranger {name}", f"{source.name} is not beside this clone")
            return
        if source.suffix == ".xz":
            with tarfile.open(source) as archive:
                content = archive.extractfile(ARCHIVES[name])
                assert content is not None
                target.write_bytes(content.read())
        else:
            target.write_bytes(source.read_bytes())
        book.add_text(f"stranger {name}: check", run("check", target.name))
        words = "the camera follows the person"
        ask(book, f"stranger {name}", "film", target.name, words, "-o", f"{target.stem}.shot")

    def asked(name: str, source: Path, target: str) -> Callable[[], None]:
        return lambda: filmed(name, source, Path(target))

    return [
        *(asked(it, shared / it / "bvh30.tar.xz", f"{it}.bvh") for it in ARCHIVES),
        *(asked(it, shared / "external" / it, it) for it in STRANGERS),
    ]
