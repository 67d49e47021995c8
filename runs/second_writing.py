"""A second, blind writing of 300 captions, and how far it agrees with the first.

    python runs/second_writing.py draw OUT --clips CACHE
    python runs/second_writing.py gather OUT
    python runs/second_writing.py compare

`draw` makes 25 pages of strips by a fixed seed. Rows carry numbers, not ids, and no captions; every
second page hides the take's own description as well. Each page has a form; `gather` joins the
filled forms into results/runs/second_writing.tsv and keeps the first writing of the same segments,
as it was, in second_writing_first.tsv. `compare` reads both, and what was judged by eye about
contradictions (second_writing_verdicts.tsv), and writes second_writing.json.
"""

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from aesop.core.errors import AesopError, FileError
from aesop.fables.motion_sets import SetTake, read_set_takes
from aesop.fables.segment_captions import (
    SegmentCaption,
    parse_captions,
    read_segment_captions,
    segment_caption_table,
)
from aesop.fables.segment_facts import facts_text
from aesop.fables.segment_table import Segment, read_segments
from aesop.files.shot_file import read_clip
from aesop.metrics.bootstrap import Clusters, clusters_of
from aesop.pages.segment_strips import ROWS, StripRow, strip_page
from aesop.text.minilm import MiniLM
from caption_agreement import (
    PARTS,
    Likeness,
    Written,
    both_say,
    contradictions,
    count_kind,
    likeness,
    part_agreement,
    verb_family,
    verb_kind,
)
from segments import tsv_text, write_whole

RESULTS = Path(__file__).resolve().parents[1] / "results" / "runs"
SEED = 20261124
# How many segments of each set: small sets are not lost among CMU's thousands.
SHARES = {"cmu": 200, "cmu_more": 45, "rocketbox": 35, "accad_male1": 20}
# Rows with so many facts that the description below them did not fit into the picture.
CUT_OFF = frozenset({32, 58, 83, 106, 173, 193, 195, 199, 200, 204, 226, 228, 250, 293})
COLUMNS = ("number", "verb", "side", "direction", "count", "manner", "sentence")
WRITING = RESULTS / "second_writing.tsv"
FIRST = RESULTS / "second_writing_first.tsv"
VERDICTS = RESULTS / "second_writing_verdicts.tsv"
VERDICT_COLUMNS = ("id", "about", "right", "note")
BY_EYE = "by eye: "
RIGHT = frozenset({"first", "second", "both", "neither"})
WRITING_COLUMNS = ("number", "id", "described", *COLUMNS[1:])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw", help="pages and forms for the second writer")
    draw.set_defaults(work=_draw)
    draw.add_argument("out", type=Path)
    draw.add_argument("--clips", type=Path, required=True, help="cache of `segments.py import`")
    gather = commands.add_parser("gather", help="filled forms into one table")
    gather.set_defaults(work=_gather)
    gather.add_argument("out", type=Path)
    compare = commands.add_parser("compare", help="how far both writings agree")
    compare.set_defaults(work=_compare)
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    try:
        return args.work(args)
    except AesopError as mistake:
        sys.stderr.write(f"{mistake}\n")
        return 1


# ---- drawing -----------------------------------------------------------------------------------


def drawn(
    segments: Sequence[Segment], captioned: frozenset[str], shares: Mapping[str, int], seed: int
) -> list[Segment]:
    """Captioned segments by lot, at most one of a take, so many of each set, sets mixed."""
    dice = np.random.default_rng(seed)
    chosen: list[Segment] = []
    for set_name, share in shares.items():
        there = [
            segment
            for segment in segments
            if segment.id in captioned and segment.take_id.split("/")[0] == set_name
        ]
        takes: dict[str, Segment] = {}
        for number in dice.permutation(len(there)).tolist():
            takes.setdefault(there[number].take_id, there[number])
        if len(takes) < share:
            raise FileError(f"{set_name} has {len(takes)} captioned takes.", "Ask for fewer.")
        chosen += list(takes.values())[:share]
    return [chosen[number] for number in dice.permutation(len(chosen)).tolist()]


def shipped_draw() -> list[Segment]:
    """The segments of the second writing, in their order; row 0 is number 1."""
    captioned = frozenset(row.id for row in read_segment_captions())
    return drawn(read_segments(), captioned, SHARES, SEED)


def is_described(number: int) -> bool:
    """Whether the take's own description is asked for beside segment `number` (from 1)."""
    return (number - 1) // ROWS % 2 == 0


def was_read(number: int) -> bool:
    """Whether the second writer saw it: the writer read pictures, where it may not fit."""
    return is_described(number) and number not in CUT_OFF


@dataclass(frozen=True)
class BlindRow:
    """One segment as the second writer sees it."""

    number: int
    segment: Segment
    take: SetTake

    @property
    def lines(self) -> list[str]:
        lines = facts_text(self.segment.facts, self.segment.seconds)
        if is_described(self.number):
            lines.append(f"take: {self.take.take.description or '(no description)'}")
        return lines


