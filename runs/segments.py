"""Segments of takes: cut them, draw pages of them for people who write captions, check captions.

    python runs/segments.py import CACHE --set cmu=DIR --set rocketbox=DIR
    python runs/segments.py table CACHE
    python runs/segments.py boundaries CACHE LABELS
    python runs/segments.py pages OUT --clips CACHE [--takes cmu/13_29 rocketbox]
    python runs/segments.py check WRITTEN.tsv …
    python runs/segments.py merge WRITTEN.tsv …

docs/captioning.md is the guide for writers. `--own TABLE` adds the takes of a table of your own.
"""

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path

import numpy as np
import torch

from aesop.core.errors import AesopError, FileError
from aesop.core.pool import run_all
from aesop.core.whole_files import atomic_path
from aesop.fables.motion_sets import (
    SetTake,
    import_set,
    motion_set,
    parse_set_takes,
    read_set_takes,
)
from aesop.fables.segment_captions import (
    FORM_COLUMNS,
    CaptionFault,
    caption_faults,
    parse_captions,
    read_segment_captions,
    segment_caption_table,
)
from aesop.fables.segment_facts import facts_text
from aesop.fables.segment_table import (
    Segment,
    parse_segments,
    read_segments,
    segment_table,
    segments_of,
)
from aesop.fables.segments import boundary_agreement
from aesop.fables.takes import has_wrong_rate
from aesop.files.shot_file import read_clip
from aesop.pages.segment_strips import ROWS, StripRow, strip_page
from aesop.scene.human import Clip

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "aesop" / "fables"
WITHIN_S = 0.5
# The converted archive of CMU's missing takes begins this much later than the public files.
ARCHIVE_LATE_S = 0.09


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    _add(commands.add_parser("import"), _import, ("cache",), own=True).add_argument(
        "--set", action="append", required=True, metavar="NAME=DIR", help="where a set's files lie"
    )
    _add(commands.add_parser("table"), _table, ("cache",), own=True).add_argument(
        "--out", type=Path
    )
    _add(commands.add_parser("boundaries"), _boundaries, ("cache", "labels"))
    pages = _add(commands.add_parser("pages"), _pages, ("out",), own=True)
    pages.add_argument("--clips", type=Path, required=True, help="the cache of `import`")
    pages.add_argument("--takes", nargs="+", default=[], help="sets or takes; all if left away")
    pages.add_argument("--segments", type=Path, help="a table of your own instead of the shipped")
    for name, work in (("check", _check), ("merge", _merge)):
        command = commands.add_parser(name)
        command.set_defaults(work=work)
        command.add_argument("written", nargs="+", type=Path)
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    try:
        return args.work(args)
    except AesopError as mistake:
        _say(str(mistake))
        return 1


def _add(
    command: argparse.ArgumentParser,
    work: Callable[[argparse.Namespace], int],
    places: Sequence[str],
    own: bool = False,
) -> argparse.ArgumentParser:
    command.set_defaults(work=work)
    for place in places:
        command.add_argument(place, type=Path)
    if own:
        command.add_argument("--own", type=Path, help="a table of takes of your own")
    return command


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


def _takes(own: Path | None) -> tuple[SetTake, ...]:
    takes = read_set_takes()
    if own is not None:
        takes += parse_set_takes(tsv_text(own), own.name)
    return takes


def _import(args: argparse.Namespace) -> int:
    takes = _takes(args.own)
    tasks: list[tuple[str, Path, tuple[SetTake, ...]]] = []
    for pair in args.set:
        name, _, folder = pair.partition("=")
        if not folder or not Path(folder).exists():
            raise FileError(f"--set {pair} names no folder.", "Write NAME=DIR.")
        tasks.append((name, Path(folder), takes))
    for name, lines in run_all(partial(_import_one, cache=args.cache), tasks):
        _say("\n".join([f"{name}:", *lines]))
    return 0


