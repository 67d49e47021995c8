"""Film the test bed one way, count what its cameras do, and draw the worst of them.

    python runs/bed.py facts --takes CMU_BVH                      # what the bed holds, and its hash
    python runs/bed.py film --takes CMU_BVH --side tune --finish as-sampled
    python runs/bed.py table results/bed/as-sampled_tune.json … [-o README.md]
    python runs/bed.py common some.jsonl others.jsonl …           # on films that all of them hold
    python runs/bed.py worst results/bed/as-sampled_tune.jsonl --takes CMU_BVH -o worst.jpg

The motions are listed in runs/bed.json. CMU_BVH is the folder or archive of CMU takes from which
Fables is built. Filming goes on where it was interrupted. Everything is tuned on `--side tune`.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch

from aesop.cli.terminal import progress_bar, remark, wrote
from aesop.core.errors import AesopError, FileError
from aesop.director.director import Director, load_director
from aesop.director.finish import FINISHINGS, Finish
from aesop.director.requests import GUIDANCE, FilmRequest, RequestError
from aesop.director.rule_based import Operator
from aesop.fables.takes import find_takes
from aesop.flow.solvers import PresetName
from aesop.measuring.bed import (
    Bed,
    BedFilm,
    BedMotion,
    BedSentence,
    Cut,
    FilmsHead,
    Key,
    Side,
    append_films,
    bed_clip,
    bed_film,
    bed_hash,
    clip_hash,
    read_bed,
    read_films,
    start_films,
)
from aesop.measuring.bed_summary import (
    BedSummary,
    companies_of,
    group_of,
    groups_by,
    long_summary,
    lost_films,
    page,
    table,
)
from aesop.measuring.methods import filming_code
from aesop.measuring.runs import origin_of_result, read_record, write_json
from aesop.pages.figures import Strip, storyboard
from aesop.preview.sheets import write_picture
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".json")
RESULTS = ROOT / "results" / "bed"
CHUNKS = {"cpu": 8, "cuda": 512}  # films sampled and written together
FILM = "runs/bed.py film --takes CMU_BVH"
WORST = 10
PICTURE_PX = 1100


Way = Callable[[Director, Sequence[FilmRequest], PresetName], list[Shot]]


def _finished(finish: Finish) -> Way:
    return lambda director, requests, preset: director.film_many(requests, preset, finish=finish)


OPERATOR = "operator"
# Ways to film a request. Tables have a column for each; the paper's protocol is the first.
FINISHES: Mapping[str, Way] = {
    **{finish: _finished(finish) for finish in FINISHINGS},
    OPERATOR: lambda _, requests, preset: Operator().film_many(requests),
}


@dataclass(frozen=True, eq=False)
class Order:
    """One film to be made. Without a take the finish decides which."""

    motion: BedMotion
    sentence: BedSentence
    seed: int
    clip: Clip
    take: int | None = None
    guidance: float = GUIDANCE

    @property
    def key(self) -> Key:
        return self.motion.name, self.sentence.name, self.seed

    @property
    def request(self) -> FilmRequest:
        words = self.sentence.words
        return FilmRequest(self.clip, words, 1.0, self.seed, self.take, self.guidance)


@dataclass(frozen=True)
class MotionFacts:
    """One motion of the bed, measured."""

    name: str
    side: str
    kind: str
    source: str
    seconds: float
    way_m: float
    sha256: str


@dataclass(frozen=True)
class BedFacts:
    """What the bed holds."""

    sides: tuple[tuple[str, str], ...]  # and the hash of each
    films: tuple[tuple[str, int], ...]
    long_films: tuple[tuple[str, int], ...]  # of 15 to 60 s
    motions: tuple[MotionFacts, ...]


def main(args: Sequence[str] | None = None) -> None:
    told = _parser().parse_args(args)
    try:
        told.go(told)
    except AesopError as mistake:
        remark(str(mistake))
        sys.exit(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    facts = commands.add_parser("facts", help="what the bed holds, and its hash")
    facts.add_argument("--out", type=Path, default=RESULTS / "bed.json")
    facts.set_defaults(go=_facts)
    film = commands.add_parser("film", help="film a side one way")
    film.add_argument("--side", choices=("tune", "test"), default="tune")
    film.add_argument("--finish", choices=tuple(FINISHES), default="as-sampled")
    film.add_argument("--preset", choices=get_args(PresetName), help="what users get if not given")
    film.add_argument("--half", action="store_true", help="one seed of every motion and sentence")
    film.add_argument("--takes-from", type=Path, help="these films, and the takes they chose")
    film.add_argument("--only", help="motions of this kind only, such as run")
    film.add_argument("--sentence", nargs="+", help="these sentences only, such as arc_left")
    film.add_argument("--limit", type=int, help="stop after so many films")
    film.add_argument("--guidance", type=float, default=GUIDANCE, help="how hard words are obeyed")
    film.add_argument("--out", type=Path, help="results/bed/FINISH_SIDE.jsonl if not given")
    film.set_defaults(go=_film)
    worst = commands.add_parser("worst", help="draw the films that hold the person worst")
    worst.add_argument("films", type=Path)
    worst.add_argument("--finish", choices=tuple(FINISHES), help="the same films, this way")
    worst.add_argument("-o", "--out", type=Path, required=True)
    worst.set_defaults(go=_worst)
    for command in (facts, film, worst):
        command.add_argument("--takes", type=Path, required=True)
    for command in (film, worst):
        command.add_argument("--weights", type=Path, help="other weights than those that came")
        command.add_argument("--device", default="cpu", help="cpu or cuda")
        command.add_argument("--encoder", type=Path, help="one that travelled, where none is")
    shown = commands.add_parser("table", help="summaries side by side, as Markdown")
    shown.add_argument("summaries", type=Path, nargs="+")
    shown.add_argument("-o", "--out", type=Path)
    shown.set_defaults(go=_table)
    common = commands.add_parser("common", help="ways to film on the films that all of them hold")
    common.add_argument("films", type=Path, nargs="+")
    common.set_defaults(go=_common)
    return parser


def _clips(motions: Sequence[BedMotion], takes: Path) -> list[Clip]:
    """An archive is unpacked once, under build/."""
    if all(not isinstance(it.source, Cut) for it in motions):
        return [bed_clip(it, takes) for it in motions]
    unpacked = ROOT / "build" / "bed" / takes.name.split(".")[0]
    folders = {take: path.parent for take, path in find_takes(takes, unpacked).items()}
    clips: list[Clip] = []
    for it in motions:
        folder = folders.get(it.source.take) if isinstance(it.source, Cut) else takes
        if folder is None:
            raise FileError(f"{takes} lacks the take of {it.name}.", "Give all CMU takes.")
        clips.append(bed_clip(it, folder))
    return clips


def _facts(told: argparse.Namespace) -> None:
    bed = read_bed(LIST)
    facts: list[MotionFacts] = []
    hashes: list[tuple[str, str]] = []
    films: list[tuple[str, int]] = []
    long_films: list[tuple[str, int]] = []
    each = len(bed.sentences) * len(bed.seeds)
    for side in ("tune", "test"):
        motions = bed.of(side)
        clips = _clips(motions, told.takes)
        hashes.append((side, bed_hash(bed, clips)))
        films.append((side, each * len(clips)))
        long_films.append((side, each * sum(15 <= clip.seconds <= 60 for clip in clips)))
        facts += [_motion_facts(*it) for it in zip(motions, clips, strict=True)]
    write_json(told.out, BedFacts(tuple(hashes), tuple(films), tuple(long_films), tuple(facts)))
    wrote(told.out)


def _motion_facts(motion: BedMotion, clip: Clip) -> MotionFacts:
    way = clip.motion.root.double()[:, :2].diff(dim=0).norm(dim=-1).sum()
    source = motion.source
    said = f"{source.take} {source.first}–{source.stop}" if isinstance(source, Cut) else "made"
    return MotionFacts(
        name=motion.name,
        side=motion.side,
        kind=motion.kind,
        source=said,
        seconds=clip.seconds,
        way_m=round(float(way), 3),
        sha256=clip_hash(clip),
    )


def _film(told: argparse.Namespace) -> None:
    bed, side = read_bed(LIST), told.side
    out = told.out or RESULTS / f"{told.finish}_{side}.jsonl"
    motions = bed.of(side)
    clips = _clips(motions, told.takes)
    director = _director(told)
    head = _head(bed, side, told.finish, clips, director)
    head = replace(head, guidance=told.guidance, preset=told.preset or _usual_preset(director))
    takes = {} if told.takes_from is None else _takes(told.takes_from, head)
    done = start_films(out, head)
    orders = [
        replace(order, take=takes.get(order.key), guidance=told.guidance)
        for order in _orders(bed, motions, clips, told.half)
        if told.only in (None, order.motion.kind)
        and (told.sentence is None or order.sentence.name in told.sentence)
        and (told.takes_from is None or order.key in takes)
        and order.key not in done
    ][: told.limit]
    # Films of one length are sampled together: padding is work for nothing.
    orders.sort(key=lambda order: order.clip.frames)
    chunk = CHUNKS[told.device]
    with progress_bar(f"{told.finish}, {side}") as bar:
        for start in range(0, len(orders), chunk):
            some = orders[start : start + chunk]
            append_films(out, _measured(director, head, some))
            bar(start + len(some), len(orders))
    wrote(out)
    _, films = read_films(out)
    summary = _summary(bed, head, films)
    write_json(out.with_suffix(".json"), summary)
    wrote(out.with_suffix(".json"))
    remark(table([summary]))


def _director(told: argparse.Namespace) -> Director:
    """On a GPU convolutions are not rounded to ten bits of mantissa: films are the CPU's."""
    torch.backends.cudnn.allow_tf32 = False
    encoder = None
    if told.encoder is not None:
        sys.path.append(str(ROOT / "lab"))
        from travelling import TravellingMiniLM

        encoder = TravellingMiniLM(told.encoder, torch.device(told.device))
    return load_director(told.weights, told.device, encoder)


