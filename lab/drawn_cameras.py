"""Cameras that are drawn where they are learnt from: windows travel, the cinematographer films them
on all cores of the machine that trains, and what it filmed is read as footage.

A window's shots depend on its name and the seed alone, so any number of processes draws the same,
and a drawing that was stopped goes on where it was.
"""

import io
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from aesop.core.errors import Progress
from aesop.core.hashing import text_sha256
from aesop.core.pool import run_all
from aesop.core.whole_files import atomic_path
from aesop.data.manifest import ShotRow
from aesop.evaluators.caption_claims import ShotClaims
from aesop.fables.build import VocabularyRecipe
from aesop.fables.takes import SplitName
from aesop.fables.window_shots import VOCABULARY, film_window
from aesop.features.human_features import human_from_features
from aesop.scene.movement import runs
from aesop.training.footage import Footage, Ragged, starts_from_lengths
from aesop.training.recipes import TrainingError

MOVEMENTS = "movements"  # kind of the first edition's shots
_WINDOWS_FILE, _FACTS_FILE = "windows.npy", "windows.json"
_WINDOWS_PER_SHARD = 24
FEWEST_FILMED = 36  # frames


@dataclass(frozen=True)
class Drawing:
    """Which split is filmed by which recipe, into which folder."""

    recipe: VocabularyRecipe
    split: SplitName
    folder: Path

    def sha256(self, windows_sha256: str) -> str:
        """One number for all shots of these windows."""
        recipe = json.dumps(asdict(self.recipe), sort_keys=True)
        return text_sha256(windows_sha256, recipe, self.split)

    def shard(self, number: int) -> Path:
        return self.folder / f"shots-{number:05d}.npz"


@dataclass(frozen=True)
class _Task:
    drawing: Drawing
    number: int
    first: int
    stop: int


def draw(
    windows: Footage, drawing: Drawing, workers: int | None, progress: Progress | None = None
) -> None:
    """Film all windows into shards; those that are there are kept."""
    drawing.folder.mkdir(parents=True, exist_ok=True)
    facts_path = drawing.folder / _FACTS_FILE
    mark = drawing.sha256(windows.sha256)
    if facts_path.exists() and _facts(drawing)["sha256"] != mark:
        raise TrainingError(
            f"{drawing.folder} holds other windows or cameras.", "Draw into another folder."
        )
    with atomic_path(drawing.folder / _WINDOWS_FILE) as path, path.open("wb") as file:
        np.save(file, windows.humans.values.numpy())
    facts = {
        "sha256": mark,
        "windows_sha256": windows.sha256,
        "names": windows.human_names,
        "starts": windows.humans.starts.tolist(),
    }
    with atomic_path(facts_path) as path:
        path.write_text(json.dumps(facts), encoding="utf-8")
    tasks = [task for task in _tasks(drawing, len(windows.humans)) if not _is_drawn(task)]
    run_all(_film_shard, tasks, workers=workers, progress=progress)


def long_enough(people: Footage) -> Footage:
    """Windows that can be filmed, each name once."""
    known: set[str] = set()
    chosen: list[int] = []
    lengths = people.humans.lengths.tolist()
    for row, (name, frames) in enumerate(zip(people.human_names, lengths, strict=True)):
        if frames >= FEWEST_FILMED and name not in known:
            known.add(name)
            chosen.append(row)
    clips = [people.humans.clip(row) for row in chosen]
    return replace(
        people,
        humans=Ragged(torch.cat(clips), starts_from_lengths(map(len, clips)).to(clips[0].device)),
        human_names=tuple(people.human_names[row] for row in chosen),
        human_captions=tuple(people.human_captions[row] for row in chosen),
    )


def with_more_people(windows: Footage, people: Footage) -> Footage:
    """Windows and further ones of other names."""
    clips = [windows.humans.values, people.humans.values.to(windows.humans.values)]
    lengths = [*windows.humans.lengths.tolist(), *people.humans.lengths.tolist()]
    names = (*windows.human_names, *people.human_names)
    assert len(set(names)) == len(names), "a window has a name of its own"
    return replace(
        windows,
        humans=Ragged(torch.cat(clips), starts_from_lengths(lengths)),
        human_names=names,
        human_captions=(*windows.human_captions, *people.human_captions),
        sha256=text_sha256(windows.sha256, people.sha256),
    )


def kept_windows(windows: Footage, drawing: Drawing) -> Footage:
    """The windows that were filmed, where they are more than those that travelled."""
    facts = _facts(drawing)
    values = torch.from_numpy(np.load(drawing.folder / _WINDOWS_FILE))
    names = tuple(facts["names"])
    return replace(
        windows,
        humans=Ragged(values.to(windows.humans.values), torch.tensor(facts["starts"])),
        human_names=names,
        human_captions=((),) * len(names),
        sha256=facts["windows_sha256"],
    )


def _tasks(drawing: Drawing, windows: int) -> list[_Task]:
    firsts = range(0, windows, _WINDOWS_PER_SHARD)
    return [
        _Task(drawing, number, first, min(first + _WINDOWS_PER_SHARD, windows))
        for number, first in enumerate(firsts)
    ]


def _is_drawn(task: _Task) -> bool:
    return task.drawing.shard(task.number).exists()