def _import_one(task: tuple[str, Path, tuple[SetTake, ...]], cache: Path) -> tuple[str, list[str]]:
    torch.set_num_threads(1)
    name, folder, takes = task
    imported = import_set(motion_set(name), takes, folder, cache)
    faults = [f"  {take.take.name}: {take.fault}" for take in imported if take.fault]
    return name, [f"  {len(imported)} takes, {len(faults)} with faults", *faults]


def _table(args: argparse.Namespace) -> int:
    takes = _takes(args.own)
    tasks = [take for take in takes if _clip_path(args.cache, take).exists()]
    cut = run_all(partial(_cut, cache=args.cache), tasks)
    segments = [segment for some in cut for segment in some]
    out = args.out or PACKAGE / "segments.tsv"
    write_whole(out, segment_table(segments))
    lengths = np.array([segment.seconds for segment in segments])
    faults = sum(bool(segment.fault) for segment in segments)
    _say(
        f"{len(segments)} segments of {len(tasks)} takes, {lengths.sum() / 3600:.2f} h, "
        f"{faults} with faults; seconds at 5, 25, 50, 75, 95 %: "
        f"{np.percentile(lengths, [5, 25, 50, 75, 95]).round(1).tolist()}"
    )
    sys.stdout.write(f"{out}\n")
    return 0


def _cut(take: SetTake, cache: Path) -> list[Segment]:
    torch.set_num_threads(1)
    clip = read_clip(_clip_path(cache, take))
    if has_wrong_rate(clip.motion.joints.double().numpy(), take.take.description):
        return []
    return segments_of(take, clip)


def _clip_path(cache: Path, take: SetTake) -> Path:
    return cache / take.set_name / f"{take.take.name}.clip"


def _boundaries(args: argparse.Namespace) -> int:
    """F1 of the cuts against labels of others."""
    wanted: dict[str, list[float]] = {}
    for path in sorted(args.labels.glob("*.tsv")):
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t"):
            wanted.setdefault(row["take"], []).append(float(row["start"]))
    counts = np.zeros(3, dtype=int)
    for take in read_set_takes():
        path = _clip_path(args.cache, take)
        if take.take.name in wanted and path.exists():
            late = ARCHIVE_LATE_S if take.set_name == "cmu_more" else 0.0
            edges = [segment.start_s + late for segment in segments_of(take, read_clip(path))[1:]]
            labels = [start for start in wanted[take.take.name] if start > 0]
            counts += boundary_agreement(edges, labels, WITHIN_S)
    found, there, matched = counts.tolist()
    if not there:
        raise FileError(f"No labelled take lies in {args.cache}.", "Import CMU's sets first.")
    precision, recall = matched / max(found, 1), matched / there
    f1 = 2 * matched / (found + there)
    _say(
        f"{there} boundaries wanted, {found} found, {matched} within {WITHIN_S} s: "
        f"precision {precision:.2f}, recall {recall:.2f}, F1 {f1:.2f}"
    )
    return 0


@dataclass(frozen=True)
class PageTask:
    """One page: its name, its segments, and where everything lies."""

    name: str
    segments: tuple[Segment, ...]
    takes: tuple[SetTake, ...]  # of each segment
    clips: Path
    out: Path


def _pages(args: argparse.Namespace) -> int:
    takes = {take.id: take for take in _takes(args.own)}
    own = args.segments
    segments = parse_segments(tsv_text(own), own.name) if own else read_segments()
    chosen = [
        segment
        for segment in segments
        if not segment.fault and (not args.takes or _is_named(segment, args.takes))
    ]
    if not chosen:
        raise FileError(
            "No segment of these takes is there.", "See `segments.tsv` for their names."
        )
    args.out.mkdir(parents=True, exist_ok=True)
    tasks = [
        PageTask(
            name, some, tuple(takes[segment.take_id] for segment in some), args.clips, args.out
        )
        for name, some in page_plan(chosen, takes)
    ]
    run_all(
        _draw, tasks, progress=lambda done, of: _say(f"{done}/{of}") if done % 50 == 0 else None
    )
    index = [f"{task.name}\t{' '.join(segment.id for segment in task.segments)}" for task in tasks]
    write_whole(args.out / "index.tsv", "\n".join(["page\tids", *index]) + "\n")
    sys.stdout.write(f"{args.out / 'index.tsv'}\n")
    return 0