def _usual_preset(director: Director) -> PresetName:
    return "instant" if director.parts.has_steps else "fast"


def _takes(path: Path, head: FilmsHead) -> dict[Key, int]:
    """The take that each film of another finish chose, on the same bed by the same weights."""
    other, films = read_films(path)
    if (other.side, other.bed_sha256, other.weights) != (head.side, head.bed_sha256, head.weights):
        raise FileError(f"{path} chose takes of other films.", "Film both with the same weights.")
    return {film.key: film.take for film in films}


def _orders(
    bed: Bed, motions: Sequence[BedMotion], clips: Sequence[Clip], is_half: bool
) -> list[Order]:
    """Half of the bed is a chessboard: of motions and sentences, each with one of the seeds."""
    return [
        Order(motion, sentence, seed, clip)
        for row, (motion, clip) in enumerate(zip(motions, clips, strict=True))
        for column, sentence in enumerate(bed.sentences)
        for number, seed in enumerate(bed.seeds)
        if not is_half or (row + column) % len(bed.seeds) == number
    ]


def _measured(director: Director, head: FilmsHead, orders: Sequence[Order]) -> list[BedFilm]:
    if head.finish == OPERATOR:
        orders = [order for order in orders if _is_filmed_by_operator(order)]
    shots = FINISHES[head.finish](director, [order.request for order in orders], head.preset)
    return [
        bed_film(order.motion, order.sentence, order.seed, shot)
        for order, shot in zip(orders, shots, strict=True)
    ]


