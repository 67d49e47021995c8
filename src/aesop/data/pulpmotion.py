"""PulpMotion as published, converted once into a store."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aesop.core.errors import Progress, StoreError
from aesop.core.pool import Pool
from aesop.data.builder import ShardWriter, StoreBuilder
from aesop.data.manifest import Count, HumanRow, ShotRow, Split, StorePlan
from aesop.data.pulpmotion_clip import (
    CAMERA_CLIP,
    CLIP_WIDTH,
    HUMAN_CLIP,
    HUMAN_FOLDER,
    LENS_FOLDER,
    PATH_FOLDER,
    UnusableClipError,
    read_clip,
)
from aesop.data.store import (
    UNTRAINED,
    Store,
    dropped_note,
    listed_but_dropped,
    training_rows,
)
from aesop.data.table import Column, disk_errors, ragged

SHARD_CLIPS = 256
# Clips that the published lists name. The paper trains on the autoencoder's and tests on pure ones.
PUBLISHED_COUNTS = {
    Split("train", "autoencoder"): 162_760,
    Split("train", "mixed"): 94_050,
    Split("train", "pure"): 36_571,
    Split("test", "mixed"): 10_549,
    Split("test", "pure"): 4_053,
}
LISTED_TWICE = "listed for both training and test"

_SPLIT_FILE = re.compile(r"(?:(?P<kind>.+)_)?(?P<name>[^_]+)_split\.txt")
_VIDEO_ID = re.compile(r"\d{4}_(?P<video>.{11})_\d+_\d+(?:_[a-z])?")


@dataclass(frozen=True)
class ImportReport:
    """What became of every clip that was found."""

    found: int
    kept: int
    dropped: tuple[Count, ...]
    noted: tuple[Count, ...]


@dataclass(frozen=True)
class _Job:
    """One shard of the import."""

    name: str
    folder: Path
    builder: StoreBuilder
    canonicalise: bool
    clips: tuple[tuple[str, tuple[Split, ...]], ...]


def import_pulpmotion(
    folder: Path,
    store_path: Path,
    *,
    workers: int | None = None,
    canonicalise: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Convert a copy of PulpMotion. Interrupted, it resumes when called again.

    `workers` processes share the work, all cores if not given; `progress` is told how many clips of
    how many are done.
    """
    splits_of = _clips_and_splits(folder)
    builder = StoreBuilder(store_path, _plan(folder, splits_of, canonicalise))
    builder.start()
    ids = sorted(splits_of)
    jobs = [
        _Job(
            name=f"{start // SHARD_CLIPS:06d}",
            folder=folder,
            builder=builder,
            canonicalise=canonicalise,
            clips=tuple((i, splits_of[i]) for i in ids[start : start + SHARD_CLIPS]),
        )
        for start in range(0, len(ids), SHARD_CLIPS)
    ]
    done = 0
    with Pool(workers) as pool:
        for place, future in pool.each(_write_shard, jobs):
            future.result()
            done += len(jobs[place].clips)
            if progress is not None:
                progress(done, len(ids))
    manifest = builder.finalise([job.name for job in jobs])
    return ImportReport(len(ids), manifest.shots.rows, manifest.dropped, manifest.noted)


@dataclass(frozen=True)
class ListCount:
    """One published list, and what is left of it in a store."""

    split: Split
    listed: int
    used: int  # for training: trained on; for anything else: imported
    published: int | None

    def __str__(self) -> str:
        verb = "trained on" if self.split.name == "train" else "imported"
        beside = "" if self.published is None else f" (published: {self.published:,})"
        return f"{self.split}: {self.listed:,} listed{beside}, {self.used:,} {verb}"


def list_counts(store: Store) -> tuple[ListCount, ...]:
    """Every list of a store. Nothing is held out for validation here."""
    counts: list[ListCount] = []
    for split in store.splits:
        published = PUBLISHED_COUNTS.get(split)
        if split.name in UNTRAINED:
            kept = len(store.split(split.name, split.kind))
            listed = kept + listed_but_dropped(store, str(split))
            counts.append(ListCount(split, listed, kept, published))
        else:
            trained = training_rows(store, str(split), hold_out=False).counts
            counts.append(ListCount(split, trained.listed, trained.trained_on, published))
    return tuple(counts)