def _draw(args: argparse.Namespace) -> int:
    takes = {take.id: take for take in read_set_takes()}
    rows = [
        BlindRow(number, segment, takes[segment.take_id])
        for number, segment in enumerate(shipped_draw(), start=1)
    ]
    args.out.mkdir(parents=True, exist_ok=True)
    for at in range(0, len(rows), ROWS):
        name = f"blind_{at // ROWS + 1:02d}"
        page = rows[at : at + ROWS]
        strips = [_strip(row, args.clips) for row in page]
        strip_page(name, strips).save(args.out / f"{name}.png", compress_level=2)
        texts = ["\n  ".join([str(row.number), *row.lines]) for row in page]
        write_whole(args.out / f"{name}.txt", "\n".join(texts) + "\n")
        form = args.out / f"{name}.tsv"
        if not form.exists():  # never over what somebody wrote
            lines = [f"{row.number}" + "\t" * (len(COLUMNS) - 1) for row in page]
            write_whole(form, "\n".join(["\t".join(COLUMNS), *lines]) + "\n")
    sys.stdout.write(f"{args.out}\n")
    return 0


def _strip(row: BlindRow, clips: Path) -> StripRow:
    clip = read_clip(clips / row.take.set_name / f"{row.take.take.name}.clip")
    frames = row.segment.frames
    joints = clip.motion.joints.double().numpy()[frames].copy()
    joints[..., 2] -= joints[..., 2].min()
    yaw = clip.motion.yaw.double().numpy()[frames]
    # Time marks begin at 0: where in its take a segment lies tells what comes around it.
    return StripRow(str(row.number), row.lines, joints, yaw, 0.0)


def _gather(args: argparse.Namespace) -> int:
    """Filled forms with the segments' ids, which the writer did not see."""
    lines = ["\t".join(WRITING_COLUMNS)]
    segments = shipped_draw()
    for form in sorted(args.out.glob("blind_*.tsv")):
        rows = csv.reader(tsv_text(form).splitlines()[1:], delimiter="\t", quoting=csv.QUOTE_NONE)
        for number, *cells in rows:
            if len(cells) != len(COLUMNS) - 1 or not cells[0] or not cells[-1]:
                raise FileError(f"{form.name}: number {number} is not filled.", "Fill all rows.")
            described = "yes" if was_read(int(number)) else "no"
            lines.append("\t".join([number, segments[int(number) - 1].id, described, *cells]))
    write_whole(WRITING, "\n".join(lines) + "\n")
    if not FIRST.exists():  # captions may have been mended since
        captions = {row.id: row for row in read_segment_captions()}
        write_whole(FIRST, segment_caption_table(captions[segment.id] for segment in segments))
    sys.stdout.write(f"{WRITING}\n{FIRST}\n")
    return 0


# ---- comparing ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class TwiceWritten:
    """A segment that both writers described."""

    number: int
    id: str
    described: bool
    first: Written
    second: Written


def twice_written() -> list[TwiceWritten]:
    """Both writings of all segments, in the order of the numbers."""
    firsts = {row.id: row for row in parse_captions(tsv_text(FIRST), FIRST.name, [])}
    return [
        TwiceWritten(
            number=int(row["number"]),
            id=row["id"],
            described=row["described"] == "yes",
            first=_first(firsts[row["id"]]),
            second=Written(
                row["verb"], row["side"], row["direction"], row["count"], row["manner"],
                (row["sentence"],),
            ),
        )
        for row in _rows(WRITING, WRITING_COLUMNS)
    ]  # fmt: skip