def _is_filmed_by_operator(order: Order) -> bool:
    """The operator refuses what it cannot do: two movements in two seconds, say."""
    try:
        Operator().film_many([order.request])
    except RequestError as refusal:
        remark(f"{', '.join(map(str, order.key))}: {refusal}")
        return False
    return True


def _head(
    bed: Bed, side: Side, finish: str, clips: Sequence[Clip], director: Director
) -> FilmsHead:
    return FilmsHead(
        side=side,
        finish=finish,
        bed_sha256=bed_hash(bed, clips),
        weights=director.parts.camera_flow.card.identity,
        code_sha256=filming_code(),
    )


def _summary(bed: Bed, head: FilmsHead, films: Sequence[BedFilm]) -> BedSummary:
    """In the order of the list."""
    names = [it.name for it in bed.motions]
    films = sorted(films, key=lambda it: names.index(it.motion))
    code, machine, _ = origin_of_result()
    guided = "" if head.guidance == GUIDANCE else f" --guidance {head.guidance:g}"
    sampled = "" if head.finish == OPERATOR else f" --preset {head.preset}"
    named = (sampled if head.preset != "fast" else "") + guided
    return BedSummary(
        side=head.side,
        finish=head.finish + named.replace(" --", ", "),
        bed_sha256=head.bed_sha256,
        weights=head.weights,
        expected=len(bed.of(head.side)) * len(bed.sentences) * len(bed.seeds),
        total=group_of("all", films),
        by_kind=groups_by(films, lambda it: it.kind),
        by_sentence=groups_by(films, lambda it: it.sentence),
        company=companies_of(films),
        long=long_summary(films),
        lost_films=lost_films(films),
        code=code,
        machine=machine,
        repeat=f"{FILM} --side {head.side} --finish {head.finish}{sampled}{guided}",
    )


def _common(told: argparse.Namespace) -> None:
    bed = read_bed(LIST)
    read = [read_films(path) for path in told.films]
    shared = set.intersection(*({film.key for film in films} for _, films in read))
    summaries = [
        _summary(bed, head, [film for film in films if film.key in shared]) for head, films in read
    ]
    sys.stdout.write(table(summaries))


def _table(told: argparse.Namespace) -> None:
    text = page([read_record(path, BedSummary) for path in told.summaries])
    if told.out is None:
        sys.stdout.write(text)
    else:
        told.out.write_text(text, encoding="utf-8")
        wrote(told.out)


def _worst(told: argparse.Namespace) -> None:
    """The ten worst of a file, drawn as they were filmed or filmed another way."""
    bed = read_bed(LIST)
    head, films = read_films(told.films)
    films.sort(key=lambda it: (-it.holding.empty_share, it.holding.head_share))
    worst = films[:WORST]
    by_name = {it.name: it for it in bed.motions}
    motions = [by_name[film.motion] for film in worst]
    clips = _clips(motions, told.takes)
    finish = told.finish or head.finish
    orders = [
        Order(motion, bed.sentence(film.sentence), film.seed, clip, guidance=head.guidance)
        for motion, film, clip in zip(motions, worst, clips, strict=True)
    ]
    requests = [order.request for order in orders]
    shots = FINISHES[finish](_director(told), requests, head.preset)
    strips = [
        Strip(f"{order.motion.name}, seed {order.seed}: {order.sentence.words}", shot)
        for order, shot in zip(orders, shots, strict=True)
    ]
    heading = f"The {len(strips)} films of {head.finish} ({head.side}) that hold the person worst"
    said = heading if finish == head.finish else f"{heading}, now {finish}"
    write_picture(storyboard(strips, said, width=PICTURE_PX), told.out)
    wrote(told.out)


if __name__ == "__main__":
    main()