def _clips_and_splits(folder: Path) -> dict[str, tuple[Split, ...]]:
    """Every id that a clip file or a split list names, and the splits it belongs to."""
    if not (folder / HUMAN_FOLDER).is_dir():
        raise StoreError(
            f"{folder} is not PulpMotion: it has no folder {HUMAN_FOLDER}.",
            f"Name the folder that holds {HUMAN_FOLDER}, {PATH_FOLDER} and {LENS_FOLDER}.",
        )
    splits_of: dict[str, list[Split]] = {}
    with disk_errors(folder):
        for part, ending in ((HUMAN_FOLDER, ".npy"), (PATH_FOLDER, ".txt")):
            for file in (folder / part).glob(f"*{ending}"):
                splits_of.setdefault(file.name.removesuffix(ending), [])
        for path in sorted(folder.glob("*_split.txt")):
            for clip_id in _listed_ids(path):
                splits_of.setdefault(clip_id, []).append(_split_of(path))
    if not splits_of:
        raise StoreError(f"{folder} holds no clips.", "Unpack the dataset's archives first.")
    return {clip_id: tuple(sorted(set(splits))) for clip_id, splits in splits_of.items()}


def _split_of(path: Path) -> Split:
    """`pure_train_split.txt` is the kind pure of the split train."""
    match = _SPLIT_FILE.fullmatch(path.name)
    if match is None:
        raise StoreError(f"{path} does not name a split.", "Call it KIND_NAME_split.txt.")
    return Split(match["name"], (match["kind"] or "all").replace("_", "-"))


def _listed_ids(path: Path) -> list[str]:
    try:
        ids = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except UnicodeDecodeError as error:
        raise StoreError(f"{path} is not a text file.", "Write one id per line, UTF-8.") from error
    for clip_id in ids:
        # Ids become file names.
        if "/" in clip_id or "\\" in clip_id or "\0" in clip_id or clip_id in (".", ".."):
            raise StoreError(f"{path} lists {clip_id!r}.", "Write one id per line, no paths.")
    return [clip_id for clip_id in ids if clip_id]


def _plan(folder: Path, splits_of: dict[str, tuple[Split, ...]], canonicalise: bool) -> StorePlan:
    lines = (f"{i} {' '.join(map(str, splits_of[i]))}\n" for i in sorted(splits_of))
    recipe = {
        "canonicalise": canonicalise,
        "clips": len(splits_of),
        "clips_sha256": _sha256(lines),
    }
    return StorePlan(
        dataset="pulpmotion",
        recipe=recipe,
        human_extra=_clip_columns(folder, HUMAN_CLIP),
        shot_extra=_clip_columns(folder, CAMERA_CLIP),
    )


def _sha256(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8", errors="surrogateescape"))
    return digest.hexdigest()


def _clip_columns(folder: Path, places: dict[str, str]) -> tuple[Column, ...]:
    return tuple(
        ragged(name, "float32", CLIP_WIDTH)
        for name, place in places.items()
        if (folder / place).is_dir()
    )


def _write_shard(job: _Job) -> None:
    if job.builder.has_shard(job.name):
        return
    with job.builder.shard(job.name) as shard:
        for clip_id, splits in job.clips:
            _write_clip(job, shard, clip_id, splits)


def _write_clip(job: _Job, shard: ShardWriter, clip_id: str, splits: tuple[Split, ...]) -> None:
    plan = job.builder.plan
    try:
        clip = read_clip(
            job.folder,
            clip_id,
            canonicalise=job.canonicalise,
            human_clip=tuple(column.name for column in plan.human_extra),
            camera_clip=tuple(column.name for column in plan.shot_extra),
        )
    except UnusableClipError as reason:
        shard.drop(str(reason), clip_id)
        lists = {*map(str, splits), *(split.name for split in splits)}
        for listed in sorted(lists):
            shard.note(dropped_note(listed), clip_id)
        return
    for note in clip.notes:
        shard.note(note, clip_id)
    if {"train", "test"} <= {split.name for split in splits}:
        shard.note(LISTED_TWICE, clip_id)
    shard.add_human(
        HumanRow(clip_id, clip.human_features, clip.human_captions, extra=clip.human_clip)
    )
    shard.add_shot(
        ShotRow(
            id=clip_id,
            human_id=clip_id,
            features=clip.camera_features,
            tags=clip.tags,
            captions=clip.camera_captions,
            splits=splits,
            attributes=_attributes(clip_id),
            extra=clip.camera_clip,
        )
    )


def _attributes(clip_id: str) -> dict[str, object]:
    """The film a clip was cut from: what must not be divided between splits of one's own."""
    match = _VIDEO_ID.fullmatch(clip_id)
    return {} if match is None else {"video": match["video"]}