def _facts(drawing: Drawing) -> dict[str, Any]:
    return json.loads((drawing.folder / _FACTS_FILE).read_text(encoding="utf-8"))


def _film_shard(task: _Task) -> None:
    drawing, facts = task.drawing, _facts(task.drawing)
    values = np.load(drawing.folder / _WINDOWS_FILE, mmap_mode="r")
    humans: list[int] = []
    shots: list[ShotRow] = []
    for row in range(task.first, task.stop):
        features = torch.from_numpy(
            np.array(values[facts["starts"][row] : facts["starts"][row + 1]])
        )
        motion = human_from_features(features.double())
        filmed = film_window(
            facts["names"][row],
            motion,
            drawing.split,
            drawing.recipe.share(drawing.split).runs(motion.frames),
            drawing.recipe.filming,
            drawing.recipe.seed,
        )
        shots += filmed.shots
        humans += [row] * len(filmed.shots)
    words = [[shot.id, _kind(shot), shot.captions, _claims(shot)] for shot in shots]
    content = io.BytesIO()
    cameras = torch.cat([shot.features for shot in shots]) if shots else torch.zeros(0, 14)
    np.savez(
        content,
        cameras=cameras.numpy(),
        lengths=np.array([len(shot.features) for shot in shots], np.int64),
        humans=np.array(humans, np.int64),
        words=np.frombuffer(json.dumps(words).encode(), np.uint8),
    )
    with atomic_path(drawing.shard(task.number)) as path:
        path.write_bytes(content.getvalue())


def _claims(shot: ShotRow) -> list[object]:
    """What a judge of cameras needs to know of a shot and its captions."""
    movements = [int(tag) for tag, _, _ in runs(shot.tags)]
    return [movements, shot.attributes.get("facts"), shot.attributes.get("told", [])]


def read_claims(drawing: Drawing, footage: Footage) -> list[ShotClaims]:
    """Of all shots of footage that was read from a drawing, in its order."""
    claims: dict[str, ShotClaims] = {}
    for task in _tasks(drawing, len(footage.humans)):
        with np.load(drawing.shard(task.number)) as shard:
            for name, _, _, (movements, facts, claimed_facts) in json.loads(
                shard["words"].tobytes()
            ):
                claims[name] = ShotClaims(
                    tuple(movements),
                    None if facts is None else tuple(facts),
                    tuple(map(tuple, claimed_facts)),
                )
    return [claims[name] for name in footage.shot_names]


def _kind(shot: ShotRow) -> str:
    return VOCABULARY if shot.splits[0].kind == VOCABULARY else MOVEMENTS


def read_drawn(windows: Footage, drawing: Drawing, at_most: int | None = None) -> Footage:
    """The windows with all shots that were drawn of them, or with evenly chosen ones of each
    kind, so many together."""
    tasks = _tasks(drawing, len(windows.humans))
    missing = sum(not _is_drawn(task) for task in tasks)
    mark = drawing.sha256(windows.sha256)
    if missing or _facts(drawing)["sha256"] != mark:
        raise TrainingError(
            f"{missing} of {len(tasks)} shards of {drawing.folder} are not drawn of these windows.",
            "Draw them first, with the same cameras.",
        )
    cameras: list[np.ndarray] = []
    lengths: list[np.ndarray] = []
    humans: list[np.ndarray] = []
    words: list[tuple[str, str, tuple[str, ...]]] = []
    for task in tasks:
        with np.load(drawing.shard(task.number)) as shard:
            cameras.append(shard["cameras"])
            lengths.append(shard["lengths"])
            humans.append(shard["humans"])
            rows = json.loads(shard["words"].tobytes())
        words += [(name, kind, tuple(captions)) for name, kind, captions, _ in rows]
    footage = replace(
        windows,
        cameras=Ragged(
            torch.from_numpy(np.concatenate(cameras)),
            starts_from_lengths(np.concatenate(lengths).tolist()),
        ),
        human_of_shot=torch.from_numpy(np.concatenate(humans)),
        shot_names=tuple(name for name, _, _ in words),
        camera_captions=tuple(captions for _, _, captions in words),
        shot_kinds=tuple(kind for _, kind, _ in words),
        sha256=mark,
    )
    return footage if at_most is None else some_shots(footage, at_most)


def some_shots(footage: Footage, at_most: int) -> Footage:
    """As many shots of either kind, spread over all."""
    kinds = np.array(footage.shot_kinds)
    each = at_most // len(dict.fromkeys(footage.shot_kinds))
    chosen: list[int] = []
    for kind in dict.fromkeys(footage.shot_kinds):
        rows = np.flatnonzero(kinds == kind)
        places = np.linspace(0, len(rows) - 1, min(each, len(rows))).round().astype(np.int64)
        chosen += rows[places].tolist()
    chosen.sort()
    return replace(
        footage,
        cameras=Ragged(
            torch.cat([footage.cameras.clip(row) for row in chosen]),
            starts_from_lengths(footage.cameras.lengths[chosen].tolist()),
        ),
        human_of_shot=footage.human_of_shot[chosen],
        shot_names=tuple(footage.shot_names[row] for row in chosen),
        camera_captions=tuple(footage.camera_captions[row] for row in chosen),
        shot_kinds=tuple(footage.shot_kinds[row] for row in chosen),
    )