def _is_named(segment: Segment, names: Sequence[str]) -> bool:
    return any(segment.take_id == name or segment.id.startswith(f"{name}/") for name in names)


def page_plan(
    segments: Sequence[Segment], takes: dict[str, SetTake]
) -> Iterator[tuple[str, tuple[Segment, ...]]]:
    """Pages set by set: takes whose words say nothing or many things first, long before short."""
    for set_name, group in groupby(segments, key=lambda segment: segment.id.split("/")[0]):
        ordered = sorted(
            group, key=lambda segment: (*_urgency(takes[segment.take_id]), segment.start_s)
        )
        for page, at in enumerate(range(0, len(ordered), ROWS), start=1):
            yield f"{set_name}_{page:04d}", tuple(ordered[at : at + ROWS])


def _urgency(take: SetTake) -> tuple[bool, float, str]:
    says_enough = bool(take.take.captions) and not take.is_sequence
    return says_enough, -take.take.seconds, take.id


@lru_cache(maxsize=4)
def _clip(path: Path) -> Clip:
    """Segments of a take stand side by side, so its clip is read once."""
    return read_clip(path)


def _draw(task: PageTask) -> None:
    rows: list[StripRow] = []
    texts: list[str] = []
    forms = ["\t".join(FORM_COLUMNS)]
    for segment, take in zip(task.segments, task.takes, strict=True):
        clip = _clip(_clip_path(task.clips, take))
        joints = clip.motion.joints.double().numpy()[segment.frames].copy()
        joints[..., 2] -= joints[..., 2].min()
        yaw = clip.motion.yaw.double().numpy()[segment.frames]
        lines = facts_text(segment.facts, segment.seconds)
        described = take.take.description or "(no description)"
        rows.append(
            StripRow(segment.id, [*lines, f"take: {described}"], joints, yaw, segment.start_s)
        )
        captions = [f"  take's own caption: {caption}" for caption in take.take.captions]
        texts += [
            segment.id,
            *(f"  {line}" for line in lines),
            f"  take: {described}",
            *captions,
            "",
        ]
        forms.append("\t".join([segment.id, *[""] * (len(FORM_COLUMNS) - 1)]))
    # Hundreds of pages: light compression saves more time than space is worth.
    strip_page(task.name, rows).save(task.out / f"{task.name}.png", compress_level=2)
    write_whole(task.out / f"{task.name}.txt", "\n".join(texts) + "\n")
    write_whole(task.out / f"{task.name}.tsv", "\n".join(forms) + "\n")


def _check(args: argparse.Namespace) -> int:
    faults: list[CaptionFault] = []
    segments = {segment.id: segment for segment in read_segments()}
    rows = [
        row for path in args.written for row in parse_captions(tsv_text(path), path.name, faults)
    ]
    faults += caption_faults(rows, segments)
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    errors = sum(fault.is_error for fault in faults)
    _say(f"{len(rows)} segments, {errors} errors, {len(faults) - errors} warnings")
    return 1 if errors else 0


def _merge(args: argparse.Namespace) -> int:
    """Put checked captions into the table that ships; later writing replaces earlier."""
    if _check(args):
        raise FileError("Nothing was merged.", "Mend the errors first.")
    rows = {row.id: row for row in read_segment_captions()}
    for path in args.written:
        rows.update({row.id: row for row in parse_captions(tsv_text(path), path.name, [])})
    out = PACKAGE / "segment_captions.tsv"
    order = [segment.id for segment in read_segments() if segment.id in rows]
    write_whole(out, segment_caption_table([rows[id_] for id_ in order]))
    sys.stdout.write(f"{out}\n")
    return 0


def tsv_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise FileError(f"{path} cannot be read: {problem}.", "Give a TSV in UTF-8.") from problem


def write_whole(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