def _first(row: SegmentCaption) -> Written:
    return Written(row.verb, row.side, row.direction, row.count, row.manner, row.sentences)


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    rows = csv.DictReader(tsv_text(path).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if tuple(rows.fieldnames or ()) != tuple(columns):
        raise FileError(f"{path.name} has other columns.", f"It needs: {' '.join(columns)}.")
    return list(rows)


def _compare(args: argparse.Namespace) -> int:
    del args
    twice = twice_written()
    performers = {take.id: f"{take.set_name}/{take.performer}" for take in read_set_takes()}
    names = [performers[row.id.rsplit("/", 1)[0]] for row in twice]
    clusters = clusters_of("performer", names)
    hidden = np.array([not row.described for row in twice])
    groups = {"all": np.ones_like(hidden), "described": ~hidden, "not described": hidden}
    seconds, firsts = _vectors(twice)
    judged = _judged(twice)

    def by_eye(row: dict[str, object]) -> bool:
        return str(row["about"]).startswith(BY_EYE)

    result = {
        "what": "300 segments captioned a second time by a writer who had not read the first "
        "writing; every second page also hid the take's own description.",
        "seed": SEED,
        "shares": SHARES,
        "performers": len(set(names)),
        "agreement": {
            name: _agreement([twice[at] for at in np.flatnonzero(chosen)], clusters.only(chosen))
            for name, chosen in groups.items()
        },
        "likeness": {
            name: asdict(_alike(seconds[chosen], firsts[chosen])) for name, chosen in groups.items()
        }
        | {"first writer, one sentence and the other two": asdict(_ceiling(firsts))},
        "families": _confusions(twice),
        "could contradict": {
            about: sum(both_say(row.first, row.second, about) for row in twice)
            for about in ("hand", "leg", "turn", "aside", "way")
        },
        "contradictions": judged,
        "who is right": {
            how: dict(Counter(str(row["right"]) for row in judged if by_eye(row) == is_eye))
            for how, is_eye in (("found by program", False), ("found by eye", True))
        },
    }
    out = RESULTS / "second_writing.json"
    write_whole(out, json.dumps(result, indent=1) + "\n")
    sys.stdout.write(f"{out}\n")
    return 0


def _agreement(twice: Sequence[TwiceWritten], clusters: Clusters) -> dict[str, object]:
    parts: dict[str, object] = {}
    for name, part in PARTS.items():
        answers = [(part(row.first), part(row.second)) for row in twice]
        first, second = zip(*answers, strict=True)
        parts[name] = asdict(part_agreement(first, second, clusters))
    # Of walks and turns the first writers counted the steps, the second writer did not.
    still = [
        not {verb_kind(row.first.verb), verb_kind(row.second.verb)} & {"going", "turning"}
        for row in twice
    ]
    counts = [
        (count_kind(row.first), count_kind(row.second))
        for row, chosen in zip(twice, still, strict=True)
        if chosen
    ]
    first, second = zip(*counts, strict=True)
    chosen = clusters.only(np.array(still))
    parts["count, where nobody walks or turns"] = asdict(part_agreement(first, second, chosen))
    numbers = [
        (int(row.first.count), int(row.second.count))
        for row in twice
        if row.first.count.isdigit() and row.second.count.isdigit()
    ]
    parts["both give a number"] = {
        "segments": len(numbers),
        "equal": float(np.mean([one == other for one, other in numbers])),
        "within one": float(np.mean([abs(one - other) <= 1 for one, other in numbers])),
    }
    return parts


Vectors = Float[np.ndarray, "segments sentences width"]


def _vectors(twice: Sequence[TwiceWritten]) -> tuple[Vectors, Vectors]:
    """One sentence of the second writer, three of the first."""
    encoder = MiniLM()
    pooled = [
        encoder.encode([sentence for written in writings for sentence in written.sentences]).pooled
        for writings in ([row.second for row in twice], [row.first for row in twice])
    ]
    second, first = (
        each.double().numpy().reshape(len(twice), -1, each.shape[-1]) for each in pooled
    )
    return second, first


def _alike(seconds: Vectors, firsts: Vectors) -> Likeness:
    return likeness(_middle(seconds), _middle(firsts), SEED)


def _ceiling(firsts: Vectors) -> Likeness:
    """How well a writer's own wordings find each other, though they were to differ."""
    return likeness(_middle(firsts[:, :1]), _middle(firsts[:, 1:]), SEED)


def _middle(vectors: Vectors) -> Float[np.ndarray, "segments width"]:
    mean = vectors.mean(1)
    return mean / np.linalg.norm(mean, axis=-1, keepdims=True)


def _confusions(twice: Sequence[TwiceWritten]) -> dict[str, int]:
    """Which families stand for which, first / second, the commonest first."""
    pairs = Counter(
        f"{verb_family(row.first.verb)} / {verb_family(row.second.verb)}" for row in twice
    )
    return dict(pairs.most_common())


def _judged(twice: Sequence[TwiceWritten]) -> list[dict[str, object]]:
    """Every contradiction with both wordings and, where somebody looked, who is right.

    Those that words alone do not show, and an eye found, come with their segment.
    """
    verdicts = {(row["id"], row["about"]): row for row in _verdicts()}
    unlooked = {"right": None, "note": ""}
    judged: list[dict[str, object]] = []
    for row in twice:
        found = contradictions(row.first, row.second)
        found += [about for id_, about in verdicts if id_ == row.id and about.startswith(BY_EYE)]
        for about in found:
            verdict = verdicts.get((row.id, about), unlooked)
            judged.append(
                {
                    "id": row.id,
                    "described": row.described,
                    "about": about,
                    "first": row.first.sentences[0],
                    "second": row.second.sentences[0],
                    "right": verdict["right"],
                    "note": verdict["note"],
                }
            )
    return judged


def _verdicts() -> list[dict[str, str]]:
    if not VERDICTS.exists():
        return []
    rows = _rows(VERDICTS, VERDICT_COLUMNS)
    for row in rows:
        if row["right"] not in RIGHT:
            raise FileError(
                f"{VERDICTS.name}: {row['id']} says {row['right']!r}.",
                f"Say one of {', '.join(sorted(RIGHT))}.",
            )
    return rows


if __name__ == "__main__":
    sys.exit(main())
